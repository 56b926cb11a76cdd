/** Stages of review, comments and workflows over the administration API, with the rights of roles. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addWebhook } from '../../../src/events/webhooks/webhook.ts';
import { type Mailbox, openMailbox, type ReceivedMail } from '../../support/accounts/accounts.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { breaches } from '../../support/browser/contract.ts';
import { engines } from '../../support/databases/databases.ts';
import { type Answer, contentType, makeProject, type RunningServer, serve } from '../../support/servers/project.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/wait.ts';

const POST = 'api::post.post';
const NOTE = 'api::note.note';
const drafts = { options: { draftAndPublish: true } };
const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  post: contentType(
    'post',
    {
      title: { type: 'string', ...localized },
      secret: { type: 'string', ...localized },
      seo: { type: 'component', component: 'shared.seo', ...localized },
    },
    {
      ...drafts,
      ...localized,
      reviewStages: {
        stages: [
          { name: 'To do', from: ['writers'], to: ['writers', 'editors'] },
          { name: 'Review', color: '#9736E8', from: ['editors'], to: ['writers'] },
          { name: 'Approved', color: '#328048', from: ['editors'], to: ['editors'] },
        ],
        requiredToPublish: 'Approved',
      },
    },
  ),
  note: contentType('note', { title: { type: 'string' } }, drafts),
};
const components = {
  'shared.seo': { collectionName: 'components_shared_seos', attributes: { text: { type: 'string' } } },
};

for (const engine of engines) {
  describe(`review over the administration API on ${engine.name}`, () => {
    let server: RunningServer;
    let mailbox: Mailbox;
    let receiver: Receiver;
    const people: Record<string, Browser> = {};
    const ids: Record<string, number> = {};

    before(async () => {
      mailbox = await openMailbox();
      receiver = await startReceiver();
      const folder = await makeProject({ contentTypes, components });
      const database = await engine.databaseFor(folder);
      const env = { SMTP_URL: mailbox.url, EMAIL_FROM: 'Galley <galley@example.com>' };
      server = await serve(folder, database, env, {}, async () => {});
      const whole = { fields: ['title', 'secret', 'seo'], locales: ['en'] };
      const read = { operation: 'read', subject: POST, properties: whole } as const;
      const publish = { operation: 'publish', subject: POST, properties: { locales: ['en'] } } as const;
      const update = { operation: 'update', subject: POST, properties: whole } as const;
      const create = { operation: 'create', subject: POST, properties: whole } as const;
      await makeRole(server, 'writers', [read, create, update, publish]);
      await makeRole(server, 'editors', [
        read,
        publish,
        { operation: 'admin::users.read', subject: null, properties: {} },
      ]);
      await makeRole(server, 'guests', [
        { operation: 'read', subject: POST, properties: { fields: ['title'], locales: ['en'] } },
      ]);
      await makeRole(server, 'others', [{ operation: 'read', subject: NOTE, properties: { fields: ['title'] } }]);
      for (const [name, role] of [
        ['sue', 'strapi-super-admin'],
        ['will', 'writers'],
        ['eva', 'editors'],
        ['emil', 'editors'],
        ['gus', 'guests'],
        ['olga', 'others'],
      ] as const) {
        ids[name] = await makeAdministrator(server, name, role);
      }
      // the roles of schema files are looked up once they exist
      await server.app.reload();
      for (const name of Object.keys(ids)) {
        people[name] = new Browser(server);
        await people[name].signIn(name);
      }
    });
    after(async () => {
      await server?.stop();
      await mailbox?.close();
      await receiver?.close();
    });

    /** Sends a request and compares the answer with the contract. */
    const send = async (name: string, method: string, path: string, body?: unknown): Promise<Answer> => {
      const answer = await people[name]!.send(method, path, body);
      deepStrictEqual(breaches(method, path.split('?')[0]!, answer.status, answer.body), []);
      return answer;
    };
    const created = async (name = 'will', title = 'one'): Promise<string> =>
      (await send(name, 'POST', `content/${POST}`, { data: { title } })).body.data.documentId;
    const stages = async (): Promise<Record<string, number>> => {
      const { body } = await send('sue', 'GET', `review/${POST}`);
      return Object.fromEntries(body.data.stages.map(({ name, id }: { name: string; id: number }) => [name, id]));
    };
    const move = async (name: string, documentId: string, stage: string, from?: string) => {
      const known = await stages();
      const body = { stage: known[stage], ...(from === undefined ? {} : { from: known[from] }) };
      return send(name, 'PUT', `content/${POST}/${documentId}/stage`, body);
    };
    /** The mail to a person about a document, which is then forgotten. */
    const nextMail = (name: string, title: string) =>
      until(`a mail to ${name} arrives`, () => {
        const isMeant = ({ to, text }: ReceivedMail) =>
          to.includes(`${name}@example.com`) && text.includes(`: ${title}`);
        const found = mailbox.mails.findIndex(isMeant);
        return found < 0 ? undefined : mailbox.mails.splice(found, 1)[0];
      });
    /** Recipients of further mails about a document. */
    const others = (title: string) =>
      mailbox.mails.filter(({ text }) => text.includes(`: ${title}`)).map(({ to }) => to[0]);

    it('shows the stages of a type, with the moves that the roles permit', async () => {
      const known = await stages();
      const movesOf = async (name: string) => {
        const { body } = await send(name, 'GET', `review/${POST}`);
        const names = new Map(Object.entries(known).map(([stage, id]) => [id, stage]));
        return Object.entries(body.data.moves as Record<string, number[]>).map(([id, to]) =>
          [names.get(Number(id)), ...to.map((one) => names.get(one))].join(' > '),
        );
      };
      deepStrictEqual(await movesOf('will'), ['To do > Review', 'Review', 'Approved']);
      deepStrictEqual(await movesOf('eva'), ['To do', 'Review > To do > Approved', 'Approved > To do']);
      deepStrictEqual(await movesOf('gus'), ['To do', 'Review', 'Approved']);
      strictEqual((await send('sue', 'GET', `review/${NOTE}`)).body.data, null);
      strictEqual((await send('olga', 'GET', `review/${POST}`)).status, 403);
      deepStrictEqual((await send('sue', 'GET', 'schema')).body.data.reviewed, [POST]);
    });

    it('moves a document where the roles permit it, and refuses other moves with a reason', async () => {
      const documentId = await created();
      const before = (await send('will', 'GET', `content/${POST}/${documentId}`)).body.data.draft.updatedAt;
      const refused = await move('will', documentId, 'Approved');
      strictEqual(refused.status, 403);
      deepStrictEqual(refused.body.error.details.reason, {
        code: 'transition',
        values: { from: 'To do', to: 'Approved' },
      });
      strictEqual((await move('gus', documentId, 'Review')).status, 403);
      strictEqual((await move('olga', documentId, 'Review')).status, 403);
      const { status, body } = await move('will', documentId, 'Review', 'To do');
      strictEqual(status, 200);
      strictEqual(body.data.stage, (await stages())['Review']);
      deepStrictEqual(body.data.choices, []);
      const late = await move('eva', documentId, 'Approved', 'To do');
      strictEqual(late.status, 412);
      deepStrictEqual(late.body.error.details.reason, { code: 'stageMoved', values: { stage: 'Review' } });
      strictEqual((await send('eva', 'PUT', `content/${POST}/${documentId}/stage`, { stage: 'x' })).status, 400);
      strictEqual((await send('eva', 'PUT', `content/${POST}/${documentId}/stage`, { stage: 999_999 })).status, 400);
      strictEqual((await send('eva', 'PUT', `content/${POST}/nothing/stage`, { stage: 1 })).status, 404);
      const after = (await send('will', 'GET', `content/${POST}/${documentId}`)).body.data.draft.updatedAt;
      strictEqual(after, before, 'the content has not changed');
    });

    it('publishes in the required stage only, and tells the app the stages', async () => {
      const documentId = await created();
      const refused = await send('eva', 'POST', `content/${POST}/${documentId}/publish`, {});
      strictEqual(refused.status, 400);
      deepStrictEqual(refused.body.error.details.reason?.code, 'stage');
      await move('will', documentId, 'Review');
      await move('eva', documentId, 'Approved');
      const document = await people['eva']!.get(`content/${POST}/${documentId}`);
      const published = await people['eva']!.send(
        'POST',
        `content/${POST}/${documentId}/publish`,
        {},
        {
          'if-match': document.headers.get('etag')!,
        },
      );
      strictEqual(published.status, 200, published.text);
      const bulk = await send('eva', 'POST', `content/${POST}/bulk/publish`, { documentIds: [await created()] });
      deepStrictEqual(bulk.body.data[0].error.reason.code, 'stage');
    });

    it('refuses to schedule a publication in another stage than the required one', async () => {
      const documentId = await created();
      const at = new Date(Date.now() + 3_600_000).toISOString();
      const path = `content/${POST}/${documentId}/schedule`;
      const refused = await people['eva']!.send('POST', path, { action: 'publish', at, locale: 'en' });
      deepStrictEqual([refused.status, refused.body.error?.details.reason?.code], [400, 'stage']);
      await move('will', documentId, 'Review');
      await move('eva', documentId, 'Approved');
      const scheduled = await people['eva']!.send('POST', path, { action: 'publish', at, locale: 'en' });
      strictEqual(scheduled.status, 201, scheduled.text);
    });

    it('puts a person in charge who may read the document, and mails it', async () => {
      const documentId = await created('will', 'For Gus');
      const path = `content/${POST}/${documentId}/assignee`;
      strictEqual((await send('will', 'PUT', path, { administrator: ids['gus'] })).status, 403, 'without users.read');
      strictEqual((await send('eva', 'PUT', path, { administrator: ids['gus'] })).status, 403, 'not from this stage');
      await move('will', documentId, 'Review');
      const unreadable = await send('eva', 'PUT', path, { administrator: ids['olga'] });
      strictEqual(unreadable.status, 400);
      deepStrictEqual(unreadable.body.error.details.errors[0].path, ['administrator']);
      strictEqual((await send('eva', 'PUT', path, { administrator: 'x' })).status, 400);
      const { status, body } = await send('eva', 'PUT', path, { administrator: ids['gus'] });
      strictEqual(status, 200);
      deepStrictEqual(body.data.assignee, { id: ids['gus'], name: 'gus' });
      const mail = await nextMail('gus', 'For Gus');
      match(mail.text, /Subject: Assigned to you: For Gus/);
      match(mail.text, new RegExp(`/admin/content/${POST}/${documentId}`));
      const none = await send('eva', 'PUT', path, { administrator: null });
      strictEqual(none.body.data.assignee, null);
    });

    it('mails those whose turn it is, each once, and not the one who moved it', async () => {
      const documentId = await created('will', 'Turn');
      await move('will', documentId, 'Review');
      const mails = [await nextMail('eva', 'Turn'), await nextMail('emil', 'Turn')];
      for (const { text } of mails) match(text, /will has moved "Turn" to the stage "Review"\. It is your turn\./);
      await move('eva', documentId, 'To do');
      match((await nextMail('will', 'Turn')).text, /Subject: To do: Turn/);
      deepStrictEqual(others('Turn'), []);
    });

    it('sends events of moves and assignments to webhooks', async () => {
      const events = ['review-workflows.updateEntryStage', 'review-workflows.updateEntryAssignee'];
      await server.app.database.transaction((tx) =>
        addWebhook(tx, { name: 'review', url: receiver.url, headers: {}, events }),
      );
      const documentId = await created();
      await move('will', documentId, 'Review');
      const known = await stages();
      const { body } = await until('the event arrives', () =>
        receiver.received.find((one) => one.body['event'] === events[0]),
      );
      deepStrictEqual(
        {
          ...body,
          createdAt: undefined,
          entity: { ...(body['entity'] as object), id: 1 },
          workflow: (body['workflow'] as { stages: unknown }).stages,
        },
        {
          event: events[0],
          createdAt: undefined,
          model: 'post',
          uid: POST,
          entity: { id: 1, documentId, locale: 'en', status: 'draft' },
          workflow: { from: { id: known['To do'], name: 'To do' }, to: { id: known['Review'], name: 'Review' } },
        },
      );
    });

    it('lists the board by stage in pages, with counts, of visible documents', async () => {
      const known = await stages();
      const all = await Promise.all(Array.from({ length: 30 }, (_, n) => created('sue', `card ${n}`)));
      const ours = new Set(all);
      const pages: string[] = [];
      let cursor = '';
      for (let n = 0; n < 9; n++) {
        const { body } = await send('sue', 'GET', `review/${POST}/board?stage=${known['To do']}&cursor=${cursor}`);
        pages.push(...body.data.map((card: { documentId: string }) => card.documentId));
        if (body.meta.next === null) break;
        cursor = body.meta.next;
      }
      strictEqual(new Set(pages).size, pages.length, 'no document twice');
      strictEqual(pages.filter((id) => ours.has(id)).length, 30);
      const { body: counts } = await send('sue', 'GET', `review/${POST}/counts`);
      strictEqual(counts.data[String(known['To do'])], pages.length);
      const first = (await send('sue', 'GET', `review/${POST}/board?stage=${known['To do']}`)).body.data[0];
      match(first.label, /^card /);
      strictEqual(first.state, 'draft');
      strictEqual((await send('sue', 'GET', `review/${POST}/board?stage=0`)).status, 400);
      strictEqual((await send('sue', 'GET', `review/${POST}/board?stage=${known['To do']}&cursor=x`)).status, 400);
      strictEqual((await send('sue', 'GET', `review/${POST}/board?stage=1&locale=xx`)).status, 400);
      strictEqual((await send('sue', 'GET', `review/${NOTE}/board?stage=1`)).status, 404);
      strictEqual((await send('olga', 'GET', `review/${POST}/counts`)).status, 403);
      const mine = await send('eva', 'GET', `review/${POST}/counts?assignee=me`);
      deepStrictEqual(Object.values(mine.body.data), [0, 0, 0]);
      await makeRole(server, 'owners', [
        {
          operation: 'read',
          subject: POST,
          properties: { fields: ['title'], locales: ['en'] },
          conditions: ['admin::is-creator'],
        },
      ]);
      ids['otto'] = await makeAdministrator(server, 'otto', 'owners');
      people['otto'] = new Browser(server);
      await people['otto'].signIn('otto');
      deepStrictEqual((await send('otto', 'GET', `review/${POST}/board?stage=${known['To do']}`)).body.data, []);
      deepStrictEqual(Object.values((await send('otto', 'GET', `review/${POST}/counts`)).body.data), [0, 0, 0]);
    });

    it('has comments on documents and fields with answers, for those who read both', async () => {
      const documentId = await created('will', 'Comments');
      const path = `content/${POST}/${documentId}/comments`;
      const add = (name: string, body: object) => send(name, 'POST', path, body);
      strictEqual((await add('will', { body: 'On the document' })).status, 201);
      const { body } = await add('will', { body: 'On a secret', field: 'secret' });
      const [general, secret] = body.data;
      deepStrictEqual([general.field, secret.field], [null, 'secret']);
      strictEqual((await add('will', { body: 'In a component', field: 'seo.text' })).status, 201);
      // a hidden field is answered as one that does not exist
      for (const [name, field, hint] of [
        ['gus', 'secret', ''],
        ['will', 'nothing', ''],
        ['will', 'titel', ': did you mean title?'],
        ['will', 'seo.txet', ': did you mean text?'],
        ['will', 'title.text', ''],
      ] as const) {
        const refused = await add(name, { body: 'x', field });
        const [{ path: at, message }] = refused.body.error.details.errors;
        deepStrictEqual([refused.status, at], [400, ['field']], field);
        strictEqual(message, `field must be the path of an attribute${hint}`);
      }
      const misspelt = await add('will', { body: 'x', feild: 'title' });
      deepStrictEqual([misspelt.status, misspelt.body.error.details.errors[0].path], [400, ['feild']]);
      const seen = (await send('gus', 'GET', path)).body.data;
      deepStrictEqual(
        seen.map((thread: { body: string }) => thread.body),
        ['On the document'],
      );
      strictEqual((await send('gus', 'PUT', `${path}/${secret.id}`, { resolved: true })).status, 404);
      await add('gus', { body: 'An answer', thread: general.id });
      strictEqual(
        (await send('will', 'PUT', `${path}/${general.id}`, { resolved: true })).body.data[0].resolvedBy.name,
        'will',
      );
      const reopened = await add('gus', { body: 'Not yet', thread: general.id });
      strictEqual(reopened.body.data[0].resolvedAt, null, 'an answer opens it again');
      strictEqual(reopened.body.data[0].replies.length, 2);
      strictEqual((await send('gus', 'PUT', `${path}/${general.id}`, { body: 'Mine?' })).status, 403);
      strictEqual(
        (await send('will', 'PUT', `${path}/${general.id}`, { body: 'Changed' })).body.data[0].body,
        'Changed',
      );
      strictEqual((await send('gus', 'DELETE', `${path}/${general.id}`)).status, 403);
      strictEqual((await send('olga', 'GET', path)).status, 403);
      for (const wrong of [
        {},
        { body: ' ' },
        { body: 'x'.repeat(5001) },
        { body: 'x', mentions: 1 },
        { body: 'x', thread: 'x' },
      ]) {
        strictEqual((await add('will', wrong)).status, 400, JSON.stringify(wrong));
      }
      const board = await send('sue', 'GET', `review/${POST}/board?stage=${(await stages())['To do']}`);
      const card = board.body.data.find((one: { documentId: string }) => one.documentId === documentId);
      strictEqual(card.openComments, 3);
      strictEqual((await send('sue', 'DELETE', `${path}/${general.id}`)).body.data.length, 2);
    });

    it('mails people who are mentioned, and refuses to mention those who may not read the document', async () => {
      const documentId = await created('will', 'Mentions');
      const path = `content/${POST}/${documentId}/comments`;
      const refused = await send('will', 'POST', path, { body: '@olga', mentions: [ids['olga'], 999] });
      strictEqual(refused.status, 400);
      deepStrictEqual(
        refused.body.error.details.errors.map((one: { path: string[] }) => one.path),
        [
          ['mentions', '0'],
          ['mentions', '1'],
        ],
      );
      const onSecret = await send('will', 'POST', path, { body: '@gus', field: 'secret', mentions: [ids['gus']] });
      strictEqual(onSecret.status, 400, 'who may not read the field');
      const { body } = await send('will', 'POST', path, {
        body: 'Please look, gus',
        mentions: [ids['gus'], ids['will']],
      });
      deepStrictEqual(
        body.data[0].mentions.map(({ name }: { name: string }) => name),
        ['gus', 'will'],
      );
      match((await nextMail('gus', 'Mentions')).text, /Please look, gus/);
      deepStrictEqual(others('Mentions'), []);
      const offered = await send('will', 'GET', `content/${POST}/${documentId}/people?q=G`);
      deepStrictEqual(offered.body.data, [{ id: ids['gus'], name: 'gus' }]);
    });

    it('lists mentions in open threads until they are answered, resolved or read, or the document is hidden', async () => {
      const documentId = await created('sue', 'Tides');
      const path = `content/${POST}/${documentId}/comments`;
      const mention = async (body: string, name: string, more: object = {}) => {
        const mentions = [ids[name], ids['eva']];
        const { body: threads } = await send('sue', 'POST', path, { body, mentions, ...more });
        return threads.data.at(-1).id as number;
      };
      const shown = async (name: string): Promise<readonly string[]> => {
        const { body } = await send(name, 'GET', 'me/mentions');
        const own = body.data.filter((one: { documentId: string }) => one.documentId === documentId);
        return own.map(({ body: text }: { body: string }) => text);
      };
      const first = await mention('One', 'emil');
      const second = await mention('Two', 'emil', { field: 'title' });
      const third = await mention('Three', 'emil', { field: 'secret' });
      deepStrictEqual(await shown('emil'), ['Three', 'Two', 'One']);
      deepStrictEqual(await shown('will'), []);
      const latestOf = async (name: string) => (await send(name, 'GET', 'me/mentions')).body.data[0];
      const latest = await latestOf('eva');
      deepStrictEqual(
        [latest.id, latest.contentType, latest.label, latest.field, latest.locale, latest.author.name],
        [third, POST, 'Tides', 'secret', 'en', 'sue'],
      );
      strictEqual((await send('emil', 'POST', path, { body: 'Yes', thread: second })).status, 201);
      strictEqual((await send('sue', 'PUT', `${path}/${first}`, { resolved: true })).status, 200);
      deepStrictEqual(await shown('emil'), ['Three']);
      deepStrictEqual(await shown('eva'), ['Three', 'Two']);
      strictEqual((await send('eva', 'PUT', 'me/mentions', { read: latest.changedAt })).status, 204);
      deepStrictEqual([await shown('eva'), await shown('emil')], [[], ['Three']]);
      // an edited comment is new: for a person who read it, and for one who answered
      const edited = { body: 'Two again', mentions: [ids['eva'], ids['emil']] };
      strictEqual((await send('sue', 'PUT', `${path}/${second}`, edited)).status, 200);
      deepStrictEqual(await shown('eva'), ['Two again']);
      deepStrictEqual(await shown('emil'), ['Two again', 'Three']);
      strictEqual((await send('emil', 'POST', path, { body: 'Again', thread: second })).status, 201);
      deepStrictEqual(await shown('emil'), ['Three']);
      for (const wrong of [{ read: 1 }, { read: 'x' }, {}, { read: latest.changedAt, raed: 1 }]) {
        strictEqual((await send('eva', 'PUT', 'me/mentions', wrong)).status, 400, JSON.stringify(wrong));
      }
      // a time in the future counts as now
      strictEqual((await send('eva', 'PUT', 'me/mentions', { read: '9999-01-01T00:00:00.000Z' })).status, 204);
      deepStrictEqual(await shown('eva'), []);
      strictEqual((await send('sue', 'PUT', `${path}/${second}`, { ...edited, body: 'Two' })).status, 200);
      deepStrictEqual(await shown('eva'), ['Two']);
      await server.app.database.transaction(async (tx) => {
        await tx.rows(
          `update galley_comments set mentions = '[${ids['gus']},${ids['olga']}]' where id >= ${first} and mentions <> '[]'`,
          [],
        );
      });
      deepStrictEqual(
        [await shown('gus'), await shown('olga')],
        [['Two'], []],
        'not on fields and types that are hidden',
      );
      strictEqual((await send('sue', 'DELETE', `content/${POST}/${documentId}`)).status, 204);
      deepStrictEqual(await shown('gus'), []);
    });

    it('lists the mentions that are shown, however many are on fields and documents that are hidden', async () => {
      const documentId = await created('sue', 'Hidden mentions');
      const path = `content/${POST}/${documentId}/comments`;
      const mentions = [ids['gus']];
      strictEqual((await send('sue', 'POST', path, { body: 'Shown', mentions })).status, 201);
      const insert = `insert into galley_comments
        (content_type, document_id, locale, field, body, mentions, author_id, author_name, created_at)
        select s.content_type, s.document_id, s.locale, 'secret', s.body, s.mentions, s.author_id, s.author_name, s.created_at + 1
        from galley_comments s where s.document_id = '${documentId}'`;
      await server.app.database.transaction(async (tx) => {
        // 63 hidden ones, which are newer
        for (let times = 0; times < 6; times += 1) await tx.rows(insert, []);
      });
      const [first] = (await send('gus', 'GET', 'me/mentions')).body.data;
      deepStrictEqual([first.documentId, first.body], [documentId, 'Shown']);
    });

    it('names people however many administrators there are between them', async () => {
      const { database } = server.app;
      const numbers =
        engine.name === 'sqlite'
          ? '(with recursive s(n) as (select 1 union all select n + 1 from s where n < 1000) select n from s)'
          : '(select generate_series(1, 1000) as n)';
      await database.transaction(async (tx) => {
        const insert = `insert into admin_users (email, firstname) select 'between' || s.n, 'between' from ${numbers} s`;
        await tx.rows(insert, []);
      });
      const late = await makeAdministrator(server, 'late', 'editors');
      const documentId = await created('will', 'Many people');
      const mentions = [ids['gus'], late];
      const { body } = await send('will', 'POST', `content/${POST}/${documentId}/comments`, { body: 'Both', mentions });
      deepStrictEqual(
        body.data[0].mentions.map(({ name }: { name: string }) => name),
        ['gus', 'late'],
      );
      await database.transaction(async (tx) => {
        await tx.rows(`delete from admin_users where firstname = 'between'`, []);
      });
    });

    it('deletes comments with their version for good, keeps them when it is published, and copies none', async () => {
      const documentId = await created('sue', 'Kept');
      const path = `content/${POST}/${documentId}/comments`;
      await send('sue', 'POST', path, { body: 'Stays' });
      await send('sue', 'PUT', `content/${POST}/${documentId}/stage`, { stage: (await stages())['Approved'] });
      const tag = (await people['sue']!.get(`content/${POST}/${documentId}`)).headers.get('etag')!;
      await people['sue']!.send('POST', `content/${POST}/${documentId}/publish`, {}, { 'if-match': tag });
      strictEqual((await send('sue', 'GET', path)).body.data.length, 1);
      const copy = (await send('sue', 'POST', `content/${POST}/${documentId}/duplicate`, {})).body.data.documentId;
      deepStrictEqual((await send('sue', 'GET', `content/${POST}/${copy}/comments`)).body.data, []);
      const last = (await people['sue']!.get(`content/${POST}/${documentId}`)).headers.get('etag')!;
      strictEqual(
        (await people['sue']!.send('DELETE', `content/${POST}/${documentId}`, undefined, { 'if-match': last })).status,
        204,
      );
      const stored = async (): Promise<number> => {
        const text = `select count(*) from galley_comments where document_id = '${documentId}'`;
        return Number((await server.app.database.rows(text, []))[0]![0]);
      };
      strictEqual(await stored(), 1, 'in the trash');
      strictEqual((await send('sue', 'GET', path)).status, 404);
      const [entry] = (await send('sue', 'GET', `trash?documentId=${documentId}`)).body.data;
      strictEqual((await send('sue', 'DELETE', `trash/${entry.id}`)).status, 204);
      strictEqual(await stored(), 0);
    });

    it('restores a published document from the trash in its stage, with its person and its comments', async () => {
      const documentId = await created('sue', 'Restored');
      const target = `content/${POST}/${documentId}`;
      await send('sue', 'POST', `${target}/comments`, { body: 'Returns' });
      await send('sue', 'PUT', `${target}/stage`, { stage: (await stages())['Approved'] });
      await send('sue', 'PUT', `${target}/assignee`, { administrator: ids['eva'] });
      const any = { 'if-match': '*' };
      strictEqual((await people['sue']!.send('POST', `${target}/publish`, {}, any)).status, 200);
      // published documents may move on
      await send('sue', 'PUT', `${target}/stage`, { stage: (await stages())['Review'] });
      strictEqual((await people['sue']!.send('DELETE', target, undefined, any)).status, 204);
      const [entry] = (await send('sue', 'GET', `trash?documentId=${documentId}`)).body.data;
      deepStrictEqual((await send('sue', 'GET', `trash/${entry.id}`)).body.data.losses, []);
      const restored = await send('sue', 'POST', `trash/${entry.id}/restore`, {});
      deepStrictEqual([restored.status, restored.body.data.losses], [200, []], restored.text);
      const comments = (await send('sue', 'GET', `${target}/comments`)).body.data;
      deepStrictEqual(
        comments.map(({ body }: { body: string }) => body),
        ['Returns'],
      );
      const { stage, assignee } = (await send('sue', 'GET', `${target}/review`)).body.data;
      deepStrictEqual([stage, assignee.id], [(await stages())['Review'], ids['eva']]);
      const { published } = (await send('sue', 'GET', target)).body.data;
      strictEqual(published.title, 'Restored');
    });

    it('edits workflows of the tables, with rights of their own, and shows those of files', async () => {
      strictEqual((await send('eva', 'GET', 'workflows')).status, 403);
      const { body: before } = await send('sue', 'GET', 'workflows');
      strictEqual(before.data[0].file, 'src/api/post/content-types/post/schema.json');
      deepStrictEqual(before.meta.types, [{ uid: NOTE, displayName: 'note' }]);
      const roleIds = Object.fromEntries(
        before.meta.roles.map(({ code, id }: { code: string; id: number }) => [code, id]),
      );
      const stage = (name: string, more: object = {}) => ({ name, color: '#123456', from: [], to: [], ...more });
      const workflow = {
        name: 'Notes',
        stages: [stage('A', { from: [roleIds['others']] }), stage('B', { to: [roleIds['others']] })],
        required: 1,
        types: [NOTE],
      };
      const wrong = await send('sue', 'POST', 'workflows', {
        name: '',
        stages: [stage('A'), stage('A', { color: 'red', from: [999] })],
        required: 5,
        types: [POST],
      });
      deepStrictEqual(
        wrong.body.error.details.errors.map((one: { path: string[] }) => one.path.join('.')),
        ['name', 'stages.1.name', 'stages.1.color', 'stages.1.from', 'types.0', 'required'],
      );
      strictEqual((await send('sue', 'PUT', `workflows/${before.data[0].id}`, workflow)).status, 400, 'of a file');
      const note = (await send('sue', 'POST', `content/${NOTE}`, { data: { title: 'n' } })).body.data.documentId;
      strictEqual((await send('sue', 'POST', 'workflows', workflow)).status, 201);
      strictEqual(
        (await send('sue', 'POST', 'workflows', { ...workflow, types: [] })).status,
        400,
        'its name is taken',
      );
      const { body: shown } = await send('sue', 'GET', 'workflows');
      const stored = shown.data.find((one: { name: string }) => one.name === 'Notes');
      deepStrictEqual(stored.stages[0].from, [roleIds['others']]);
      const state = await send('olga', 'GET', `content/${NOTE}/${note}/review`);
      deepStrictEqual(state.body.data.choices, [stored.stages[1].id]);
      strictEqual(
        (await send('olga', 'PUT', `content/${NOTE}/${note}/stage`, { stage: stored.stages[1].id })).status,
        200,
      );
      const [, second] = stored.stages;
      const changed = {
        name: 'Notes',
        stages: [stage('C'), { ...second, name: 'D' }, stage('E')],
        required: null,
        types: [NOTE],
      };
      strictEqual((await send('sue', 'PUT', `workflows/${stored.id}`, changed)).status, 200);
      const after = await send('sue', 'GET', `content/${NOTE}/${note}/review`);
      strictEqual(after.body.data.stage, second.id, 'a renamed stage keeps its documents');
      const fewer = { ...changed, stages: [stage('F')] };
      strictEqual((await send('sue', 'PUT', `workflows/${stored.id}`, fewer)).status, 200);
      const moved = await send('sue', 'GET', `review/${NOTE}`);
      strictEqual(moved.body.data.stages.length, 1);
      strictEqual(
        (await send('sue', 'GET', `content/${NOTE}/${note}/review`)).body.data.stage,
        moved.body.data.stages[0].id,
      );
      strictEqual((await send('sue', 'DELETE', `workflows/${stored.id}`)).status, 200);
      strictEqual((await send('sue', 'GET', `content/${NOTE}/${note}/review`)).status, 404);
    });
  });
}
