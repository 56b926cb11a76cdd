/** Documents that are published and unpublished at a time, through the content API and by administrators. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { actingAs } from '../../../src/db/interface/account.ts';
import { addWebhook } from '../../../src/events/webhooks/webhook.ts';
import { addItems, listItems } from '../../../src/schedule/items.ts';
import { listTokens, revokeToken } from '../../../src/users/sessions/tokens.ts';
import { type Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { signedIn } from '../../support/accounts/held-answers.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are checked by the assertions
type Any = any;

const NOW = Date.parse('2026-12-01T12:00:00Z');
const MINUTE = 60_000;
const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true } };
const contentTypes = {
  post: contentType(
    'post',
    { title: { type: 'string', required: true, ...localized }, slug: { type: 'string', unique: true } },
    { ...drafts, ...localized },
  ),
  page: contentType('page', { title: { type: 'string' } }, { kind: 'singleType', ...drafts }),
  plain: contentType('plain', { title: { type: 'string' } }),
};
const POST = 'api::post.post';
const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
    { name: 'publisher', type: 'custom', permissions: [`${POST}.find`, `${POST}.findOne`, `${POST}.publish`] },
    { name: 'revoked', type: 'custom', permissions: [`${POST}.publish`] },
    { name: 'stripped', type: 'custom', permissions: [`${POST}.publish`] },
  ],
};
const GRANTS = {
  public: ['plugin::users-permissions.auth.register'],
  authenticated: [`${POST}.find`, `${POST}.publish`],
};
const EVERYTHING = { fields: ['title', 'slug'], locales: ['en', 'fr'] };

for (const engine of engines) {
  describe(`documents that are published at a time, on ${engine.name}`, () => {
    const clock = new FakeClock(NOW);
    let server: SeededServer;
    let receiver: Receiver;
    let sue: Browser;
    /** Each test has an hour of its own. */
    let hour = 0;
    let due = NOW;

    before(async () => {
      receiver = await startReceiver();
      server = await serveSeeded(
        engine,
        await makeProject({ contentTypes }),
        { ...FIXTURE, grants: GRANTS },
        {},
        { clock },
      );
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      sue = await signedIn(server, 'sue');
    });
    after(async () => {
      await server?.stop();
      await receiver?.close();
    });

    const call = (method: string, target: string, body?: unknown, as = 'full') =>
      server.request(method, `/api${target}`, { token: server.secrets[as], ...(body ? { body } : {}) });
    const nextHour = () => {
      due = NOW + ++hour * 60 * MINUTE;
      return new Date(due).toISOString();
    };
    const draft = async (data: object = {}, more: object = {}) => {
      const made = await server.app.documents(POST).create({ data: { title: 'One', ...data }, ...more });
      return (made as { documentId: string }).documentId;
    };
    const isPublished = async (documentId: string, locale = 'en') =>
      (await call('GET', `/posts/${documentId}?locale=${locale}`)).status === 200;
    const items = async (documentId: string) =>
      (await listItems(server.app.database, { targets: [documentId], most: 100 })).toSorted((a, b) => a.id - b.id);
    /** Moves the clock to the hour of the test, and waits until nothing of a document waits. */
    const atTheTime = async (documentId: string) => {
      clock.set(due);
      return until('its work is over', async () => {
        const all = await items(documentId);
        return all.every(({ state }) => state !== 'waiting') && all;
      });
    };
    const states = async (documentId: string) => (await atTheTime(documentId)).map(({ state }) => state);
    const mistakes = ({ body }: { body: Any }) => body.error.details.errors.map(({ path }: Any) => path.join('.'));

    it('publishes a document when its time has come, through the content API', async () => {
      const documentId = await draft();
      const at = new Date(NOW + 60 * MINUTE + 3_600_000).toISOString().replace('Z', '+01:00');
      nextHour();
      const { status, body } = await call('POST', `/posts/${documentId}/actions/schedule`, { action: 'publish', at });
      strictEqual(status, 201, JSON.stringify(body));
      const { id, createdAt, ...rest } = body.data;
      deepStrictEqual(rest, {
        ...{ contentType: POST, documentId, action: 'publish', locale: ['en'], at: new Date(due).toISOString() },
        ...{ state: 'waiting', endedAt: null, failure: null },
      });
      strictEqual(createdAt, new Date(NOW).toISOString());
      clock.set(due - 1);
      strictEqual(await isPublished(documentId), false);
      deepStrictEqual(await states(documentId), ['done']);
      strictEqual(await isPublished(documentId), true);
      const { data } = (await call('GET', `/posts/${documentId}/actions/schedule`)).body;
      deepStrictEqual(
        data.map((one: Any) => [one.id, one.state, one.endedAt]),
        [[id, 'done', new Date(due).toISOString()]],
      );
    });

    it('publishes the draft as it is when its time has come', async () => {
      const documentId = await draft();
      await call('POST', `/posts/${documentId}/actions/schedule`, { action: 'publish', at: nextHour() });
      await server.app.documents(POST).update({ documentId, data: { title: 'Two' } });
      await atTheTime(documentId);
      strictEqual((await call('GET', `/posts/${documentId}`)).body.data.title, 'Two');
    });

    it('publishes one locale, several, or all that exist at the time, and unpublishes', async () => {
      const [one, all] = [await draft(), await draft()];
      const at = nextHour();
      for (const documentId of [one, all])
        await server.app.documents(POST).update({ documentId, locale: 'fr', data: { title: 'Un' } });
      await call('POST', `/posts/${one}/actions/schedule`, { action: 'publish', at, locale: 'fr' });
      await call('POST', `/posts/${all}/actions/schedule`, { action: 'publish', at, locale: '*' });
      deepStrictEqual([await states(one), await states(all)], [['done'], ['done']]);
      const published = async (documentId: string) => [
        await isPublished(documentId),
        await isPublished(documentId, 'fr'),
      ];
      deepStrictEqual(
        [await published(one), await published(all)],
        [
          [false, true],
          [true, true],
        ],
      );
      const end = { action: 'unpublish', at: nextHour(), locale: ['en', 'fr'] };
      strictEqual((await call('POST', `/posts/${all}/actions/schedule`, end)).status, 201);
      deepStrictEqual(await states(all), ['done', 'done']);
      deepStrictEqual(await published(all), [false, false]);
    });

    it('publishes the document of a single type', async () => {
      await server.app.documents('api::page.page').create({ data: { title: 'Home' } });
      const body = { action: 'publish', at: nextHour() };
      const made = await call('POST', '/page/actions/schedule', body);
      deepStrictEqual([made.status, made.body.data.locale], [201, null]);
      await atTheTime(made.body.data.documentId);
      strictEqual((await call('GET', '/page')).body.data.title, 'Home');
      strictEqual((await call('GET', '/page/actions/schedule')).body.data.length, 1);
    });

    it('refuses what is wrong, with the paths of all mistakes', async () => {
      const path = `/posts/${await draft()}/actions/schedule`;
      const at = '2026-12-24T18:00:00Z';
      for (const [body, paths] of [
        [{}, ['action', 'at']],
        [{ action: 'delete', at: 'tomorrow', when: 1 }, ['when', 'action', 'at']],
        [{ action: 'publish', at: '2026-12-24T18:00:00' }, ['at']],
        [{ action: 'publish', at: '2027-02-29T18:00:00Z' }, ['at']],
        [{ action: 'publish', at: '2026-12-24T24:00:00Z' }, ['at']],
        [{ action: 'publish', at: new Date(NOW).toISOString() }, ['at']],
        [{ action: 'publish', at: '2036-12-24T18:00:00Z' }, ['at']],
        [{ action: 'publish', at: 5 }, ['at']],
      ] as const) {
        const refused = await call('POST', path, body);
        deepStrictEqual([refused.status, mistakes(refused)], [400, paths], JSON.stringify(body));
      }
      const refused = async (body: object, target = path, as = 'full') =>
        (await call('POST', target, { action: 'publish', at, ...body }, as)).status;
      strictEqual(await refused({ locale: 'xx' }), 400);
      strictEqual(await refused({ locale: 5 }), 400);
      strictEqual(await refused({ locale: 'fr' }), 404);
      strictEqual(await refused({}, '/posts/missing/actions/schedule'), 404);
      strictEqual(await refused({}, '/plains/missing/actions/schedule'), 404);
      strictEqual(await refused({}, path, 'read'), 403);
      strictEqual(await refused({ action: 'unpublish' }, path, 'publisher'), 403);
      strictEqual(await refused({}, path, 'publisher'), 201);
      strictEqual((await call('GET', path, undefined, 'read')).status, 403);
    });

    it('validates the draft when it is scheduled, and again when it is due', async () => {
      const documentId = await draft({ slug: 'mine' });
      await server.app.documents(POST).update({ documentId, data: { title: null } });
      const path = `/posts/${documentId}/actions/schedule`;
      const refused = await call('POST', path, { action: 'publish', at: nextHour() });
      deepStrictEqual([refused.status, mistakes(refused)], [400, ['title']]);
      deepStrictEqual(await items(documentId), []);
      await server.app.documents(POST).update({ documentId, data: { title: 'Good' } });
      strictEqual((await call('POST', path, { action: 'publish', at: nextHour() })).status, 201);
      strictEqual(await isPublished(documentId), false);
      await server.app.documents(POST).update({ documentId, data: { title: null } });
      deepStrictEqual(await states(documentId), ['failed']);
      strictEqual(await isPublished(documentId), false);
      const [{ failure }] = (await call('GET', path)).body.data;
      deepStrictEqual([failure.name, failure.errors.map(({ path: at }: Any) => at)], ['ValidationError', [['title']]]);
    });

    it('ends with a note if the document was deleted', async () => {
      const documentId = await draft();
      await call('POST', `/posts/${documentId}/actions/schedule`, { action: 'publish', at: nextHour() });
      await server.app.documents(POST).delete({ documentId });
      deepStrictEqual(await states(documentId), ['gone']);
    });

    it('cancels what waits, for callers who may perform the action', async () => {
      const documentId = await draft();
      const path = `/posts/${documentId}/actions/schedule`;
      const { id } = (await call('POST', path, { action: 'publish', at: nextHour() })).body.data;
      const cancel = async (as: string, of = path) => (await call('DELETE', `${of}/${id}`, undefined, as)).status;
      strictEqual(await cancel('read'), 403);
      strictEqual(await cancel('full', `/posts/${await draft()}/actions/schedule`), 404);
      strictEqual(await cancel('publisher'), 204);
      strictEqual(await cancel('publisher'), 400);
      deepStrictEqual(await states(documentId), ['cancelled']);
      strictEqual(await isPublished(documentId), false);
    });

    it('changes the time of what waits, for callers who may perform the action, and tries it again', async () => {
      const documentId = await draft();
      const path = `/posts/${documentId}/actions/schedule`;
      const { id } = (await call('POST', path, { action: 'publish', at: nextHour() })).body.data;
      const [first, at] = [due, nextHour()];
      const move = (body: object, as = 'full', of = path) => call('PUT', `${of}/${id}`, body, as);
      strictEqual((await move({ at }, 'read')).status, 403);
      strictEqual((await move({ at }, 'full', `/posts/${await draft()}/actions/schedule`)).status, 404);
      for (const [body, paths] of [
        [{}, ['at']],
        [{ at, action: 'unpublish' }, ['action']],
        [{ at: new Date(NOW).toISOString() }, ['at']],
      ] as const) {
        const refused = await move(body);
        deepStrictEqual([refused.status, mistakes(refused)], [400, paths]);
      }
      await server.app.documents(POST).update({ documentId, data: { title: null } });
      const invalid = await move({ at });
      deepStrictEqual([invalid.status, mistakes(invalid)], [400, ['title']]);
      await server.app.documents(POST).update({ documentId, data: { title: 'Good' } });
      const moved = await move({ at }, 'publisher');
      deepStrictEqual([moved.status, moved.body.data.id, moved.body.data.at], [200, id, at]);
      const other = await sue.send('PUT', `schedule/${id}`, { at });
      deepStrictEqual([other.status, breaches('PUT', `schedule/${id}`, 200, other.body)], [200, []]);
      deepStrictEqual([other.body.data.by.kind, other.body.data.label], ['administrator', 'Good']);
      clock.set(first);
      strictEqual(await isPublished(documentId), false);
      deepStrictEqual(await states(documentId), ['done']);
      strictEqual(await isPublished(documentId), true);
      strictEqual((await move({ at: nextHour() })).body.error.message, 'This is over already');
    });

    it('fails if the token was revoked or has lost the right', async () => {
      const [one, other] = [await draft(), await draft()];
      const body = { action: 'publish', at: nextHour() };
      strictEqual((await call('POST', `/posts/${one}/actions/schedule`, body, 'revoked')).status, 201);
      strictEqual((await call('POST', `/posts/${other}/actions/schedule`, body, 'stripped')).status, 201);
      const { database } = server.app;
      const tokens = await listTokens(database);
      const idOf = (name: string) => tokens.find((token) => token.name === name)!.id;
      await database.transaction(async (tx) => {
        await revokeToken(tx, idOf('revoked'));
        await tx.rows(`delete from galley_permissions where token_id = ${idOf('stripped')}`, []);
      });
      deepStrictEqual([await states(one), await states(other)], [['failed'], ['failed']]);
      const reasons = [...(await items(one)), ...(await items(other))].map(({ result }) => result?.['message']);
      deepStrictEqual(reasons, [
        'The token that scheduled this was revoked or has expired',
        'The caller that scheduled this may not publish documents of this type',
      ]);
      deepStrictEqual([await isPublished(one), await isPublished(other)], [false, false]);
    });

    it('publishes for an account of the site, unless it is blocked by then', async () => {
      const register = async (username: string): Promise<string> => {
        const body = { username, email: `${username}@example.com`, password: 'Secret123' };
        return (await server.request('POST', '/api/auth/local/register', { body })).body['jwt'];
      };
      const [ann, bob] = [await register('ann'), await register('bob')];
      const [one, other] = [await draft(), await draft()];
      const body = { action: 'publish', at: nextHour() };
      const schedule = async (documentId: string, token: string) =>
        (await server.request('POST', `/api/posts/${documentId}/actions/schedule`, { body, token })).status;
      deepStrictEqual([await schedule(one, ann), await schedule(other, bob)], [201, 201]);
      const blocked = engine.name === 'sqlite' ? 1 : 'true';
      await server.app.database.transaction(async (tx) => {
        await tx.rows(`update up_users set blocked = ${blocked} where username = 'bob'`, []);
      });
      deepStrictEqual([await states(one), await states(other)], [['done'], ['failed']]);
      strictEqual(
        (await items(other))[0]!.result?.['message'],
        'The account that scheduled this may not sign in any more',
      );
    });

    it('keeps to the rows and locales that an administrator may publish', async () => {
      const creator = ['admin::is-creator'];
      await makeRole(server, 'own-posts', [
        { operation: 'read', subject: POST, properties: EVERYTHING },
        { operation: 'publish', subject: POST, properties: { locales: ['fr'] }, conditions: creator },
      ]);
      const id = await makeAdministrator(server, 'una', 'own-posts');
      const una = await signedIn(server, 'una');
      const at = nextHour();
      const own = await draft({}, { locale: 'fr' });
      await server.app.database.transaction(async (tx) => {
        await tx.rows(`update posts set created_by_id = ${id} where document_id = '${own}'`, []);
      });
      const schedule = async (documentId: string, locale: string) =>
        (await una.send('POST', `content/${POST}/${documentId}/schedule`, { action: 'publish', at, locale })).status;
      strictEqual(await schedule(await draft({}, { locale: 'fr' }), 'fr'), 403);
      strictEqual(await schedule(own, 'en'), 404);
      strictEqual(await schedule(own, 'fr'), 201);
      deepStrictEqual(await states(own), ['done']);
      // what others have scheduled is cancelled and tried again by the same rule
      const foreign = await draft({}, { locale: 'fr' });
      const path = `content/${POST}/${foreign}/schedule`;
      const later = { action: 'publish', at: nextHour(), locale: 'fr' };
      const { id: item } = ((await sue.send('POST', path, later)).body as Any).data;
      strictEqual((await una.send('DELETE', `schedule/${item}`)).status, 403);
      await server.app.documents(POST).update({ documentId: foreign, locale: 'fr', data: { title: null } });
      deepStrictEqual(await states(foreign), ['failed']);
      strictEqual((await una.send('POST', `schedule/${item}/retry`)).status, 403);
      deepStrictEqual(await states(foreign), ['failed']);
      await server.app.database.transaction(async (tx) => {
        await tx.rows(`update posts set created_by_id = ${id} where document_id = '${foreign}'`, []);
      });
      strictEqual((await una.send('DELETE', `schedule/${item}`)).status, 204);
    });

    it('fails for an administrator who has to set up a second factor by then', async () => {
      await makeRole(server, 'guarded', [
        { operation: 'read', subject: POST, properties: EVERYTHING },
        { operation: 'publish', subject: POST, properties: { locales: ['en'] } },
      ]);
      await makeAdministrator(server, 'gus', 'guarded');
      const gus = await signedIn(server, 'gus');
      const documentId = await draft();
      const body = { action: 'publish', at: nextHour() };
      strictEqual((await gus.send('POST', `content/${POST}/${documentId}/schedule`, body)).status, 201);
      await server.app.database.transaction(async (tx) => {
        await tx.rows(
          `insert into galley_admin_required_factors (role_id)
          select id from admin_roles where code = 'guarded'`,
          [],
        );
      });
      deepStrictEqual(await states(documentId), ['failed']);
    });

    it('publishes for an administrator, whose rights are those of the time when it is due', async () => {
      const may = (fields: object = EVERYTHING) => [
        { operation: 'read', subject: POST, properties: fields },
        { operation: 'publish', subject: POST, properties: { locales: ['en', 'fr'] } },
      ];
      await makeRole(server, 'publisher', may() as never);
      const id = await makeAdministrator(server, 'max', 'publisher');
      const blocked = await makeAdministrator(server, 'bob', 'publisher');
      const [max, bob] = [await signedIn(server, 'max'), await signedIn(server, 'bob')];
      const at = nextHour();
      const [good, stopped] = [await draft(), await draft()];
      const schedule = (as: Browser, documentId: string) =>
        as.send('POST', `content/${POST}/${documentId}/schedule`, { action: 'publish', at });
      const made = await schedule(max, good);
      deepStrictEqual(
        [made.status, made.body.data.label, made.body.data.by],
        [201, 'One', { kind: 'administrator', id, name: 'max' }],
      );
      strictEqual((await schedule(bob, stopped)).status, 201);
      await server.app.database.transaction(async (tx) => {
        await tx.rows(
          `update admin_users set blocked = ${engine.name === 'sqlite' ? 1 : 'true'} where id = ${blocked}`,
          [],
        );
      });
      deepStrictEqual([await states(good), await states(stopped)], [['done'], ['failed']]);
      const later = await draft();
      nextHour();
      strictEqual(
        (
          await max.send('POST', `content/${POST}/${later}/schedule`, {
            action: 'publish',
            at: new Date(due).toISOString(),
          })
        ).status,
        201,
      );
      await server.app.database.transaction(async (tx) => {
        await tx.rows(
          `delete from admin_permissions where action like '%explorer.publish' and id in (select permission_id from admin_permissions_role_lnk l join admin_roles r on r.id = l.role_id where r.code = 'publisher')`,
          [],
        );
      });
      deepStrictEqual(await states(later), ['failed']);
      strictEqual(
        (await items(later))[0]!.result?.['message'],
        'The administrator who scheduled this may not publish documents of this type',
      );
      const tried = { action: 'publish', at: nextHour() };
      strictEqual((await max.send('POST', `content/${POST}/${later}/schedule`, tried)).status, 403);
      const failed = (await sue.get('schedule?state=failed&order=desc')).body.data;
      const [known] = failed.filter((one: Any) => one.documentId === later);
      deepStrictEqual([known.failure.reason, known.by.name], [{ code: 'actorForbidden' }, 'max']);
      strictEqual((await max.send('POST', `schedule/${known.id}/retry`)).status, 403);
      strictEqual((await sue.send('POST', `schedule/${known.id}/retry`)).status, 204);
      await until('it is done', async () => (await items(later))[0]!.state === 'done');
      strictEqual(await isPublished(later), true);
      strictEqual((await sue.send('POST', `schedule/${known.id}/retry`)).status, 400);
    });

    it('schedules several documents, and says which it refuses', async () => {
      const [one, other] = [await draft(), await draft()];
      await server.app.documents(POST).update({ documentId: other, data: { title: null } });
      const body = { documentIds: [one, other, 'missing'], action: 'publish', at: nextHour(), locale: 'en' };
      const { data } = (await sue.send('POST', `content/${POST}/bulk/schedule`, body)).body;
      deepStrictEqual(
        data.map(({ error }: Any) => error?.status ?? null),
        [null, 400, 404],
      );
      deepStrictEqual(await states(one), ['done']);
    });

    it('lists what is coming in pages, to administrators who may read it', async () => {
      const [one, other] = [await draft({ title: 'First' }), await draft({ title: 'Second' })];
      const at = nextHour();
      for (const documentId of [one, other])
        await sue.send('POST', `content/${POST}/${documentId}/schedule`, { action: 'publish', at });
      const to = new Date(due + 1).toISOString();
      const target = `schedule?from=${at}&to=${to}&pageSize=1`;
      const first = (await sue.get(target)).body;
      const second = (await sue.get(`${target}&after=${first.meta.next}`)).body;
      deepStrictEqual(
        [first.data, second.data].map(([item]: Any) => [item.label, item.at]),
        [
          ['First', at],
          ['Second', at],
        ],
      );
      strictEqual(second.meta.next, null);
      await makeRole(server, 'nobody', []);
      await makeAdministrator(server, 'nell', 'nobody');
      deepStrictEqual((await (await signedIn(server, 'nell')).get(target)).body.data, []);
      const wrong = await sue.get('schedule?from=x&state=y&after=z&pageSize=0&order=w');
      deepStrictEqual([wrong.status, mistakes(wrong)], [400, ['from', 'state', 'after', 'pageSize', 'order']]);
      strictEqual((await sue.send('DELETE', `schedule/${first.data[0].id}`)).status, 204);
      deepStrictEqual(await states(one), ['cancelled']);
      const ofDocument = (await sue.get(`content/${POST}/${other}/schedule`)).body.data;
      deepStrictEqual(
        ofDocument.map(({ state }: Any) => state),
        ['waiting'],
      );
    });

    it('lists what is planned for the documents of a list, by schedule and by releases', async () => {
      const [scheduled, released, free] = [await draft(), await draft({}, { locale: 'fr' }), await draft()];
      const at = nextHour();
      const body = { action: 'publish', at };
      strictEqual((await sue.send('POST', `content/${POST}/${scheduled}/schedule`, body)).status, 201);
      const name = `Spring ${hour}`;
      const { id } = ((await sue.send('POST', 'releases', { name })).body as Any).data;
      const actions = [{ type: 'publish', contentType: POST, documentId: released, locale: 'fr' }];
      strictEqual((await sue.send('POST', `releases/${id}/actions`, { actions })).status, 201);
      const planned = async (as: Browser, ids: readonly string[]) => {
        const query = new URLSearchParams(ids.map((documentId): [string, string] => ['documentId', documentId]));
        return as.send('GET', `planned/${POST}?${query}`) as Promise<Any>;
      };
      const own = { documentId: scheduled, action: 'publish', locale: ['en'], at, release: null };
      const held = { documentId: released, action: 'publish', locale: ['fr'], at: null, release: { id, name } };
      deepStrictEqual((await planned(sue, [released, free, scheduled])).body.data, [own, held]);
      deepStrictEqual((await planned(sue, [free])).body.data, []);
      strictEqual((await planned(sue, [])).status, 400);
      strictEqual((await planned(sue, [...Array(101).keys()].map(String))).status, 400);

      const permissions = [{ operation: 'read', subject: POST, properties: { ...EVERYTHING, locales: ['en'] } }];
      await makeRole(server, 'english', permissions as never);
      await makeAdministrator(server, 'emma', 'english');
      const emma = await signedIn(server, 'emma');
      deepStrictEqual((await planned(emma, [released, scheduled])).body.data, [own]);
      await makeRole(server, 'own-only', [{ ...permissions[0]!, conditions: ['admin::is-creator'] }] as never);
      await makeAdministrator(server, 'olga', 'own-only');
      deepStrictEqual((await planned(await signedIn(server, 'olga'), [scheduled])).body.data, []);

      // a row of Strapi without a locale means the default one, in which this document does not exist
      const unnamed = 'update "strapi_release_actions" set "locale" = null where "entry_document_id" in';
      const withoutLocale = (documentId: string) =>
        server.app.database.transaction(async (tx) => tx.rows(`${unnamed} ('${documentId}') returning "id"`, []));
      await withoutLocale(released);
      deepStrictEqual((await planned(sue, [released])).body.data, []);
      const more = [{ type: 'publish', contentType: POST, documentId: free, locale: 'en' }];
      strictEqual((await sue.send('POST', `releases/${id}/actions`, { actions: more })).status, 201);
      await withoutLocale(free);
      deepStrictEqual((await planned(sue, [free])).body.data, [{ ...held, documentId: free, locale: ['en'] }]);
      const [holding] = ((await sue.send('GET', `content/${POST}/${free}/releases`)).body as Any).data;
      const { data: listed } = (await sue.send('GET', `releases/${id}/actions`)).body as Any;
      deepStrictEqual([holding.action.locale, listed[1].locale, listed[1].document.state], ['en', 'en', 'draft']);
      await sue.send('DELETE', `releases/${id}`);
    });

    it('reports a failure to webhooks', async () => {
      const webhook = { name: 'w', url: `${receiver.url}/hook`, headers: {}, events: ['schedule.failed'] };
      await server.app.database.transaction((tx) => addWebhook(tx, webhook));
      const documentId = await draft();
      await sue.send('POST', `content/${POST}/${documentId}/schedule`, { action: 'publish', at: nextHour() });
      await server.app.documents(POST).update({ documentId, data: { title: null } });
      await atTheTime(documentId);
      const [{ body }] = (await until(
        'it has arrived',
        () => receiver.received.length > 0 && receiver.received,
      )) as Any;
      const { createdAt, ...rest } = body;
      match(createdAt, /^\d{4}/);
      deepStrictEqual(rest, {
        ...{ event: 'schedule.failed', uid: POST, documentId, locale: ['en'], action: 'publish' },
        ...{ at: new Date(due).toISOString(), failure: { name: 'ValidationError', message: rest.failure.message } },
      });
    });

    it('is listed, cancelled and done again by commands', async () => {
      const galley = async (...args: string[]) => {
        const lines: string[] = [];
        const print = (line: string) => void lines.push(line);
        const code = await runCommandLine(['schedule', ...args], { env: server.env, print, warn: print });
        return { code, text: lines.join('\n'), lines };
      };
      const { dir } = server.app.config;
      const documentId = await draft();
      await sue.send('POST', `content/${POST}/${documentId}/schedule`, { action: 'publish', at: nextHour() });
      await server.app.documents(POST).update({ documentId, data: { title: null } });
      await atTheTime(documentId);
      const { lines } = await galley('list', '--state', 'failed', '--json', dir);
      const item = lines.map((line) => JSON.parse(line)).find(({ target }) => target === documentId);
      deepStrictEqual([item.state, item.dueAt, item.by.name], ['failed', new Date(due).toISOString(), 'sue']);
      match((await galley('list', dir)).text, new RegExp(`${item.id} .* publish .*${documentId} en +failed`));
      await server.app.documents(POST).update({ documentId, data: { title: 'Good' } });
      const again = await galley('retry', String(item.id), dir);
      deepStrictEqual([again.code, again.text], [0, `item ${item.id} is done again`]);
      await until('it is published', () => isPublished(documentId));
      match((await galley('cancel', String(item.id), dir)).text, new RegExp(`item ${item.id} is done`));
      const waiting = await draft();
      await sue.send('POST', `content/${POST}/${waiting}/schedule`, { action: 'publish', at: nextHour() });
      const { id } = (await items(waiting))[0]!;
      strictEqual((await galley('cancel', String(id), dir)).text, `item ${id} is cancelled`);
      deepStrictEqual(await states(waiting), ['cancelled']);
      const planned = { name: `Autumn ${hour}`, scheduledAt: nextHour(), timezone: 'UTC' };
      const release = ((await sue.send('POST', 'releases', planned)).body as Any).data;
      const [run] = await listItems(server.app.database, { targets: [String(release.id)], most: 1 });
      strictEqual((await galley('cancel', String(run!.id), dir)).text, `item ${run!.id} is cancelled`);
      const { data } = (await sue.send('GET', `releases/${release.id}`)).body as Any;
      deepStrictEqual([data.scheduledAt, data.timezone], [null, null]);
      strictEqual((await galley('retry', '999999', dir)).code, 2);
      strictEqual((await galley('list', '--state', 'fail', dir)).code, 2);
    });

    it('records who has scheduled, cancelled and tried again, and what has failed', async () => {
      const documentId = await draft();
      await sue.send('POST', `content/${POST}/${documentId}/schedule`, { action: 'publish', at: nextHour() });
      await server.app.documents(POST).update({ documentId, data: { title: null } });
      const [item] = await atTheTime(documentId);
      await sue.send('POST', `schedule/${item!.id}/retry`);
      await until('it has failed again', async () => (await items(documentId))[0]!.state === 'failed');
      await sue.send('DELETE', `schedule/${item!.id}`);
      const rows = await server.app.database.rows(
        `select action, actor_name from galley_audit
          where subject_id = '${documentId}' and action like 'schedule.%' order by id`,
        [],
      );
      deepStrictEqual(
        rows.map(([action, name]) => [action, name]),
        ['create', 'fail', 'retry', 'fail', 'cancel'].map((verb) => [`schedule.${verb}`, 'sue']),
      );
    });

    it('limits what waits of one caller, so that others can schedule', async () => {
      const { database } = server.app;
      const full = (await listTokens(database)).find(({ name }) => name === 'full')!;
      const by = { kind: 'token', id: full.id, name: 'full', address: null } as const;
      const item = { kind: 'document', contentType: POST, subject: {}, dueAt: NOW * 2 };
      const many = Array.from({ length: 1999 }, (_, n) => ({ ...item, target: `many ${n}` }));
      await actingAs(by, () => database.transaction((tx) => addItems(tx, many, NOW)));
      const documentId = await draft();
      const body = { action: 'publish', at: nextHour() };
      const schedule = (as: string) => call('POST', `/posts/${documentId}/actions/schedule`, body, as);
      strictEqual((await schedule('full')).status, 201);
      const refused = await schedule('full');
      deepStrictEqual(
        [refused.status, (refused.body as Any).error.message],
        [400, 'At most 2000 actions can be scheduled by one caller'],
      );
      strictEqual((await schedule('publisher')).status, 201);
      await database.transaction(async (tx) => {
        await tx.rows(`delete from "galley_scheduled" where "target" like 'many %'`, []);
      });
      deepStrictEqual(await states(documentId), ['done', 'done']);
    });

    it('limits what waits about one document', async () => {
      const documentId = await draft();
      const at = nextHour();
      const statuses: number[] = [];
      for (let n = 0; n < 21; n++)
        statuses.push((await call('POST', `/posts/${documentId}/actions/schedule`, { action: 'publish', at })).status);
      deepStrictEqual(statuses, [...Array<number>(20).fill(201), 400]);
      ok((await states(documentId)).every((state) => state === 'done'));
    });
  });
}
