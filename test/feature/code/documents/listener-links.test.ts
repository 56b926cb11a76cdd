/**
 * Links that lifecycles receive in the data of a write, and accounts in middlewares (docs/reference/project-code.md).
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { contentType, makeProject } from '../../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../../support/servers/seeded.ts';

const USERS = 'plugin::users-permissions.user';
const text = { type: 'string' };
const PROJECT = {
  contentTypes: {
    note: contentType('note', {
      title: text,
      secrets: { type: 'relation', relation: 'manyToMany', target: 'api::secret.secret' },
      one: { type: 'relation', relation: 'manyToOne', target: 'api::secret.secret' },
      part: { type: 'component', component: 'default.part' },
      zone: { type: 'dynamiczone', components: ['default.part'] },
    }),
    secret: contentType('secret', { title: text }),
  },
  components: {
    'default.part': {
      collectionName: 'components_default_parts',
      info: { displayName: 'part' },
      attributes: {
        name: text,
        secrets: { type: 'relation', relation: 'oneToMany', target: 'api::secret.secret' },
        inner: { type: 'component', component: 'default.inner', repeatable: true },
      },
    },
    'default.inner': {
      collectionName: 'components_default_inners',
      info: { displayName: 'inner' },
      attributes: { one: { type: 'relation', relation: 'oneToOne', target: 'api::secret.secret' } },
    },
  },
  files: {
    'src/index.js': `const { ForbiddenError } = require('@strapi/utils').errors;
const named = (value) => [...(value?.set ?? []), ...(value?.connect ?? [])].map(({ id }) => id);
module.exports = {
  register({ strapi }) {
    const note = ({ params: { data } }) => {
      if (named(data.secrets).includes(1) || named(data.one).includes(1)) throw new ForbiddenError('no');
    };
    strapi.db.lifecycles.subscribe({ models: ['api::note.note'], beforeCreate: note, beforeUpdate: note });
    const within = (entry) => [...named(entry?.secrets), ...(entry?.inner ?? []).flatMap(({ one }) => named(one))];
    const part = ({ params: { data } }) => {
      if ([data.part, ...(data.zone ?? [])].flatMap(within).includes(1)) throw new ForbiddenError('no');
    };
    strapi.db.lifecycles.subscribe({ models: ['api::note.note'], beforeCreate: part, beforeUpdate: part });
    strapi.db.lifecycles.subscribe({ models: ['default.part'], beforeCreate({ params: { data } }) {
      if (data.name === 'alone' && within(data).includes(2)) throw new ForbiddenError('no');
      if (data.name === 'moved') data.secrets = { set: [{ id: 2 }] };
    } });
    const role = ({ params: { data } }) => {
      if (named(data.role).length > 0 && data.username?.startsWith('guarded')) throw new ForbiddenError('no');
    };
    strapi.db.lifecycles.subscribe({ models: ['${USERS}'], beforeCreate: role, beforeUpdate: role });
    strapi.documents.use((context, next) => {
      const { uid, params } = context;
      if (uid === '${USERS}' && params.data?.password?.length < 10) throw new ForbiddenError('too short');
      if (uid === '${USERS}' && params.data?.username === 'changed') params.data.password = 'Another12345';
      return next();
    });
  },
};`,
  },
};

for (const engine of engines) {
  describe(`links that lifecycles receive, on ${engine.name}`, () => {
    let server: SeededServer;
    let ids: string[];
    const send = (method: string, path: string, body: unknown) =>
      server.request(method, `/api/${path}`, { token: server.secrets['full'], body });

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT));
      ids = [];
      for (const title of ['first', 'second']) {
        const { body } = await send('POST', 'secrets', { data: { title } });
        ids.push(body.data.documentId);
      }
    });
    after(() => server?.stop());

    it('are lists of row ids for every form of a client', async () => {
      const [first, second] = ids as [string, string];
      const forms = (documentId: string, id: number): unknown[] => [
        ...[[id], [documentId], { connect: [documentId] }, { connect: [{ documentId }] }, { set: [documentId] }],
        ...[{ connect: [id] }, { set: [{ id }] }, documentId, id, [{ documentId }]],
      ];
      const { body } = await send('POST', 'notes', { data: { title: 'n' } });
      const path = `notes/${body.data.documentId}`;
      for (const [index, secrets] of forms(first, 1).entries()) {
        strictEqual((await send('POST', 'notes', { data: { secrets } })).status, 403, `form ${index}`);
        strictEqual((await send('PUT', path, { data: { secrets } })).status, 403, `form ${index}`);
      }
      for (const one of [1, first, { connect: [first] }, { id: 1 }]) {
        strictEqual((await send('PUT', path, { data: { one } })).status, 403);
      }
      for (const [index, secrets] of forms(second, 2).entries()) {
        const { status, body: made } = await send('PUT', `${path}?populate=*`, { data: { secrets, one: second } });
        strictEqual(status, 200, `form ${index}`);
        deepStrictEqual(
          [made.data.secrets, made.data.one].flat().map(({ title }: { title: string }) => title),
          ['second', 'second'],
        );
      }
    });

    it('have the same form within components', async () => {
      const [first, second] = ids as [string, string];
      const refused = (one: string | number) => [
        { part: { secrets: [one] } },
        { part: { secrets: { connect: [{ [typeof one === 'string' ? 'documentId' : 'id']: one }] } } },
        { part: { inner: [{ one: second }, { one }] } },
        { zone: [{ __component: 'default.part', secrets: { set: [one] } }] },
      ];
      for (const data of [...refused(first), ...refused(1)])
        strictEqual((await send('POST', 'notes', { data })).status, 403, JSON.stringify(data));
      const alone = { part: { name: 'alone', secrets: [second] } };
      strictEqual((await send('POST', 'notes', { data: alone })).status, 403);
    });

    it('are stored within components as they were sent, or as listeners leave them', async () => {
      const second = ids[1]!;
      const shape = '?populate[part][populate][secrets]=true&populate[part][populate][inner][populate]=*';
      const titles = (links: { title: string }[]) => links.map(({ title }) => title);
      const data = { part: { name: 'a', secrets: [second], inner: [{ one: { connect: [second] } }, {}] } };
      const { status, body } = await send('POST', `notes${shape}`, { data });
      strictEqual(status, 200);
      const { part } = body.data;
      deepStrictEqual(
        [titles(part.secrets), part.inner.map((one: { one: unknown }) => one.one !== null)],
        [['second'], [true, false]],
      );
      const moved = { part: { name: 'moved', secrets: [] } };
      deepStrictEqual(titles((await send('POST', `notes${shape}`, { data: moved })).body.data.part.secrets), [
        'second',
      ]);
      strictEqual((await send('POST', 'notes', { data: { part: { secrets: ['missing'] } } })).status, 400);
    });

    it('are the roles of accounts as well', async () => {
      const account = { email: 'guarded@example.com', password: 'Abcdef1234' };
      const role = 1;
      strictEqual((await send('POST', 'users', { ...account, username: 'guarded', role })).status, 403);
      const { status, body } = await send('POST', 'users', { ...account, username: 'open', role });
      strictEqual(status, 201);
      strictEqual((await send('PUT', `users/${body.id}`, { username: 'guarded', role })).status, 403);
    });

    it('stand beside the password of an account, which document middlewares see and cannot change', async () => {
      const register = (username: string, password: string) =>
        send('POST', 'auth/local/register', { username, email: `${username}@example.com`, password });
      strictEqual((await register('short', 'Abcdef12')).status, 403);
      strictEqual((await register('changed', 'Abcdef1234')).status, 500);
    });
  });
}
