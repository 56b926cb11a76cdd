/** The log of actions: what is recorded and by whom, who may read it, and what it never contains. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { entriesOf, lastEntry } from '../../../src/audit/stored-entries.ts';
import { actingAs } from '../../../src/db/interface/account.ts';
import { ACTION_NAMES } from '../../../src/db/interface/action.ts';
import { codeActor } from '../../../src/db/interface/actor.ts';
import { Browser, makeAdministrator, makeRole, PASSWORD } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { until } from '../../support/wait.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Any = any;

const POST = 'api::post.post';
const TAG = 'api::tag.tag';
const AUDIT_READ = { operation: 'admin::audit-logs.read', subject: null, properties: {} } as const;

for (const engine of engines) {
  describe(`the log of actions on ${engine.name}`, () => {
    let server: RunningServer;
    let sue: Browser;
    let eva: Browser;
    let first = 0;

    before(async () => {
      const folder = await makeProject({
        contentTypes: {
          post: contentType(
            'post',
            {
              title: { type: 'string' },
              text: { type: 'text' },
              tags: { type: 'relation', relation: 'manyToMany', target: TAG },
              only: { type: 'relation', relation: 'oneToOne', target: TAG, inversedBy: 'onlyOf' },
            },
            { options: { draftAndPublish: true } },
          ),
          tag: contentType('tag', {
            name: { type: 'string' },
            onlyOf: { type: 'relation', relation: 'oneToOne', target: POST, mappedBy: 'only' },
          }),
        },
        files: { 'config/galley.json': '{ "audit": { "days": 30 } }' },
      });
      server = await serve(folder, await engine.databaseFor(folder));
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      await makeAdministrator(server, 'eva', 'strapi-editor');
      [sue, eva] = [new Browser(server), new Browser(server)];
      await sue.signIn('sue');
      await eva.signIn('eva');
    });
    after(() => server?.stop());
    beforeEach(async () => {
      first = await lastEntry(server.app.database);
    });

    const ask = async (method: string, target: string, body?: unknown, as = sue): Promise<Any> => {
      const answer = await as.send(method, target, body);
      deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const list = async (query = '', as = sue): Promise<Any[]> =>
      (await ask('GET', `audit?${query}`, undefined, as)).body.data;
    /** The stored entries since the test began, the oldest first. */
    const news = async (): Promise<Any[]> => {
      const page = { order: 'newest first', after: undefined, most: 50 } as const;
      return (await entriesOf(server.app.database, {}, page)).entries.filter(({ id }) => id > first).toReversed();
    };
    const actions = async () => (await news()).map(({ action }) => action);
    const documents = (uid: string) => server.app.documents(uid);

    it('names who changed which fields of which document when and from where, without the content', async () => {
      const made = await ask('POST', `content/${POST}`, { data: { title: 'a hidden word', text: 'more' } });
      const { documentId } = made.body.data;
      const [entry, ...others] = await news();
      deepStrictEqual(others, []);
      const { id, at, ...rest } = entry;
      ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
      deepStrictEqual(rest, {
        action: 'entry.create',
        actor: { kind: 'administrator', id: 1, name: 'sue' },
        address: '127.0.0.1',
        subject: { type: POST, id: documentId, name: null },
        details: { fields: ['title', 'text'] },
      });
      doesNotMatch(JSON.stringify(entry), /hidden word/);
    });

    it('has one entry for each action on a document, with the actions of the reference', async () => {
      const { documentId } = await documents(POST).create({ data: { title: 'a' }, status: 'published' });
      await documents(POST).update({ documentId, data: { text: 'b' } });
      await documents(POST).publish({ documentId });
      await documents(POST).update({ documentId, data: { text: 'c' } });
      await documents(POST).discardDraft({ documentId });
      await documents(POST).unpublish({ documentId });
      await documents(POST).delete({ documentId });
      deepStrictEqual(await actions(), [
        ...['entry.create', 'entry.publish', 'entry.update', 'entry.publish', 'entry.update'],
        ...['entry.draft-discard', 'entry.unpublish', 'entry.delete'],
      ]);
      deepStrictEqual([...new Set((await news()).map(({ subject }) => subject.id))], [documentId]);
    });

    it('tells documents that a write has changed through a link from those that it was about', async () => {
      const { documentId: tag } = await documents(TAG).create({ data: { name: 't' } });
      const one = await documents(POST).create({ data: { title: '1', only: tag } });
      first = await lastEntry(server.app.database);
      const two = await documents(POST).create({ data: { title: '2', only: tag } });
      const entries = (await news()).map(({ action, subject, details }) => [action, subject.id, details]);
      deepStrictEqual(entries, [
        ['entry.create', two.documentId, { fields: ['title', 'only'] }],
        ['entry.update', one.documentId, { indirect: true }],
      ]);
    });

    it('names stages, workflows, comments, releases and the trash', async () => {
      const [stageA, stageB] = ['A', 'B'].map((name) => ({ name, color: '#ffffff', from: [], to: [] }));
      const workflow = { name: 'Texts', stages: [stageA, stageB], required: null, types: [POST] };
      strictEqual((await ask('POST', 'workflows', workflow)).status, 201);
      const { documentId } = (await ask('POST', `content/${POST}`, { data: { title: 'a' } })).body.data;
      const path = `content/${POST}/${documentId}`;
      const { stages } = (await ask('GET', `review/${POST}`)).body.data;
      strictEqual((await ask('PUT', `${path}/stage`, { stage: stages[1].id })).status, 200);
      strictEqual((await ask('PUT', `${path}/assignee`, { administrator: 1 })).status, 200);
      const threads = (await ask('POST', `${path}/comments`, { body: 'a hidden word', field: 'title' })).body.data;
      const comment = threads[0].id;
      await ask('PUT', `${path}/comments/${comment}`, { resolved: true });
      await ask('DELETE', `${path}/comments/${comment}`);
      const release = (await ask('POST', 'releases', { name: 'Spring' })).body.data.id;
      await ask('POST', `releases/${release}/actions`, {
        actions: [{ type: 'publish', contentType: POST, documentId }],
      });
      await ask('PUT', `releases/${release}`, { name: 'Summer' });
      strictEqual((await ask('POST', `releases/${release}/run`)).status, 200);
      const remove = () => sue.send('DELETE', path, undefined, { 'if-match': '*' });
      strictEqual((await remove()).status, 204);
      const deletion = async () => (await ask('GET', `trash?documentId=${documentId}`)).body.data[0].id;
      strictEqual((await ask('POST', `trash/${await deletion()}/restore`, {})).status, 200);
      await remove();
      strictEqual((await ask('DELETE', `trash/${await deletion()}`)).status, 204);
      const all = await news();
      const id = all[0].subject.id;
      strictEqual((await ask('DELETE', `workflows/${id}`)).status, 200);
      const names = (await news()).map(({ action, subject, details }) => [action, subject.name ?? subject.id, details]);
      deepStrictEqual(
        names.filter(([action]) => !action.startsWith('entry.')),
        [
          ['workflow.create', 'Texts', { stages: ['A', 'B'], types: [POST] }],
          ['review.stage', documentId, { from: 'A', to: 'B' }],
          ['review.assign', documentId, { from: null, to: 1 }],
          ['comment.create', documentId, { comment, field: 'title' }],
          ['comment.update', documentId, { fields: ['resolved'], comment, field: 'title' }],
          ['comment.delete', documentId, { comment, field: 'title' }],
          ['release.create', 'Spring', {}],
          ['release.update', 'Spring', { fields: ['actions'], added: 1 }],
          ['release.update', 'Summer', { fields: ['name'] }],
          ['release.run', 'Summer', { documents: 1 }],
          ['trash.restore', documentId, {}],
          ['trash.delete', documentId, {}],
          ['workflow.delete', 'Texts', { stages: ['A', 'B'], types: [POST] }],
        ],
      );
      doesNotMatch(JSON.stringify(await news()), /hidden word/);
    });

    it('names project code and tokens as actors', async () => {
      await actingAs(codeActor('cron task tidy'), () => documents(TAG).create({ data: { name: 'c' } }));
      const token = { name: 'importer', description: '', type: 'full-access', lifespan: null, permissions: [] };
      const { secret } = (await ask('POST', 'tokens', token)).body.data;
      await server.request('POST', '/api/tags', { headers: { authorization: `Bearer ${secret}` }, body: { data: {} } });
      const entries = (await news()).map(({ action, actor, subject }) => [
        action,
        actor.kind,
        actor.name,
        subject.name,
      ]);
      deepStrictEqual(entries, [
        ['entry.create', 'code', 'cron task tidy', null],
        ['api-token.create', 'administrator', 'sue', 'importer'],
        ['entry.create', 'token', 'importer', null],
      ]);
      doesNotMatch(JSON.stringify(await news()), new RegExp(secret.slice(0, 20)));
    });

    it('records sign-ins, sign-outs and failures of administrators', async () => {
      const browser = new Browser(server);
      await browser.send('POST', 'session', { email: 'eva@example.com', password: 'Wrong123' });
      await until('the failure is recorded', async () => (await actions()).includes('admin.auth.error'));
      await browser.signIn('eva');
      await browser.send('DELETE', 'session');
      const entries = (await news()).map(({ action, actor, subject, details }) => [
        ...[action, actor.kind, actor.name, subject?.name, details.reasons ?? null],
      ]);
      deepStrictEqual(entries, [
        ['admin.auth.error', 'public', null, 'eva@example.com', ['credentials']],
        ['admin.auth.success', 'administrator', 'eva', 'eva@example.com', null],
        ['admin.logout', 'administrator', 'eva', 'eva@example.com', null],
      ]);
      doesNotMatch(JSON.stringify(await news()), /Wrong123|Secret123/);
    });

    it('records sign-ins and failures of site users', async () => {
      const user = { username: 'ute', email: 'ute@example.com', password: PASSWORD };
      strictEqual((await server.request('POST', '/api/auth/local/register', { body: user })).status, 200);
      const signIn = (password: string) =>
        server.request('POST', '/api/auth/local', { body: { identifier: 'ute@example.com', password } });
      await signIn('Wrong123');
      await until('the failure is recorded', async () => (await actions()).includes('site.auth.error'));
      await signIn(PASSWORD);
      const entries = (await news()).map(({ action, actor, subject }) => [action, actor.kind, subject?.name ?? null]);
      deepStrictEqual(entries, [
        ['entry.create', 'public', null],
        ['site.auth.error', 'public', 'ute'],
        ['site.auth.success', 'user', 'ute'],
      ]);
    });

    it('records people, roles, rights, webhooks, locales, folders and settings', async () => {
      const { id } = (
        await ask('POST', 'people', { email: 'new@example.com', firstname: 'N', lastname: '', roles: [2], mail: false })
      ).body.data;
      await ask('PUT', `people/${id}`, { roles: [3] });
      await ask('POST', `people/${id}/block`);
      await ask('DELETE', `people/${id}`);
      const role = (await ask('POST', 'roles', { name: 'Press', description: '' })).body.data.id;
      const permissions = [{ action: 'admin::webhooks.read', subject: null, permission: {} }];
      await ask('PUT', `roles/${role}`, { permissions });
      await ask('DELETE', `roles/${role}`);
      const hook = await ask('POST', 'webhooks', {
        name: 'site',
        url: 'https://example.com',
        events: ['entry.create'],
      });
      await ask('POST', `webhooks/${hook.body.data.id}/secret`);
      await ask('DELETE', `webhooks/${hook.body.data.id}`);
      await ask('POST', 'locales', { code: 'de', name: 'Deutsch', isDefault: false });
      const folder = (await ask('POST', 'folders', { name: 'Pictures', parent: null })).body.data.id;
      await ask('PUT', `folders/${folder}`, { name: 'Photos' });
      await ask('DELETE', `folders/${folder}`);
      await ask('PUT', 'site', { name: 'Our site' });
      const entries = (await news()).map(({ action, subject, details }) => [
        ...[action, subject.name ?? subject.id, details.fields ?? details.granted ?? null],
      ]);
      deepStrictEqual(entries, [
        ['user.create', 'new@example.com', null],
        ['user.invite', 'new@example.com', null],
        ['user.update', 'new@example.com', ['roles']],
        ['user.update', 'new@example.com', ['blocked']],
        ['user.delete', 'new@example.com', null],
        ['role.create', 'Press', null],
        ['permission.update', 'Press', ['admin::webhooks.read']],
        ['role.delete', 'Press', null],
        ['webhook.create', 'site', null],
        ['webhook.update', 'site', ['secret']],
        ['webhook.delete', 'site', null],
        ['locale.create', 'de', null],
        ['media-folder.create', 'Pictures', null],
        ['media-folder.update', 'Pictures', ['name']],
        ['media-folder.delete', 'Photos', null],
        ['settings.update', 'site', ['name']],
      ]);
    });

    it('has no entry of a write that is rolled back', async () => {
      await server.app.database
        .transaction(async (tx) => {
          tx.recordAction({ action: 'settings.update', type: 'settings', id: 'nothing' });
          throw new Error('not now');
        })
        .catch(() => undefined);
      deepStrictEqual(await actions(), []);
    });

    it('is read by administrators with its right, and exported by those with a second one', async () => {
      strictEqual((await ask('GET', 'audit', undefined, eva)).status, 403);
      strictEqual((await ask('GET', 'audit/filters', undefined, eva)).status, 403);
      await makeRole(server, 'auditor', [AUDIT_READ]);
      await makeAdministrator(server, 'ada', 'auditor');
      const ada = new Browser(server);
      await ada.signIn('ada');
      ok((await list('', ada)).length > 0);
      strictEqual((await ada.get('audit/export')).status, 403);
      strictEqual((await new Browser(server).get('audit')).status, 401);
    });

    it('names documents as they are named at present, for readers who may read them', async () => {
      const { documentId } = await documents(POST).create({ data: { title: 'Draft' } });
      await documents(POST).update({ documentId: String(documentId), data: { title: 'Final' } });
      await documents(TAG)
        .create({ data: { name: 'Gone' } })
        .then(({ documentId: gone }) => documents(TAG).delete({ documentId: String(gone) }));
      const named = async (reader: Browser) =>
        (await list('', reader)).slice(0, 4).map(({ action, subject }) => [action, subject.name]);
      deepStrictEqual(await named(sue), [
        ['entry.delete', null],
        ['entry.create', null],
        ['entry.update', 'Final'],
        ['entry.create', 'Final'],
      ]);
      const ada = new Browser(server);
      await ada.signIn('ada');
      const unnamed = (await list('', ada)).filter(({ subject }) => subject?.id === documentId);
      deepStrictEqual(
        unnamed.map(({ subject }) => subject.name),
        [null, null],
      );
    });

    it('cannot be changed by any route, and is no content', async () => {
      for (const method of ['POST', 'PUT', 'DELETE']) {
        ok([404, 405].includes((await sue.send(method, 'audit', {})).status));
        strictEqual((await sue.send(method, 'audit/1', {})).status, 404);
      }
      strictEqual((await server.request('GET', '/api/audit')).status, 404);
      strictEqual((await server.request('GET', '/api/galley-audit')).status, 404);
    });

    it('is filtered by person, type, action and time, and by all of them', async () => {
      await documents(TAG).create({ data: { name: 'x' } });
      await ask('POST', `content/${TAG}`, { data: { name: 'y' } });
      const of = async (query: string) => (await list(query)).map(({ id }) => id).filter((id) => id > first);
      const [byServer, bySue] = await of('action=entry.create').then((ids) => ids.reverse());
      deepStrictEqual(await of('actor=administrator 1'), [bySue]);
      deepStrictEqual(await of('actor=server'), [byServer]);
      deepStrictEqual(await of(`type=${TAG}&actor=administrator 1&action=entry.create`), [bySue]);
      deepStrictEqual(await of(`type=${TAG}&action=entry.delete`), []);
      const { at } = (await list()).find(({ id }) => id === bySue);
      const after = new Date(Date.parse(at) + 1).toISOString();
      deepStrictEqual(await of(`from=${at}&actor=administrator 1`), [bySue]);
      deepStrictEqual(await of(`from=${after}`), []);
      ok((await of(`to=${at}`)).includes(bySue));
      deepStrictEqual((await list(`to=2020-01-01T00:00:00Z`)).length, 0);
    });

    it('refuses parameters that have no meaning, with their names', async () => {
      for (const query of ['from=yesterday', 'to=', 'cursor=x', `actor=${'a'.repeat(301)}`, 'type[a]=b']) {
        const { status, body } = await ask('GET', `audit?${query}`);
        deepStrictEqual([status, body.error.details.errors[0].path], [400, [query.split(/[=[]/)[0]]]);
      }
    });

    it('refuses names that neither the server nor the log has, with the nearest one', async () => {
      for (const [query, path, hint] of [
        ['acction=entry.create', 'acction', ': did you mean action?'],
        ['action=entry.publich', 'action', ': did you mean entry.publish?'],
        ['action=nonsense', 'action', ''],
        ['type=api::pots.pots', 'type', `: did you mean ${POST}?`],
        ['actor=administrater 1', 'actor', ': did you mean administrator?'],
        ['actor=administrator sue', 'actor', ''],
      ] as const) {
        for (const target of [`audit?${query}`, `audit/export?${query}`]) {
          const { status, body } = await sue.send('GET', target);
          const [failure] = body.error.details.errors;
          deepStrictEqual([status, failure.path], [400, [path]], target);
          ok(
            failure.message.endsWith(hint) && failure.message.includes('did you mean') === (hint !== ''),
            failure.message,
          );
        }
      }
      strictEqual((await sue.send('GET', 'audit/export?cursor=1')).status, 400);
      for (const query of ['action=release.fail', 'type=plugin::upload.file', 'actor=command x', 'actor=token 77']) {
        deepStrictEqual(await list(query), [], query);
      }
      // a type that the project no longer has
      await server.app.database.transaction(async (tx) =>
        tx.recordAction({ action: 'entry.create', type: 'api::gone.gone', id: 'a' }),
      );
      strictEqual((await list('type=api::gone.gone')).length, 1);
    });

    it('documents the actions that the log can have', async () => {
      const page = await readFile(path.join(import.meta.dirname, '../../../docs/reference/audit.md'), 'utf8');
      const cells = page.split('## Actions')[1]!.matchAll(/^\| (`[^|]+) \|/gm);
      const names = [...cells].flatMap(([, cell]) => {
        const all = [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
        return all.map((name, n) => {
          const full = all.findLast((other, at) => at <= n && !other.startsWith('.'))!;
          return name.startsWith('.') ? `${full.slice(0, full.lastIndexOf('.'))}${name}` : name;
        });
      });
      const documented = names.filter((name) => !/^(audit\.|config)/.test(name));
      deepStrictEqual(documented.toSorted(), ACTION_NAMES.toSorted());
    });

    it('has pages from the newest entry to the oldest one', async () => {
      await server.app.database.transaction(async (tx) => {
        for (let n = 0; n < 120; n++) tx.recordAction({ action: 'job.run', type: null, id: String(n) });
      });
      const ids: number[] = [];
      let next = '';
      do {
        const { body } = await ask('GET', `audit?action=job.run${next && `&cursor=${next}`}`);
        ids.push(...body.data.map(({ id }: Any) => id));
        next = body.meta.next ?? '';
      } while (next !== '');
      strictEqual(ids.length, 120);
      deepStrictEqual(
        ids,
        ids.toSorted((a, b) => b - a),
      );
    });

    it('lists the values of its filters, with the latest names of people', async () => {
      const { data } = (await ask('GET', 'audit/filters')).body;
      strictEqual(data.days, 30);
      deepStrictEqual(
        data.actors.find(({ value }: Any) => value === 'administrator 1'),
        {
          value: 'administrator 1',
          name: 'sue',
        },
      );
      ok(data.types.includes(TAG) && data.actions.includes('entry.create'));
      deepStrictEqual(data.actions, [...new Set(data.actions)]);
    });

    it('is exported as lines of JSON, which is recorded', async () => {
      const answer = await sue.get(`audit/export?type=${TAG}`);
      match(answer.headers.get('content-type') ?? '', /^application\/x-ndjson/);
      const lines = answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      deepStrictEqual([...new Set(lines.map(({ subject }) => subject.type))], [TAG]);
      deepStrictEqual(
        lines,
        lines.toSorted((a, b) => a.id - b.id),
      );
      const [{ action, details }] = await news();
      deepStrictEqual([action, details], ['audit-log.export', { type: TAG }]);
    });
  });
}
