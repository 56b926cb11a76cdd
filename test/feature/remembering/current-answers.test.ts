/** Cached answers are current: the next answer after a confirmed write contains it. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import Sqlite from 'better-sqlite3';
import type { Config } from '../../../src/config/config.ts';
import { engines } from '../../support/databases/databases.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type StartedProcess, startProcess } from '../../support/servers/process.ts';
import { contentType, jsonOf, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const POST = 'api::post.post';
const TAG = 'api::tag.tag';
const localized = { pluginOptions: { i18n: { localized: true } } };
const relation = (kind: string, target: string, rest = {}) => ({ type: 'relation', relation: kind, target, ...rest });

const contentTypes = {
  post: contentType(
    'post',
    {
      title: { type: 'string', ...localized },
      views: { type: 'integer' },
      tags: relation('manyToMany', TAG, { inversedBy: 'posts' }),
      part: { type: 'component', component: 'shared.part', ...localized },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', { name: { type: 'string' }, posts: relation('manyToMany', POST, { mappedBy: 'tags' }) }),
  page: contentType('page', { title: { type: 'string' } }, { kind: 'singleType' }),
  other: contentType('other', { name: { type: 'string' } }),
};
const components = {
  'shared.part': { collectionName: 'components_parts', attributes: { text: { type: 'string' } } },
};
const fixture = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
  ],
  roles: { public: [`${TAG}.find`] },
};

/** The environment of another process on the same database. */
function environmentOf({ database }: Config): Record<string, string> {
  return database.client === 'sqlite'
    ? { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: database.filename }
    : { DATABASE_CLIENT: 'postgres', DATABASE_URL: database.connectionString! };
}

