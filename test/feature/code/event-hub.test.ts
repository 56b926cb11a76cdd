/** `strapi.eventHub` of a project's code: events of writes, under the names of webhooks. */
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
      {
        title: { type: 'string' },
        secret: { type: 'string', private: true },
        body: { type: 'text' },
        notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note' },
      },
      { options: { draftAndPublish: true } },
    ),
    note: contentType('note', {
      text: { type: 'text' },
      page: { type: 'relation', relation: 'manyToOne', target: 'api::page.page' },
    }),
  },
  components: {},
  files: {
    'config/server.js': 'module.exports = { webhooks: { maxEntrySize: 1024 } };',
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
  const told = (globalThis.toldByEventHub ??= []);
  for (const name of ['create', 'update', 'publish', 'unpublish', 'draft-discard', 'delete']) {
    strapi.eventHub.on('entry.' + name, async ({ model, uid, entry }) => {
      if (uid !== 'api::page.page') return;
      if (entry.title === 'broken') throw new Error('of the listener');
      // as one that sends a mail
      if (entry.title === 'first') await new Promise((resolve) => setImmediate(resolve));
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

    it('emits each commit once, in order, without private attributes', async () => {
      const { documentId: id } = await write('POST', 'pages?status=draft', { data: { title: 'a', secret: 'x' } });
      deepStrictEqual(await told(2), [event('create', 'a', true), ['once']]);
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

    it('emits the state at the time of each write, even if it was changed and removed since', async () => {
      const all = Array.from({ length: 6 }, (_, n) => `of ${n}`);
      const events: (readonly unknown[])[] = [];
      await Promise.all(
        all.map(async (name) => {
          const titled = (title: string) => ({ data: { title: `${title} ${name}` } });
          const { documentId: id } = await write('POST', 'pages?status=draft', titled('first'));
          await write('PUT', `pages/${id}?status=draft`, titled('second'));
          await write('POST', `pages/${id}/actions/publish`);
          await write('PUT', `pages/${id}?status=draft`, titled('third'));
          await write('POST', `pages/${id}/actions/discard-draft`);
          await write('POST', `pages/${id}/actions/unpublish`);
          await write('DELETE', `pages/${id}`);
        }),
      );
      await until('all events are told', () => {
        events.push(...list.splice(0));
        return events.length >= all.length * 7;
      });
      for (const name of all) {
        deepStrictEqual(
          events.filter(([, , , title]) => String(title).endsWith(` ${name}`)),
          [
            event('create', `first ${name}`, true),
            event('update', `second ${name}`, true),
            event('publish', `second ${name}`, false),
            event('update', `third ${name}`, true),
            event('draft-discard', `second ${name}`, true),
            event('unpublish', `second ${name}`, false),
            event('delete', `second ${name}`, true),
          ],
        );
      }
    });

    it('emits writes of one document in order, each with its own state', async () => {
      const { documentId: id } = await write('POST', 'pages?status=draft', { data: { title: '0' } });
      const titles = Array.from({ length: 12 }, (_, n) => `${n + 1}`);
      await Promise.all(titles.map((title) => write('PUT', `pages/${id}?status=draft`, { data: { title } })));
      const events = await told(13);
      deepStrictEqual(
        events
          .slice(1)
          .map(([, , , title]) => title)
          .toSorted(),
        titles.toSorted(),
      );
      const { title } = await write('GET', `pages/${id}?status=draft`);
      strictEqual(events.at(-1)?.[3], title);
    });

    it('emits the identifiers of entries that are too long to cache', async () => {
      const text = 'x'.repeat(900);
      const notes: string[] = [];
      for (let n = 0; n < 3; n++) notes.push((await write('POST', 'notes', { data: { text } })).documentId);
      const data = { title: 'long', notes };
      const { documentId: id } = await write('POST', 'pages?status=draft', { data });
      deepStrictEqual(await told(1), [event('create', 'long', true)]);
      await write('PUT', `pages/${id}?status=draft`, { data: { body: 'y'.repeat(2000) } });
      deepStrictEqual(await told(1), [['entry.update', 'page', 'api::page.page', undefined, false, false]]);
      const { notes: kept } = await write('GET', `pages/${id}?status=draft&populate=notes`);
      strictEqual(kept.length, 3);
    });

    it('continues after a listener that fails, and emits nothing of refused writes', async () => {
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
