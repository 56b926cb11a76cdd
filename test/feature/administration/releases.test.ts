/** Releases in the administration: filled, examined and run as a whole, in the tables of the reference. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listItems } from '../../../src/schedule/items.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { POST, plannedContent, TAG } from '../../support/content/planned.ts';
import { engines } from '../../support/databases/databases.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const NOW = Date.parse('2026-12-01T12:00:00Z');

for (const engine of engines) {
  describe(`releases in the administration on ${engine.name}`, () => {
    const clock = new FakeClock(NOW);
    let server: SeededServer;
    let sue: Browser;
    let eva: Browser;
    let ned: Browser;

    before(async () => {
      const folder = await makeProject(plannedContent({ note: contentType('note', { text: { type: 'string' } }) }));
      server = await serveSeeded(engine, folder, undefined, {}, { clock });
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      const read = { subject: POST, properties: { fields: ['title'], locales: ['en'] } };
      await makeRole(server, 'planner', [
        { operation: 'read', ...read },
        ...(['read', 'create', 'create-action', 'publish'] as const).map((name) => ({
          ...{ operation: `plugin::content-releases.${name}` as const, subject: null, properties: {} },
        })),
      ]);
      await makeAdministrator(server, 'eva', 'planner');
      const tag = { subject: TAG, properties: { fields: ['name'] } };
      await makeRole(server, 'own', [
        { operation: 'read', ...tag },
        { operation: 'create', ...tag },
        { operation: 'publish', subject: TAG, properties: {}, conditions: ['admin::is-creator'] },
        { operation: 'read', ...read, conditions: ['admin::is-creator'] },
        { operation: 'publish', subject: POST, properties: { locales: ['en'] } },
        ...(['read', 'update', 'create-action'] as const).map((name) => ({
          ...{ operation: `plugin::content-releases.${name}` as const, subject: null, properties: {} },
        })),
      ]);
      await makeAdministrator(server, 'ned', 'own');
      [sue, eva, ned] = [new Browser(server), new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
      await ned.signIn('ned');
    });
    after(() => server?.stop());

    const ask = async (method: string, target: string, body?: unknown, as = sue): Promise<Any> => {
      const answer = await as.send(method, target, body);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    let names = 0;
    const make = async (name = `release ${names++}`): Promise<number> =>
      (await ask('POST', 'releases', { name })).body.data.id;
    const draft = async (uid: Any, data: object, locale?: string): Promise<string> => {
      const made = await (server.app.documents(uid) as Any).create({ data, locale, status: 'draft' });
      return made.documentId;
    };
    const one = (contentType: string, documentId: string, type = 'publish', locale: string | null = null) => {
      const isLocalized = contentType === POST;
      return { type, contentType, documentId, locale: locale ?? (isLocalized ? 'en' : null) };
    };
    const add = (id: number, ...actions: object[]) => ask('POST', `releases/${id}/actions`, { actions });
    const items = async (id: number): Promise<Any[]> => (await ask('GET', `releases/${id}/actions`)).body.data;
    const published = async (uid: Any, documentId: string) =>
      (await (server.app.documents(uid) as Any).findOne({ documentId, status: 'published' })) !== null;

    it('are created, renamed, listed and deleted, with names that differ', async () => {
      const made = await ask('POST', 'releases', { name: '  Spring  ' });
      strictEqual(made.status, 201);
      const { id, name, status, actionCount } = made.body.data;
      deepStrictEqual([name, status, actionCount], ['Spring', 'empty', 0]);
      const taken = await ask('POST', 'releases', { name: 'Spring' });
      deepStrictEqual(taken.body.error.details.errors[0].path, ['name']);
      const mistakes = await ask('POST', 'releases', {
        name: '',
        scheduledAt: '2001-01-01T00:00:00Z',
        timezone: 'Mars',
      });
      deepStrictEqual(
        mistakes.body.error.details.errors.map((error: Any) => error.path[0]),
        ['name', 'scheduledAt', 'timezone'],
      );
      strictEqual((await ask('PUT', `releases/${id}`, { name: 'Summer' })).body.data.name, 'Summer');
      ok((await ask('GET', 'releases')).body.data.some((release: Any) => release.name === 'Summer'));
      deepStrictEqual((await ask('GET', 'releases?state=done')).body.data, []);
      strictEqual((await ask('DELETE', `releases/${id}`)).status, 204);
      strictEqual((await ask('GET', `releases/${id}`)).status, 404);
    });

    it('hold documents of any types once, in an order that can change', async () => {
      const id = await make();
      const posts = [await draft(POST, { title: 'one' }), await draft(POST, { title: 'two' })];
      const tag = await draft(TAG, { name: 'red' });
      const actions = [one(POST, posts[0]!), one(TAG, tag), one(POST, posts[1]!)];
      deepStrictEqual((await add(id, ...actions)).body.data, { added: 3, present: 0 });
      deepStrictEqual((await add(id, one(TAG, tag, 'unpublish'))).body.data, { added: 0, present: 1 });
      const listed = await items(id);
      deepStrictEqual(
        listed.map(({ document, isValid }: Any) => [document.label, document.state, isValid]),
        [
          ['one', 'draft', true],
          ['red', 'draft', true],
          ['two', 'draft', true],
        ],
      );
      await ask('POST', `releases/${id}/order`, { ids: [listed[2].id], before: listed[0].id });
      deepStrictEqual(
        (await items(id)).map(({ document }: Any) => document.label),
        ['two', 'one', 'red'],
      );
      strictEqual((await ask('PUT', `releases/${id}/actions/${listed[1].id}`, { type: 'unpublish' })).status, 204);
      strictEqual((await ask('POST', `releases/${id}/remove`, { ids: [listed[0].id] })).status, 204);
      deepStrictEqual(
        (await items(id)).map(({ type, documentId }: Any) => [type, documentId]),
        [
          ['publish', posts[1]],
          ['unpublish', tag],
        ],
      );
      const holding = (await ask('GET', `content/${TAG}/${tag}/releases`)).body.data;
      deepStrictEqual(
        holding.map((release: Any) => release.id),
        [id],
      );
      strictEqual((await ask('POST', `releases/${id}/remove`, { ids: [999_999] })).status, 404);
    });

    it('refuse documents that do not exist, are hidden, or have no drafts', async () => {
      const id = await make();
      const note = await draft('api::note.note', { text: 'a' });
      const refused = await add(id, one(POST, 'nowhere'), one('api::note.note', note), one('api::no.no', 'x'));
      strictEqual(refused.status, 400);
      deepStrictEqual(
        refused.body.error.details.errors.map((error: Any) => error.path),
        [0, 1, 2].map((n) => ['actions', String(n)]),
      );
      const tag = await draft(TAG, { name: 'hidden' });
      strictEqual((await ask('POST', `releases/${id}/actions`, { actions: [one(TAG, tag)] }, eva)).status, 400);
    });

    it('run as a whole in one transaction', async () => {
      const id = await make();
      const tag = await draft(TAG, { name: 'linked' });
      const post = await draft(POST, { title: 'linking', tags: [tag] });
      const old = (await (server.app.documents(POST) as Any).create({ data: { title: 'old' }, status: 'published' }))
        .documentId;
      await add(id, one(POST, post), one(TAG, tag), one(POST, old, 'unpublish'));
      const run = await ask('POST', `releases/${id}/run`);
      strictEqual(run.status, 200);
      deepStrictEqual([run.body.data.status, run.body.data.releasedAt === null], ['done', false]);
      deepStrictEqual(
        [await published(POST, post), await published(TAG, tag), await published(POST, old)],
        [true, true, false],
      );
      const read = await (server.app.documents(POST) as Any).findOne({
        documentId: post,
        status: 'published',
        populate: 'tags',
      });
      deepStrictEqual(read.tags.length, 1);
      const again = await ask('POST', `releases/${id}/run`);
      strictEqual(again.status, 400);
      strictEqual((await add(id, one(TAG, tag))).status, 400);
      ok((await ask('GET', 'releases?state=done')).body.data.some((release: Any) => release.id === id));
    });

    it('change nothing if a document may not be published, and name all problems', async () => {
      const id = await make();
      const good = await draft(TAG, { name: 'good' });
      const bad = await draft(TAG, {});
      const worse = await draft(POST, { title: null });
      await add(id, one(TAG, good), one(TAG, bad), one(POST, worse));
      strictEqual((await ask('GET', `releases/${id}`)).body.data.status, 'blocked');
      const { problems, count } = (await ask('POST', `releases/${id}/validate`)).body.data;
      strictEqual(count, 2);
      deepStrictEqual(
        problems.map(({ action, errors }: Any) => [action.documentId, errors[0].path]),
        [
          [bad, ['name']],
          [worse, ['title']],
        ],
      );
      const run = await ask('POST', `releases/${id}/run`);
      strictEqual(run.status, 400);
      deepStrictEqual(
        run.body.error.details.documents.map(({ action }: Any) => action.documentId),
        [bad, worse],
      );
      strictEqual(await published(TAG, good), false);
      await (server.app.documents(TAG) as Any).update({ documentId: bad, data: { name: 'better' }, status: 'draft' });
      await (server.app.documents(POST) as Any).update({
        documentId: worse,
        data: { title: 'better' },
        status: 'draft',
      });
      strictEqual((await ask('POST', `releases/${id}/validate`)).body.data.count, 0);
      strictEqual((await ask('GET', `releases/${id}`)).body.data.status, 'ready');
      strictEqual((await ask('POST', `releases/${id}/run`)).status, 200);
    });

    it('run with the rights of the person who runs them', async () => {
      const id = await make();
      const post = await draft(POST, { title: 'foreign' });
      strictEqual((await ask('POST', `releases/${id}/actions`, { actions: [one(POST, post)] }, eva)).status, 201);
      const run = await ask('POST', `releases/${id}/run`, undefined, eva);
      strictEqual(run.status, 400);
      deepStrictEqual(
        run.body.error.details.documents.map(({ status }: Any) => status),
        [403],
      );
      strictEqual(await published(POST, post), false);
      strictEqual((await ask('PUT', `releases/${id}`, { name: 'mine' }, eva)).status, 403);
      strictEqual((await ask('DELETE', `releases/${id}`, undefined, eva)).status, 403);
    });

    it('name the unpublished documents to which their documents link', async () => {
      const id = await make();
      const [tag, inPart, other] = [
        await draft(TAG, { name: 'first' }),
        await draft(TAG, { name: 'second' }),
        await draft(TAG, { name: 'third' }),
      ];
      const post = await draft(POST, { title: 'linking', tags: [tag], parts: [{ about: inPart }] });
      await add(id, one(POST, post));
      const missing = async () => {
        const { data, meta } = (await ask('GET', `releases/${id}/missing`)).body;
        strictEqual(meta.count, data.length);
        return data.map(({ document }: Any) => document.label).sort();
      };
      deepStrictEqual(await missing(), ['first', 'second']);
      await add(id, one(TAG, inPart));
      deepStrictEqual(await missing(), ['first']);
      const back = await make();
      await add(back, one(TAG, tag), one(TAG, other));
      const { data } = (await ask('GET', `releases/${back}/missing`)).body;
      deepStrictEqual(
        data.map(({ document, locale }: Any) => [document.label, locale]),
        [['linking', 'en']],
      );
    });

    it('run at their time, whole or not at all, with the rights of those who plan them', async () => {
      let due = NOW;
      const plan = async (documents: readonly object[], as = sue): Promise<number> => {
        due += 60_000;
        const body = { name: `planned ${due}`, scheduledAt: new Date(due).toISOString(), timezone: 'Europe/Berlin' };
        const made = await ask('POST', 'releases', body, as);
        strictEqual(made.status, 201);
        await ask('POST', `releases/${made.body.data.id}/actions`, { actions: documents }, as);
        return made.body.data.id;
      };
      const read = async (id: number) => (await ask('GET', `releases/${id}`)).body.data;
      const ended = async (id: number) => {
        clock.set(due);
        return until('the release has ended', async () => {
          const { status } = await read(id);
          return (status === 'done' || status === 'failed') && status;
        });
      };
      const [first, second] = [await draft(TAG, { name: 'at noon' }), await draft(TAG, { name: 'later' })];
      const good = await plan([one(TAG, first), one(TAG, second)]);
      clock.set(due - 1);
      deepStrictEqual([await published(TAG, first), (await read(good)).status], [false, 'ready']);
      strictEqual(await ended(good), 'done');
      deepStrictEqual([await published(TAG, first), await published(TAG, second)], [true, true]);

      const [third, bad] = [await draft(TAG, { name: 'third' }), await draft(TAG, {})];
      strictEqual(await ended(await plan([one(TAG, third), one(TAG, bad)])), 'failed');
      strictEqual(await published(TAG, third), false);

      const failed = async () => (await ask('GET', 'schedule?state=failed')).body.data;
      const [item] = await failed();
      deepStrictEqual(
        [item.action, item.contentType, item.failure.name],
        ['run', 'plugin::content-releases.release', 'ValidationError'],
      );
      await (server.app.documents(TAG) as Any).update({ documentId: bad, data: { name: 'mended' }, status: 'draft' });
      strictEqual((await ask('POST', `schedule/${item.id}/retry`, undefined, eva)).status, 204);
      await until('eva has failed as well', async () =>
        (await failed()).some(({ by }: Any) => by.name.includes('eva')),
      );
      strictEqual((await ask('POST', `schedule/${item.id}/retry`)).status, 204);
      await until('the release has run again', () => published(TAG, bad));
      deepStrictEqual(await failed(), []);
      await (server.app.documents(TAG) as Any).unpublish({ documentId: third });

      const post = await draft(POST, { title: 'not of eva' });
      const ofEva = await plan([], eva);
      strictEqual((await add(ofEva, one(POST, post))).status, 201);
      strictEqual(await ended(ofEva), 'failed');
      strictEqual(await published(POST, post), false);

      // a failure is over once the release has run, is planned otherwise, or does not exist any more
      const states = async (id: number) =>
        (await listItems(server.app.database, { targets: [String(id)], most: 9 })).map(({ state }) => state);
      strictEqual((await ask('POST', `releases/${ofEva}/run`)).status, 200);
      deepStrictEqual([await failed(), await states(ofEva)], [[], ['cancelled']]);
      const [postponed, deleted] = [await plan([one(TAG, await draft(TAG, {}))]), await plan([])];
      strictEqual(await ended(postponed), 'failed');
      strictEqual(await ended(deleted), 'failed');
      // not by another name, and neither by other documents
      const { scheduledAt, timezone: zone } = await read(postponed);
      const renamed = { name: 'renamed', scheduledAt, timezone: zone };
      strictEqual((await ask('PUT', `releases/${postponed}`, renamed)).body.data.status, 'failed');
      await add(postponed, one(TAG, await draft(TAG, { name: 'added' })));
      strictEqual((await read(postponed)).status, 'failed');
      const [failure] = (await failed()).filter(({ documentId }: Any) => documentId === String(postponed));
      strictEqual((await ask('DELETE', `schedule/${failure.id}`)).status, 204);
      strictEqual((await read(postponed)).status, 'blocked');
      strictEqual((await ask('PUT', `releases/${postponed}`, { name: 'postponed' })).status, 200);
      strictEqual((await ask('DELETE', `releases/${deleted}`)).status, 204);
      deepStrictEqual(
        [await failed(), await states(postponed), await states(deleted)],
        [[], ['cancelled'], ['cancelled']],
      );

      // one that is planned anew runs at the new time only, and one that is planned no longer does not run
      const moved = await plan([one(TAG, third)]);
      const [early, { name, timezone }] = [due, await read(moved)];
      due += 60_000;
      await ask('PUT', `releases/${moved}`, { name, scheduledAt: new Date(due).toISOString(), timezone });
      clock.set(early);
      strictEqual(await published(TAG, third), false);
      await ask('PUT', `releases/${moved}`, { name });
      strictEqual((await read(moved)).scheduledAt, null);
      const coming = async () => (await ask('GET', 'schedule?state=waiting')).body.data;
      const cancelled = await plan([one(TAG, third)]);
      const [waiting] = await coming();
      deepStrictEqual([waiting.label, waiting.documentId], [(await read(cancelled)).name, String(cancelled)]);
      const at = new Date(due + 30_000).toISOString();
      const changed = await ask('PUT', `schedule/${waiting.id}`, { at });
      deepStrictEqual([changed.status, changed.body.data.at, changed.body.data.action], [200, at, 'run']);
      deepStrictEqual([(await read(cancelled)).scheduledAt, (await read(cancelled)).timezone], [at, 'Europe/Berlin']);
      strictEqual((await ask('DELETE', `schedule/${waiting.id}`)).status, 204);
      strictEqual((await ask('PUT', `schedule/${waiting.id}`, { at })).status, 400);
      deepStrictEqual([(await read(cancelled)).scheduledAt, await coming()], [null, []]);
      const last = await plan([one(TAG, await draft(TAG, { name: 'last' }))]);
      strictEqual(await ended(last), 'done');
      strictEqual(await published(TAG, third), false);
    });

    it('are planned for no time any more once they have run by hand or elsewhere, or were deleted elsewhere', async () => {
      const scheduledAt = new Date(NOW + 2 * 86_400_000).toISOString();
      const plan = async (): Promise<number> => {
        const body = { name: `planned ${names++}`, scheduledAt, timezone: 'UTC' };
        const { id } = (await ask('POST', 'releases', body)).body.data;
        await add(id, one(TAG, await draft(TAG, { name: 'early' })));
        return id;
      };
      const runsOf = (id: number) => listItems(server.app.database, { targets: [String(id)], most: 9 });
      const byHand = await plan();
      strictEqual((await ask('POST', `releases/${byHand}/run`)).status, 200);
      deepStrictEqual(
        (await runsOf(byHand)).map(({ state }) => state),
        ['cancelled'],
      );
      const [elsewhere, deleted] = [await plan(), await plan()];
      const changes = [
        `update "strapi_releases" set "released_at" = "created_at" where "id" = ${elsewhere} returning "id"`,
        `delete from "strapi_releases" where "id" = ${deleted} returning "id"`,
      ];
      for (const change of changes) await server.app.database.transaction(async (tx) => tx.rows(change, []));
      for (const id of [elsewhere, deleted]) {
        const [item] = await runsOf(id);
        strictEqual((await ask('DELETE', `schedule/${item!.id}`)).status, 204);
        strictEqual((await runsOf(id))[0]?.state, 'cancelled');
      }
      strictEqual((await ask('GET', `releases/${elsewhere}`)).body.data.scheduledAt, scheduledAt);
    });

    it('are planned at times with their offset, in the future', async () => {
      const plan = async (scheduledAt: unknown) => {
        const answer = await ask('POST', 'releases', {
          name: `at ${scheduledAt}`,
          scheduledAt,
          timezone: 'Asia/Tokyo',
        });
        return answer.body.data?.scheduledAt ?? answer.body.error.details.errors[0].reason.code;
      };
      strictEqual(await plan('2027-04-12T09:00+09:00'), '2027-04-12T00:00:00.000Z');
      for (const wrong of ['12/4/2027', '2027-04-12', '2027-04-12T09:00:00', '2027-02-30T09:00:00Z', 5]) {
        strictEqual(await plan(wrong), 'noMoment', String(wrong));
      }
      strictEqual(await plan('2026-11-30T09:00:00Z'), 'past');
      strictEqual(await plan('2099-11-30T09:00:00Z'), 'farFuture');
    });

    it('take only what one may publish oneself, once they are planned', async () => {
      const [name, scheduledAt] = ['of others', new Date(NOW + 86_400_000).toISOString()];
      const id = (await ask('POST', 'releases', { name, scheduledAt, timezone: 'UTC' })).body.data.id;
      const [foreign, own] = [
        await draft(TAG, { name: 'of sue' }),
        await ask('POST', `content/${TAG}`, { data: { name: 'of ned' } }, ned),
      ];
      const refused = await ask(
        'POST',
        `releases/${id}/actions`,
        { actions: [one(TAG, own.body.data.documentId), one(TAG, foreign)] },
        ned,
      );
      deepStrictEqual(
        [refused.status, refused.body.error.details],
        [403, { path: 'actions[1]', reason: { code: 'releasePlanned' } }],
      );
      deepStrictEqual(await items(id), []);
      const unpublished = { actions: [one(TAG, own.body.data.documentId, 'unpublish')] };
      strictEqual((await ask('POST', `releases/${id}/actions`, unpublished, ned)).status, 201);
      await add(id, one(TAG, foreign, 'unpublish'));
      const [first, second] = await items(id);
      const change = (action: number) => ask('PUT', `releases/${id}/actions/${action}`, { type: 'publish' }, ned);
      strictEqual((await change(first.id)).status, 204);
      strictEqual((await change(second.id)).status, 403);
      deepStrictEqual(
        (await items(id)).map(({ type }) => type),
        ['publish', 'unpublish'],
      );
      const unplanned = await make();
      strictEqual(
        (await ask('POST', `releases/${unplanned}/actions`, { actions: [one(TAG, foreign)] }, ned)).status,
        201,
      );
    });

    it('are not blocked by those who may not publish', async () => {
      const id = await make();
      const [good, bad] = [await draft(TAG, { name: 'good' }), await draft(TAG, {})];
      await add(id, one(TAG, good));
      const marks = async () => [
        (await ask('GET', `releases/${id}`)).body.data.status,
        ...(await items(id)).map(({ isValid }) => isValid),
      ];
      const count = async (as: Browser) => (await ask('POST', `releases/${id}/validate`, {}, as)).body.data.count;
      for (const other of [ned, eva]) strictEqual(await count(other), 1);
      deepStrictEqual(await marks(), ['ready', true]);
      await add(id, one(TAG, bad));
      for (const other of [ned, eva]) strictEqual(await count(other), 2);
      deepStrictEqual(await marks(), ['blocked', true, false]);
      await (server.app.documents(TAG) as Any).delete({ documentId: good });
      strictEqual(await count(ned), 2);
      deepStrictEqual(await marks(), ['blocked', false, false]);
      // hidden from ned, as if it did not exist
      const hidden = await make();
      await add(hidden, one(POST, await draft(POST, { title: 'hidden' })));
      strictEqual((await ask('POST', `releases/${hidden}/validate`, {}, ned)).body.data.problems[0].status, 404);
      deepStrictEqual(
        (await items(hidden)).map(({ isValid }) => isValid),
        [true],
      );
    });

    it('of five hundred documents run at once', async () => {
      const id = await make();
      const ids: string[] = [];
      for (let n = 0; n < 500; n++) ids.push(await draft(TAG, { name: `tag ${n}` }));
      await add(id, ...ids.map((tag) => one(TAG, tag)));
      strictEqual((await ask('GET', `releases/${id}`)).body.data.actionCount, 500);
      strictEqual((await ask('POST', `releases/${id}/run`)).status, 200);
      const total = (
        await server.app.database.rows(
          "select count(*) from tags where name like 'tag %' and published_at is not null",
          [],
        )
      )[0]![0];
      strictEqual(Number(total), 500);
      const tooMany = ids
        .concat(ids)
        .concat('x')
        .map((tag) => one(TAG, tag));
      match(JSON.stringify((await add(await make(), ...tooMany)).body), /at most 1000/);
    });
  });
}
