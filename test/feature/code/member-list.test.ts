/**
 * Members of strapi against the table of the page and those of Strapi 5.54, as it was observed
 * (`test/fixtures/strapi-members.json`). `UPDATE=1` writes the table into docs/reference/project-code.md.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { INSTEAD, MISSING } from '../../../src/runtime/members/members.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const PAGE = path.join(ROOT, 'docs/reference/project-code.md');
const [BEGIN, END] = [
  '<!-- members: written by test/feature/code/member-list.test.ts -->\n',
  '<!-- end of members -->',
];

/** What is passed to the calls in the names of objects. */
const CALLS: Readonly<Record<string, string>> = {
  'strapi.hook()': "strapi.hook('strapi::content-types.afterSync')",
  'strapi.api()': "strapi.api('note')",
  'strapi.documents()': "strapi.documents('api::note.note')",
  'strapi.db.metadata.get()': "strapi.db.metadata.get('api::note.note')",
  'strapi.db.query()': "strapi.db.query('api::note.note')",
  'strapi.get()': "strapi.get('services')",
};
const OBJECTS = [
  ...Object.keys(MISSING).filter((name) => name !== 'strapi.plugin()' && !name.startsWith('ctx')),
  'strapi.db.query()',
];

const expressionOf = (name: string): string => CALLS[name] ?? name.replace(/^@strapi\/(\w+)/, "require('@strapi/$1')");

const PROJECT = {
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'src/api/note/routes/note.js':
      "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
    'src/api/note/routes/own.js':
      "module.exports = { routes: [{ method: 'GET', path: '/members', handler: 'own.members', config: { auth: false } }] };",
    'src/api/note/controllers/own.js': `module.exports = { members: () => ({ ${OBJECTS.map(
      (name) => `${JSON.stringify(name)}: Object.keys(${expressionOf(name)})`,
    ).join(',\n')} }) };`,
  },
};

/** Names of missing members that a row of the page has at most. */
const MOST = 3;

/** An object as the page names it: without `strapi`, and with what calls are passed. */
const shown = (name: string): string =>
  name
    .replace(/^strapi\./, '')
    .replace(/(documents|query)\(\)/, '$1(uid)')
    .replace(/(get|api|hook)\(\)/, '$1(name)');

function rowOf(name: string, keys: readonly string[]): string {
  const missing = [...(MISSING[name] ?? [])].sort();
  const more = missing.length > MOST + 1 ? [`${missing.length - MOST} more`] : [];
  const some = more.length > 0 ? missing.slice(0, MOST) : missing;
  // of the packages only what is missing is of interest
  const members = name.startsWith('@') ? 'all others' : keys.join(' ');
  return `| \`${shown(name)}\` | ${members} | ${[...some, ...more].join(', ')} |`;
}

describe('the members of strapi', () => {
  let server: SeededServer;
  let present: Map<string, string[]>;

  before(async () => {
    server = await serveSeeded(engines[0]!, await makeProject(PROJECT));
    const { body } = await server.get('/api/members');
    const all = Object.entries(body as Record<string, string[]>);
    present = new Map(
      all.map(([name, keys]) => [name, keys.filter((key) => !MISSING[name]?.has(key) && key !== 'default').sort()]),
    );
  });
  after(() => server?.stop());

  it('are those of Strapi, present or missing', async () => {
    const reference = JSON.parse(
      await readFile(path.join(ROOT, 'test/fixtures/strapi-members.json'), 'utf8'),
    ) as Record<string, string>;
    const unlisted = Object.entries(reference).flatMap(([name, names]) => {
      const own = present.get(name);
      const known = new Set([...(own ?? []), ...(MISSING[name] ?? [])]);
      return own ? names.split(' ').flatMap((one) => (known.has(one) ? [] : [`${name}.${one}`])) : [];
    });
    deepStrictEqual(unlisted, []);
    for (const [name, missing] of Object.entries(MISSING))
      deepStrictEqual(
        [...missing].filter((one) => present.get(name)?.includes(one)),
        [],
        name,
      );
  });

  it('are present where a message names them in the place of missing ones', () => {
    const named = INSTEAD.flatMap(([, words]) => words.match(/strapi(?:\.\w+(?:\('[^']*'\))?)+/g) ?? []);
    const places = named.map((member) => /^(.*)\.(\w+)[^.]*$/.exec(member)!);
    const checked = places.filter(([, object]) => present.has(object!));
    deepStrictEqual(
      checked.filter(([, object, name]) => !present.get(object!)!.includes(name!)).map(([member]) => member),
      [],
    );
    strictEqual(checked.length > INSTEAD.length / 2, true, `${checked.length} of ${named.length}`);
  });

  it('are listed in the page', async () => {
    const rows = [...present].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, keys]) => rowOf(name, keys));
    const table = ['| object | members | missing |', '|-|-|-|', ...rows, ''].join('\n');
    const page = await readFile(PAGE, 'utf8');
    const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
    if (process.env['UPDATE']) await writeFile(PAGE, page.slice(0, from) + table + page.slice(to));
    else strictEqual(page.slice(from, to), table);
  });
});
