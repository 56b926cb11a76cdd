/** `strapi.eventHub` of a project's code: told of what is written, under the names that webhooks have. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const project = {
  contentTypes: {
    page: contentType(
      'page',
      { title: { type: 'string' }, secret: { type: 'string', private: true } },
      { options: { draftAndPublish: true } },
    ),
  },
  components: {},
  files: {
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
  const told = (globalThis.toldByEventHub ??= []);
  for (const name of ['create', 'update', 'publish', 'unpublish', 'draft-discard', 'delete']) {
    strapi.eventHub.on('entry.' + name, async ({ model, uid, entry }) => {
      if (entry.title === 'broken') throw new Error('of the listener');
      told.push(['entry.' + name, model, uid, entry.title, 'secret' in entry, entry.publishedAt === null]);
    });
  }
  strapi.eventHub.once('entry.create', () => void told.push(['once']));
  strapi.eventHub.subscribe((name, value) => { if (name.startsWith('media.')) told.push([name, value.media.name]); });
} };`,
  },
};

type Told = readonly unknown[];
const shared = globalThis as { toldByEventHub?: Told[] };
shared.toldByEventHub ??= [];
const list = shared.toldByEventHub;

for (const engine of engines) {
  describe(`strapi.eventHub on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(project));
    });
    after(() => server?.stop());

    const told = (count: number) => until(`${count} events are told`, () => list.length >= count && list.splice(0));
    const write = async (method: string, target: string, body?: object) => {
      const answer = await server.request(method, `/api/${target}`, {
        headers: { authorization: `Bearer ${server.secrets['full']}` },
        ...(body === undefined ? {} : { body }),
      });
      strictEqual(answer.status < 300, true, answer.text);
      return answer.body?.data;
    };
    const event = (name: string, title: string, isDraft: boolean) =>
      [`entry.${name}`, 'page', 'api::page.page', title, false, isDraft] as const;

    it('tells listeners once what was committed, in its order, without what is private', async () => {
      const { documentId: id } = await write('POST', 'pages?status=draft', { data: { title: 'a', secret: 'x' } });
      deepStrictEqual(await told(2), [event('create', 'a', true), ['once']]);
      // a document is read when it is told, so that each event is waited for
      await write('PUT', `pages/${id}?status=draft`, { data: { title: 'b' } });
      deepStrictEqual(await told(1), [event('update', 'b', true)]);
      await write('POST', `pages/${id}/actions/publish`);
      deepStrictEqual(await told(1), [event('publish', 'b', false)]);
      await write('PUT', `pages/${id}?status=draft`, { data: { title: 'c' } });
      deepStrictEqual(await told(1), [event('update', 'c', true)]);
      for (const [action, name] of [
        ['discard-draft', 'entry.draft-discard'],
        ['unpublish', 'entry.unpublish'],
      ] as const) {
        await write('POST', `pages/${id}/actions/${action}`);
        deepStrictEqual(
          (await told(1)).map(([first, , , title]) => [first, title]),
          [[name, 'b']],
        );
      }
      await write('DELETE', `pages/${id}`);
      deepStrictEqual(await told(1), [event('delete', 'b', true)]);
    });

    it('goes on behind a listener that fails, and tells nothing of what was refused', async () => {
      await write('POST', 'pages?status=draft', { data: { title: 'broken' } });
      const refused = await server.request('POST', '/api/pages', {
        headers: { authorization: `Bearer ${server.secrets['full']}` },
        body: { data: { title: 7 } },
      });
      strictEqual(refused.status, 400);
      await write('POST', 'pages?status=draft', { data: { title: 'whole' } });
      deepStrictEqual(await told(1), [event('create', 'whole', true)]);
    });
  });
}
