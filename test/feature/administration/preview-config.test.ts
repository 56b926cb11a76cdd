/** Addresses of previews are checked against the schema: by `galley check`, and by the start. */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, serve } from '../../support/servers/project.ts';

const contentTypes = {
  post: contentType('post', {
    title: { type: 'string' },
    slug: { type: 'uid', targetField: 'title' },
    views: { type: 'integer' },
    hot: { type: 'boolean' },
    code: { type: 'password' },
    cover: { type: 'media', multiple: false },
  }),
};
const POST = 'api::post.post';

const projectWith = (urls: object) =>
  makeProject({ contentTypes, files: { 'config/admin.json': { preview: { urls } } } });

/** What `galley check` prints. */
async function checked(urls: object): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const folder = await projectWith(urls);
  const lines: string[] = [];
  try {
    const env = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };
    const code = await runCommandLine(['check', folder.dir], {
      env,
      print: (line) => void lines.push(line),
      warn: () => undefined,
      input: async () => '',
    });
    return { code, lines };
  } finally {
    await folder.remove();
  }
}

describe('addresses of previews', () => {
  it('may have the names of everything that has a text or a number in a draft', async () => {
    const { code } = await checked({
      [POST]: 'https://site.example/{locale}/{slug}?{title}={views}&{documentId}#{status}',
    });
    strictEqual(code, 0);
  });

  it('are refused for types and names that are not there, each with its place and what would be right', async () => {
    const { code, lines } = await checked({
      'api::pst.post': 'https://site.example/{slug}',
      [POST]: 'https://site.example/{slgu}/{hot}/{code}/{cover}/{sl-ug}',
    });
    strictEqual(code, 1);
    const names = 'title, slug, views, documentId, locale, status';
    const place = `config/admin: preview.urls.${POST}:`;
    deepStrictEqual(lines, [
      `config/admin: preview.urls.api::pst.post: is not a content type of the project (did you mean ${POST}?)`,
      `${place} {slgu} is unknown: use one of ${names} (did you mean slug?)`,
      ...['hot', 'code', 'cover'].map((name) => `${place} {${name}} is unknown: use one of ${names}`),
      `${place} must have braces around names only, such as {slug}`,
      '6 mistakes',
    ]);
  });

  for (const engine of engines) {
    it(`keep a project from starting on ${engine.name} that are wrong`, async () => {
      const folder = await projectWith({ [POST]: 'https://site.example/{slgu}' });
      const database = await engine.databaseFor(folder);
      try {
        await rejects(serve(folder, database), /preview\.urls\.api::post\.post: \{slgu\} .*did you mean slug/);
      } finally {
        await database.drop();
        await folder.remove();
      }
    });
  }
});