for (const engine of engines) {
  describe(`answers while another process writes, on ${engine.name}`, () => {
    let server: SeededServer;
    let other: StartedProcess;
    let metrics = '';
    let tag = '';
    let post = '';
    const remembers = engine.name === 'sqlite';

    /** Sends a request to one of the two processes, as the full-access token unless it says otherwise. */
    const send = async (
      url: string,
      method: string,
      target: string,
      data?: unknown,
      token = server.secrets['full'],
    ) => {
      const response = await fetch(`${url}/api${target}`, {
        method,
        headers: {
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...(data === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(data === undefined ? {} : { body: JSON.stringify(data) }),
      });
      const text = await response.text();
      // biome-ignore lint/suspicious/noExplicitAny: answers are looked at freely
      return { status: response.status, body: jsonOf(text) as any };
    };
    const both = () => [server.url, other.url];
    /** What both processes answer, each twice and more: the second time it is remembered, the third it may be used. */
    const agreed = async (target: string, pick: (body: never) => unknown, token?: string) => {
      const seen: unknown[] = [];
      for (const url of both()) {
        for (let n = 0; n < 3; n++) {
          const { body } = await send(url, 'GET', target, undefined, token);
          seen.push(pick(body as never));
        }
      }
      for (const one of seen) deepStrictEqual(one, seen[0]);
      return seen[0];
    };
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(metrics)).text();
      return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    };

    before(async () => {
      const port = await freePort();
      metrics = `http://127.0.0.1:${port}/metrics`;
      const folder = await makeProject({ contentTypes, components });
      server = await serveSeeded(engine, folder, fixture, { METRICS_PORT: String(port), JWT_SECRET: 'secret' });
      other = await startProcess(folder.dir, { ...environmentOf(server.app.config), API_TOKEN_SALT: saltOf(server) });
      tag = (await send(server.url, 'POST', '/tags', { data: { name: 'first' } })).body.data.documentId;
      const data = { title: 'first', views: 0, tags: [tag], part: { text: 'first' } };
      post = (await send(server.url, 'POST', '/posts?status=published', { data })).body.data.documentId;
    });
    after(async () => {
      other?.child.kill('SIGKILL');
      await other?.ended;
      await server?.stop();
    });

    it('show each write of either, in lists, counts, single documents, relations and drafts', async () => {
      const hits = await metric('galley_answer_cache_hits_total');
      for (let n = 0; n < 12; n++) {
        const writer = both()[n % 2]!;
        const title = `title ${n}`;
        const write = { data: { title, views: n, part: { text: title } } };
        strictEqual((await send(writer, 'PUT', `/posts/${post}?status=published`, write)).status, 200);
        strictEqual((await send(writer, 'PUT', `/tags/${tag}`, { data: { name: title } })).status, 200);
        strictEqual((await send(writer, 'PUT', '/page', { data: { title } })).status, 200);
        strictEqual(
          (await send(writer, 'POST', '/posts?status=draft', { data: { title: 'more', views: n } })).status,
          200,
        );
        const list = await agreed(`/posts?filters[views][$gte]=${n}&populate=*`, ({ data, meta }: Listed) => [
          data.map((entry) => [entry.title, entry.part.text, entry.tags[0]!.name]),
          meta.pagination.total,
        ]);
        deepStrictEqual(list, [[[title, title, title]], 1]);
        const one = await agreed(`/posts/${post}?populate=tags`, ({ data }: Single) => [
          data.title,
          data.tags[0]!.name,
        ]);
        deepStrictEqual(one, [title, title]);
        strictEqual(await agreed('/page', ({ data }: Single) => data.title), title);
        const drafts = await agreed(
          '/posts?status=draft&filters[title]=more',
          ({ meta }: Listed) => meta.pagination.total,
        );
        strictEqual(drafts, n + 1);
      }
      const more = (await metric('galley_answer_cache_hits_total')) - hits;
      strictEqual(more > 40, remembers, `${more} answers came from memory`);
    });

    it('show no removed rows, and never refused ones', async () => {
      for (let n = 0; n < 6; n++) {
        const writer = both()[n % 2]!;
        const { body } = await send(writer, 'POST', '/others', { data: { name: `other ${n}` } });
        const target = `/others/${body.data.documentId}`;
        strictEqual(await agreed(target, ({ data }: Single) => data.name), `other ${n}`);
        const batch = {
          operations: [{ action: 'create', uid: 'api::other.other', data: { name: 'x' } }, { action: 'nope' }],
        };
        ok((await send(writer, 'POST', '/batch', batch)).status >= 400);
        strictEqual((await send(writer, 'PUT', target, { data: { name: 5 } })).status, 400);
        strictEqual(await agreed('/others', ({ meta }: Listed) => meta.pagination.total), 1);
        strictEqual(await agreed(target, ({ data }: Single) => data.name), `other ${n}`);
        strictEqual((await send(writer, 'DELETE', target)).status, 204);
        strictEqual(await agreed('/others', ({ meta }: Listed) => meta.pagination.total), 0);
        for (const url of both()) strictEqual((await send(url, 'GET', target)).status, 404);
      }
    });

    if (!remembers) {
      it('are not cached, since nothing could tell whether they are current', async () => {
        strictEqual(await metric('galley_answer_cache_bytes'), 0);
        strictEqual(await metric('galley_answer_cache_hits_total'), 0);
      });
      return;
    }

    /** Another program on the file. */
    const elsewhere = () => {
      const { filename } = server.app.config.database as { filename: string };
      const connection = new Sqlite(filename, { timeout: 5000 });
      // what it writes need not outlive the machine
      connection.pragma('synchronous = off');
      return connection;
    };

    it('show thousands of writes by a program that is not Galley', async () => {
      const writer = elsewhere();
      const reads: readonly [string, (body: { readonly data: Entry & readonly Entry[] }) => unknown][] = [
        ['/tags', ({ data }) => data[0]!.name],
        [`/tags/${tag}`, ({ data }) => data.name],
        ['/posts?populate=tags', ({ data }) => data[0]!.tags[0]!.name],
        [`/posts/${post}?populate=tags&status=draft`, ({ data }) => data.tags[0]!.name],
        ['/posts?filters[tags][name][$ne]=never&populate=tags', ({ data }) => data[0]!.tags[0]!.name],
      ];
      try {
        const write = writer.prepare('update tags set name = ?');
        for (let n = 0; n < 2000; n++) {
          const name = `name ${n}`;
          // every third one is not kept
          if (n % 3 === 0) {
            writer.exec('begin immediate');
            write.run('never');
            writer.exec('rollback');
          }
          write.run(name);
          const [target, pick] = reads[n % reads.length]!;
          strictEqual(pick((await send(server.url, 'GET', target)).body), name, target);
        }
      } finally {
        writer.close();
      }
    });

    it('show writes of triggers of another program', async () => {
      const writer = elsewhere();
      const write = (name: string) => send(server.url, 'POST', '/others', { data: { name } });
      try {
        await write('before the trigger');
        for (let n = 0; n < 3; n++) await send(server.url, 'GET', '/tags');
        writer.exec(
          "create trigger along after insert on others begin update tags set name = 'along ' || new.name; end",
        );
        for (const name of ['one', 'two', 'three']) {
          for (let n = 0; n < 3; n++) await send(server.url, 'GET', '/tags');
          await write(name);
          strictEqual(await agreed('/tags', ({ data }: Listed) => data[0]!.name), `along ${name}`);
        }
      } finally {
        writer.exec('drop trigger if exists along');
        writer.close();
      }
    });

    it('follow the default locale', async () => {
      const data = { title: 'le titre' };
      strictEqual((await send(server.url, 'PUT', `/posts/${post}?locale=fr&status=published`, { data })).status, 200);
      const { body } = await send(other.url, 'GET', '/i18n/locales');
      const idOf = (code: string): number => body.find((locale: { code: string }) => locale.code === code).id;
      for (let n = 0; n < 6; n++) {
        const code = n % 2 === 0 ? 'fr' : 'en';
        const before = await agreed(`/posts/${post}`, ({ data }: Single) => data.locale);
        strictEqual(before, n % 2 === 0 ? 'en' : 'fr');
        const { status } = await send(both()[n % 2]!, 'PUT', `/i18n/locales/${idOf(code)}`, { isDefault: true });
        strictEqual(status, 200);
        strictEqual(await agreed(`/posts/${post}`, ({ data }: Single) => data.locale), code);
      }
    });

    it('are refused without a valid token or right', async () => {
      const statuses = async (target: string, token: string) => {
        const found = new Set<number>();
        for (const url of both()) {
          for (let n = 0; n < 3; n++) found.add((await send(url, 'GET', target, undefined, token)).status);
        }
        return [...found];
      };
      const roles = (await send(server.url, 'GET', '/users-permissions/roles')).body.roles;
      const { id } = roles.find(({ type }: { type: string }) => type === 'public');
      const role = (await send(server.url, 'GET', `/users-permissions/roles/${id}`)).body.role;
      for (let n = 0; n < 6; n++) {
        const enabled = n % 2 === 1;
        deepStrictEqual(await statuses('/tags', ''), [enabled ? 403 : 200]);
        const permissions = structuredClone(role.permissions);
        permissions['api::tag'].controllers.tag.find.enabled = enabled;
        const { status } = await send(both()[n % 2]!, 'PUT', `/users-permissions/roles/${id}`, {
          ...role,
          permissions,
        });
        strictEqual(status, 200);
      }
      const token = server.secrets['read']!;
      deepStrictEqual(await statuses('/tags', token), [200]);
      const writer = elsewhere();
      writer.prepare("delete from strapi_api_tokens where name = 'read'").run();
      writer.close();
      deepStrictEqual(await statuses('/tags', token), [401]);
    });

    it('stay remembered while something else is written', async () => {
      for (let n = 0; n < 3; n++) await send(server.url, 'GET', '/posts?populate=*');
      const misses = await metric('galley_answer_cache_misses_total');
      for (let n = 0; n < 5; n++) {
        strictEqual((await send(server.url, 'POST', '/others', { data: { name: 'x' } })).status, 200);
        await send(server.url, 'GET', '/posts?populate=*');
      }
      strictEqual(await metric('galley_answer_cache_misses_total'), misses);
    });
  });
}

/** Both processes must know the tokens of one another. */
const saltOf = (server: SeededServer): string => server.app.config.apiTokenSalt;

interface Entry {
  readonly title: string;
  readonly name: string;
  readonly locale: string;
  readonly part: { readonly text: string };
  readonly tags: readonly { readonly name: string }[];
}
interface Single {
  readonly data: Entry;
}
interface Listed {
  readonly data: readonly Entry[];
  readonly meta: { readonly pagination: { readonly total: number } };
}
