/** Administrators list drafts, distinguish them by their states, and publish, unpublish and delete several at once. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addFilters, operandCountOf } from '../../../admin/src/data/list-search.ts';
import type { Text } from '../../../admin/src/language/messages.ts';
import { type FieldKind, fieldsOf } from '../../../admin/src/pages/list/fields.ts';
import { operatorsOf, pathOf, problemOf } from '../../../admin/src/pages/list/operators.ts';
import type { Outcome } from '../../../src/content/administration/bulk.ts';
import { createSearchIndex } from '../../../src/db/indexes/building.ts';
import { keepRefused } from '../../../src/users/administrators/refused-actions.ts';
import { Browser, makeAdministrator, makeRole } from '../../support/accounts/administrators.ts';
import { askHeld, signedIn } from '../../support/accounts/held-answers.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const POST = 'api::post.post';
const TAG = 'api::tag.tag';
const NOTE = 'api::note.note';
const localized = { pluginOptions: { i18n: { localized: true } } };
const contentTypes = {
  post: contentType(
    'post',
    {
      title: { type: 'string', required: true, ...localized },
      secret: { type: 'string', private: true, ...localized },
      code: { type: 'password', ...localized },
    },
    { options: { draftAndPublish: true }, ...localized },
  ),
  tag: contentType('tag', { name: { type: 'string' } }),
  note: contentType('note', { name: { type: 'string' } }, { options: { draftAndPublish: true } }),
  dish: contentType('dish', {
    title: { type: 'string' },
    body: { type: 'richtext' },
    story: { type: 'blocks' },
    facts: { type: 'json' },
  }),
  thing: contentType('thing', {
    string: { type: 'string' },
    enumeration: { type: 'enumeration', enum: ['one', 'two'] },
    integer: { type: 'integer' },
    biginteger: { type: 'biginteger' },
    decimal: { type: 'decimal' },
    boolean: { type: 'boolean' },
    date: { type: 'date' },
    datetime: { type: 'datetime' },
    time: { type: 'time' },
    json: { type: 'json' },
    blocks: { type: 'blocks' },
    tag: { type: 'relation', relation: 'manyToOne', target: TAG },
    cover: { type: 'media', multiple: false },
  }),
};

/** By the kind of a field of the app: what a document is given, and something that is more. */
const GIVEN: Readonly<
  Record<Exclude<FieldKind, 'relation' | 'media' | 'whole' | 'person' | 'locale'>, readonly [string, string]>
> = {
  text: ['Ab', 'C'],
  choice: ['one', 'two'],
  number: ['5', '6'],
  flag: ['false', 'true'],
  date: ['2026-01-02', '2026-01-03'],
  moment: ['2026-01-02T10:00:00.000Z', '2026-01-02T11:00:00.000Z'],
  time: ['10:00:00', '11:00:00.000'],
};

for (const engine of engines) {
  describe(`lists of administrators on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    /** Document ids by title. */
    const ids: Record<string, string> = {};

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes }));
      for (const role of ['super-admin', 'editor', 'author']) await makeAdministrator(server, role, `strapi-${role}`);
      sue = await signedIn(server, 'super-admin');
      const posts = server.app.documents(POST);
      const make = async (title: string, status: 'draft' | 'published'): Promise<string> => {
        const data = { title, secret: `s ${title}`, code: 'Secret123' };
        const { documentId } = (await posts.create({ data, status })) as { documentId: string };
        ids[title] = documentId;
        return documentId;
      };
      await make('draft', 'draft');
      await make('published', 'published');
      await posts.update({ documentId: await make('modified', 'published'), data: { secret: 'changed' } });
      await posts.update({ documentId: ids['published']!, locale: 'fr', data: { title: 'publié' } });
      await server.app.documents(TAG).create({ data: { name: 'one' } });
    });
    after(() => server?.stop());

    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
    const ask = (method: string, target: string, body?: unknown, as = sue): Promise<any> =>
      askHeld(as, method, target, body);
    const titles = async (query: string, as = sue): Promise<string[]> => {
      const { status, body } = await ask('GET', `content/${POST}?sort=title&${query}`, undefined, as);
      strictEqual(status, 200);
      return body.data.map(({ title }: { title: string }) => title);
    };

    it('show drafts with private fields and without passwords, and the state of each locale', async () => {
      const { body } = await ask('GET', `content/${POST}?sort=title`);
      deepStrictEqual(
        body.data.map(({ title, secret, code }: Record<string, unknown>) => [title, secret, code]),
        [
          ['draft', 's draft', undefined],
          ['modified', 'changed', undefined],
          ['published', 's published', undefined],
        ],
      );
      deepStrictEqual(body.meta, {
        pagination: { page: 1, pageSize: 50, pageCount: 1, total: 3 },
        states: {
          [ids['draft']!]: { en: 'draft' },
          [ids['modified']!]: { en: 'modified' },
          [ids['published']!]: { en: 'published', fr: 'draft' },
        },
        matches: {},
      });
      const tags = (await ask('GET', `content/${TAG}`)).body;
      deepStrictEqual(Object.values(tags.meta.states), [{ '': 'published' }]);
    });

    it('never give away the tokens that stand for an account, in rows, filters, orders, searches or the schema', async () => {
      const secrets = { resetPasswordToken: 'reset-me', confirmationToken: 'confirm-me' };
      const account = { username: 'known', email: 'known@example.com', provider: 'local', ...secrets };
      await server.seeder.create('plugin::users-permissions.user', account);
      const users = 'content/plugin::users-permissions.user';
      const { status, text, body } = await ask('GET', `${users}?populate=*`);
      deepStrictEqual([status, body.data.length], [200, 1]);
      const one = await ask('GET', `${users}/${body.data[0].documentId}`);
      const { text: schema } = await ask('GET', 'schema');
      for (const told of [text, one.text, schema])
        doesNotMatch(told, /reset-?me|confirm-?me|PasswordToken|confirmationToken/);
      for (const name of Object.keys(secrets)) {
        for (const query of [`filters[${name}][$startsWith]=r`, `sort=${name}`, `fields=${name}`]) {
          strictEqual((await ask('GET', `${users}?${query}`)).status, 400, query);
        }
      }
      for (const secret of Object.values(secrets)) {
        deepStrictEqual((await ask('GET', `${users}?_q=${secret}`)).body.data, []);
      }
    });

    it('return the states of all versions on a page, for any number of locales', async () => {
      const codes = Array.from({ length: 60 }, (_, n) => `x${String(n).padStart(2, '0')}`);
      const { database } = server.app;
      const holes = (from: number, count: number) =>
        Array.from({ length: count }, (_, n) => database.dialect.placeholder(from + n)).join();
      const documentIds = Array.from({ length: 20 }, (_, n) => `many${String(n).padStart(20, '0')}`);
      await database.transaction(async (tx) => {
        for (const id of documentIds) {
          const rows = codes.flatMap((code) => [id, 'many', code]);
          const values = codes.map((_, n) => `(${holes(3 * n + 1, 3)})`).join();
          await tx.rows(`insert into posts (document_id, title, locale) values ${values}`, rows);
        }
      });
      const { body } = await ask('GET', `content/${POST}?filters[title]=many&locale=x00&pagination[pageSize]=20`);
      const counts = documentIds.map((id) => Object.keys(body.meta.states[id] ?? {}).length);
      await database.transaction(async (tx) => void (await tx.rows("delete from posts where title = 'many'", [])));
      deepStrictEqual([body.data.length, new Set(counts)], [20, new Set([60])]);
    });

    it('speak the query language of the content API, and of cohorts', async () => {
      deepStrictEqual(await titles('filters[title][$startsWith]=p&fields=title'), ['published']);
      deepStrictEqual(await titles('_q=DRA'), ['draft']);
      deepStrictEqual(await titles('locale=fr'), ['publié']);
      deepStrictEqual(await titles('cohort=all&pagination[pageSize]=2&pagination[page]=2'), ['published']);
      for (const cohort of ['draft', 'modified', 'published'])
        deepStrictEqual(await titles(`cohort=${cohort}`), [cohort]);
      deepStrictEqual(await titles('cohort=draft&locale=fr'), ['publié']);
      deepStrictEqual(await titles('cohort=draft&filters[title]=modified'), []);
      // a total is told of a page that is filled, of one that is not, and of one beyond the last
      for (const [query, ...expected] of [
        ['cohort=modified', 1, 1, 1],
        ['cohort=modified&pagination[pageSize]=1', 1, 1, 1],
        ['cohort=modified&pagination[page]=3&pagination[pageSize]=1', 0, 1, 1],
        ['cohort=draft&locale=*&pagination[pageSize]=1', 1, 2, 2],
        ['cohort=modified&filters[title]=gone', 0, 0, 0],
        ['cohort=modified&pagination[withCount]=false', 1, undefined, undefined],
      ] as const) {
        const { data, meta } = (await ask('GET', `content/${POST}?${query}`)).body;
        deepStrictEqual([data.length, meta.pagination.total, meta.pagination.pageCount], expected, query);
      }
      deepStrictEqual(await titles('status=published'), ['modified', 'published']);
      for (const query of ['cohort=other', 'filters[code]=x', 'filters[gone]=1', 'sort=code']) {
        strictEqual((await ask('GET', `content/${POST}?${query}`)).status, 400, query);
      }
      const { pagination } = (await ask('GET', `content/${POST}?pagination[pageSize]=5000`)).body.meta;
      strictEqual(pagination.pageSize, 100);
    });

    it('search rich text, blocks and texts in JSON, and show where a document contains the words', async () => {
      const text = (value: string, format = {}) => ({ type: 'text', text: value, ...format });
      const paragraph = (...children: object[]) => ({ type: 'paragraph', children });
      const item = { type: 'list-item', children: [text('Ash or "oak" wood')] };
      const smoke = {
        title: 'Smoking fish',
        body: `# Patience\n\n${'Salt it well. '.repeat(20)}Then the **embers** glow.`,
        story: [
          paragraph(text('Cold '), text('smoke', { bold: true }), text(' takes two days.')),
          { type: 'list', format: 'unordered', children: [item] },
        ],
        facts: { wood: ['Alder/beech', 'ÜBUNG'], hours: 48, plain: true },
      };
      const dishes = server.app.documents('api::dish.dish');
      const made = (await dishes.create({ data: smoke })) as { id: number };
      await dishes.create({
        data: { title: 'Stew', body: 'Boil.', story: [paragraph(text('Slowly.'))], facts: 'embargo' },
      });
      const found = async (q: string) => {
        const { status, body } = await ask('GET', `content/api::dish.dish?fields=title&_q=${encodeURIComponent(q)}`);
        strictEqual(status, 200);
        const match = body.meta.matches[String(made.id)];
        return body.data.map(
          ({ title }: { title: string }) => title === smoke.title && [match.field, match.text.join('|')],
        );
      };
      const check = async () => {
        deepStrictEqual(await found('fish'), [['title', 'Smoking |fish|']]);
        deepStrictEqual(await found('EMBERS'), [['body', '…alt it well. Then the **|embers|** glow.']]);
        deepStrictEqual(await found('smoke takes'), [['story', 'Cold |smoke takes| two days.']]);
        deepStrictEqual(await found('or "oak"'), [['story', 'Ash |or "oak"| wood']]);
        deepStrictEqual(await found('alder/b'), [['facts', '|Alder/b|eech']]);
        deepStrictEqual(await found('übung'), [['facts', '|ÜBUNG|']]);
        deepStrictEqual(await found('embargo'), [false]);
        // names of keys, and what blocks are made of, are no content
        for (const q of ['hours', 'paragraph', 'bold', 'children', 'list-item', 'unordered', 'true', 'dayscold']) {
          deepStrictEqual(await found(q), [], q);
        }
        // elsewhere `_q` is what it is in Strapi
        deepStrictEqual(await dishes.findMany({ _q: 'alder' } as never), []);
      };
      await check();
      await createSearchIndex(server.app.database, server.app.engine.search, {
        table: 'dishs',
        columns: ['title', 'body', 'story', 'facts'],
      });
      await check();
    });

    it('return the ids of all matches, in order, or of a part of them', async () => {
      const told = async (query: string): Promise<string[]> => {
        const { status, body } = await ask('GET', `content/${POST}/ids?sort=title&${query}`);
        strictEqual(status, 200, query);
        return body.data.map((id: string) => Object.keys(ids).find((title) => ids[title] === id) ?? id);
      };
      deepStrictEqual(await told('fields=title&populate=*'), ['draft', 'modified', 'published']);
      deepStrictEqual(await told('cohort=modified'), ['modified']);
      deepStrictEqual(await told('_q=publ&filters[title][$ne]=gone'), ['published']);
      // a document stands there once, whatever versions of it do
      deepStrictEqual((await told('locale=*')).toSorted(), ['draft', 'modified', 'published']);
      deepStrictEqual(await told('pagination[start]=1&pagination[limit]=1'), ['modified']);
      deepStrictEqual(await told('pagination[limit]=1000000'), ['draft', 'modified', 'published']);
      deepStrictEqual(
        (await ask('GET', `content/${POST}/ids`, undefined, await signedIn(server, 'author'))).body.data,
        [],
      );
      for (const [target, status] of [
        [`content/${POST}/ids?cohort=other`, 400],
        [`content/${POST}/ids?filters[code]=x`, 400],
        ['content/api::gone.gone/ids', 404],
      ] as const) {
        strictEqual((await ask('GET', target)).status, status, target);
      }
    });

    it('are narrowed by every operator that the app offers for a field', async () => {
      const [{ documentId: tag }] = (await server.app.documents(TAG).findMany()) as [{ documentId: string }];
      const things = server.app.documents('api::thing.thing');
      const [text, choice, number, , date, moment, time] = Object.values(GIVEN).map(([value]) => value);
      const data = { string: text, enumeration: choice, integer: 5, biginteger: number, decimal: 5, boolean: false };
      await things.create({ data: { ...data, date, datetime: moment, time, json: {}, blocks: [], tag } });
      await things.create({ data: {} });
      const schema = (await ask('GET', 'schema')).body.data;
      const type = schema.contentTypes.find(({ uid }: { uid: string }) => uid === 'api::thing.thing');
      const fields = fieldsOf(schema, type, ((key: string) => key) as Text).filter(({ attribute }) => attribute);
      const told: string[] = [];
      for (const field of fields) {
        const [same, more] = field.kind in GIVEN ? GIVEN[field.kind as keyof typeof GIVEN] : [tag, 'another'];
        for (const { operator } of operatorsOf(field)) {
          const takes = operandCountOf(operator);
          const value = takes === 'nothing' ? '' : takes === 'one' ? same : [same, more];
          const condition = { field: pathOf(field, operator), operator, value };
          strictEqual(problemOf(fields, condition), undefined);
          const query = new URLSearchParams();
          addFilters(query, [condition], 0);
          const { status, body } = await ask('GET', `content/api::thing.thing?${query}`);
          told.push(`${field.name} ${operator} ${status === 200 ? body.data.length : JSON.stringify(body)}`);
        }
      }
      const found = { $gt: 0, $lt: 0, $ne: 0, $nei: 0, $notIn: 0, $notContains: 0, $notContainsi: 0 };
      const meant = fields.flatMap((field) =>
        operatorsOf(field).map(({ operator }) => {
          const count =
            field.name === 'cover' ? { $null: 2, $notNull: 0 }[operator] : found[operator as keyof typeof found];
          return `${field.name} ${operator} ${count ?? 1}`;
        }),
      );
      deepStrictEqual(told, meant);
    });

    it('are filtered by the author of a document: oneself, others, a name, or none', async () => {
      const editor = await signedIn(server, 'editor');
      const { body } = await ask('POST', `content/${TAG}`, { data: { name: 'two' } }, editor);
      const written = { data: { name: 'three' } };
      await sue.send('PUT', `content/${TAG}/${body.data.documentId}`, written, { 'if-match': '*' });
      const { data: schema } = (await ask('GET', 'schema')).body;
      const type = schema.contentTypes.find(({ uid }: { uid: string }) => uid === TAG);
      const fields = fieldsOf(schema, type, ((key: string) => key) as Text);
      const { user } = (await ask('GET', 'session')).body.data;
      const found = async (name: string, operator: string, value = ''): Promise<string[]> => {
        const field = fields.find((one) => one.name === name)!;
        ok(
          operatorsOf(field).some((one) => one.operator === operator),
          operator,
        );
        const query = new URLSearchParams({ sort: 'name' });
        addFilters(query, [{ field: pathOf(field, operator), operator, value }], user.id);
        const { status, body, text } = await ask('GET', `content/${TAG}?${query}`);
        strictEqual(status, 200, text);
        return body.data.map((tag: { name: string }) => tag.name);
      };
      deepStrictEqual(await found('updatedBy', '$me'), ['three']);
      deepStrictEqual(await found('createdBy', '$me'), []);
      // what a program has written is not one's own
      deepStrictEqual(await found('createdBy', '$notMe'), ['one', 'three']);
      deepStrictEqual(await found('updatedBy', '$notMe'), ['one']);
      deepStrictEqual(await found('createdBy', '$containsi', 'EDIT'), ['three']);
      deepStrictEqual(await found('createdBy', '$containsi', ' edi tor '), ['three']);
      deepStrictEqual(await found('createdBy', '$containsi', 'editor super'), []);
      deepStrictEqual(await found('createdBy', '$notNull'), ['three']);
      deepStrictEqual(await found('createdBy', '$null'), ['one']);
    });

    it('count cohorts where that is cheap', async () => {
      const sizes = async (uid: string, query = '') => (await ask('GET', `cohorts/${uid}${query}`)).body.data;
      deepStrictEqual(await sizes(POST), { all: 3, draft: 1, modified: 1, published: 1 });
      deepStrictEqual(await sizes(POST, '?locale=fr'), { all: 1, draft: 1, modified: 0, published: 0 });
      deepStrictEqual(await sizes(TAG), { all: 2, draft: 0, modified: 0, published: 2 });
    });

    it('show each administrator the visible documents', async () => {
      const author = await signedIn(server, 'author');
      deepStrictEqual(await titles('', author), []);
      const editor = await signedIn(server, 'editor');
      const statesFor = async (person: Browser): Promise<object> =>
        (await ask('GET', `content/${POST}`, undefined, person)).body.meta.states[ids['published']!];
      // a role that has all locales receives those that are added
      deepStrictEqual(await titles('locale=*', editor), ['draft', 'modified', 'published', 'publié']);
      deepStrictEqual(await statesFor(editor), { en: 'published', fr: 'draft' });
      await makeRole(server, 'reader', [
        { operation: 'read', subject: POST, properties: { fields: ['title'], locales: ['en'] } },
      ]);
      await makeAdministrator(server, 'reader', 'reader');
      const reader = await signedIn(server, 'reader');
      deepStrictEqual(await titles('locale=*', reader), ['draft', 'modified', 'published']);
      deepStrictEqual(await statesFor(reader), { en: 'published' });
      for (const [uid, status] of [
        ['api::gone.gone', 404],
        ['admin::user', 404],
        ['plugin::users-permissions.user', 403],
      ] as const) {
        strictEqual((await ask('GET', `content/${uid}`, undefined, editor)).status, status, uid);
      }
      strictEqual((await new Browser(server).get(`content/${POST}`)).status, 401);
    });

    const bulk = (name: string, body: unknown, as = sue, uid = POST) =>
      ask('POST', `content/${uid}/bulk/${name}`, body, as);

    it('publish and unpublish several documents, and report each outcome', async () => {
      const posts = server.app.documents(POST);
      const { documentId: untitled } = (await posts.create({ data: {} })) as { documentId: string };
      const documentIds = [ids['draft'], untitled, 'gone', ids['modified'], ids['draft']];
      const { body } = await bulk('publish', { documentIds });
      deepStrictEqual(
        body.data.map(({ error }: { error: { status: number } | null }) => error?.status ?? null),
        [null, 400, 404, null],
      );
      deepStrictEqual(body.data[1].documentId, untitled);
      deepStrictEqual(body.data[1].error.errors[0].path, ['title']);
      deepStrictEqual(await titles('cohort=published'), ['draft', 'modified', 'published']);
      const taken = await bulk('unpublish', { documentIds: [ids['draft']] });
      deepStrictEqual(taken.body.data, [{ documentId: ids['draft'], error: null }]);
      deepStrictEqual(await titles('cohort=draft&filters[title][$notNull]=true'), ['draft']);
      await bulk('publish', { documentIds: [ids['published']], locale: 'fr' });
      deepStrictEqual(await titles('cohort=published&locale=fr'), ['publié']);
    });

    it('delete several documents, completely or in a locale, and accept deleted ones', async () => {
      await bulk('delete', { documentIds: [ids['published']], locale: 'fr' });
      deepStrictEqual(await titles('locale=fr'), []);
      const { body } = await bulk('delete', { documentIds: [ids['draft'], ids['draft'], 'gone'] });
      deepStrictEqual(
        body.data.map(({ error }: { error: unknown }) => error),
        [null, null],
      );
      deepStrictEqual(await titles('filters[title][$notNull]=true'), ['modified', 'published']);
    });

    it('apply to several documents the action that is permitted for each', async () => {
      const author = await signedIn(server, 'author');
      strictEqual((await bulk('publish', { documentIds: [ids['modified']] }, author)).status, 403);
      // the author is shown neither
      const { body } = await bulk('delete', { documentIds: [ids['modified'], 'gone'] }, author);
      deepStrictEqual(
        body.data.map(({ error }: { error: unknown }) => error),
        [null, null],
      );
      deepStrictEqual(await titles('filters[title]=modified'), ['modified']);
    });

    it('store refusals until the administrator has seen them', async () => {
      const posts = server.app.documents(POST);
      const { documentId: untitled } = (await posts.create({ data: {} })) as { documentId: string };
      const eva = await signedIn(server, 'editor');
      for (const { id } of (await ask('GET', 'me/refused')).body.data) await ask('DELETE', `me/refused/${id}`);
      const untold = async (as = sue) => (await ask('GET', 'me/refused', undefined, as)).body.data;
      deepStrictEqual((await bulk('unpublish', { documentIds: [ids['modified']] })).body.meta, { refused: null });
      deepStrictEqual(await untold(), []);
      const { body } = await bulk('publish', { documentIds: [untitled, 'gone', ids['modified']], locale: 'en' });
      const [kept, ...others] = await untold();
      const { id, at, documents, ...rest } = kept;
      deepStrictEqual([others, rest], [[], { type: POST, action: 'publish', locale: 'en' }]);
      deepStrictEqual(body.meta, { refused: id });
      ok(Math.abs(Date.now() - Date.parse(at)) < 60_000);
      deepStrictEqual(
        documents.map(({ documentId, error }: { documentId: string; error: { status: number } }) => [
          documentId,
          error.status,
        ]),
        [
          [untitled, 400],
          ['gone', 404],
        ],
      );
      // nobody else is told of it, or can have it forgotten
      deepStrictEqual(await untold(eva), []);
      strictEqual((await ask('DELETE', `me/refused/${id}`, undefined, eva)).status, 204);
      strictEqual((await untold()).length, 1);
      for (const wrong of ['x', '-1', '1.5']) {
        strictEqual((await ask('DELETE', `me/refused/${wrong}`)).status, 404, wrong);
      }
      for (const gone of [id, id, 999_999_999_999_999]) {
        strictEqual((await ask('DELETE', `me/refused/${gone}`)).status, 204, String(gone));
      }
      deepStrictEqual(await untold(), []);
      // of more than can be kept the last are, and none for longer than two weeks
      const { database } = server.app;
      const longAgo = Date.now() - 15 * 24 * 3_600_000;
      const old = { type: POST, action: 'delete', locale: null } as const;
      const outcome = { documentId: 'old', error: { status: 404, name: 'NotFoundError', message: '', errors: [] } };
      const [[userId]] = (await database.rows('select user_id from galley_admin_sessions order by id limit 1', [])) as [
        [number],
      ];
      await database.transaction(async (tx) => {
        await keepRefused(tx, userId, old, [outcome], longAgo);
      });
      deepStrictEqual(await untold(), []);
      // whatever is said of them, it is no more than so much, and the documents come first
      const message = 'ö'.repeat(1_000);
      const reason = { code: 'tooLong', values: { limit: 255 } } as const;
      const errors = Array.from({ length: 20 }, () => ({ path: ['title'], message, name: 'ValidationError', reason }));
      const many = Array.from({ length: 100 }, (_, n) => ({
        documentId: String(n).padStart(24, 'd'),
        error: { ...outcome.error, message, errors },
      }));
      const long = many.map(({ documentId, error }) => ({ documentId: documentId.padStart(255, 'ö'), error }));
      await database.transaction(async (tx) => {
        const short = many.map((one) => ({ ...one, error: { ...one.error, message: 'Not complete' } }));
        for (const outcomes of [short, long]) await keepRefused(tx, userId, old, outcomes);
      });
      const [short, cut] = await untold();
      deepStrictEqual([short.documents.length, short.documents[0].error.errors.length], [100, 10]);
      deepStrictEqual(short.documents[0].error.errors[9].reason, reason);
      deepStrictEqual(short.documents[99].error, { ...outcome.error, message: 'Not complete' });
      for (const { documents } of [short, cut]) ok(Buffer.byteLength(JSON.stringify(documents)) <= 65_536);
      ok(cut.documents.length > 20);
      await database.transaction(async (tx) => {
        for (let n = 0; n < 52; n += 1) {
          await keepRefused(tx, userId, old, [{ ...outcome, documentId: `d${n}` }]);
        }
      });
      const last = await untold();
      deepStrictEqual([last.length, last[0].documents[0].documentId], [50, 'd2']);
      const [[count]] = (await database.rows('select count(*) from galley_admin_refused', [])) as [[number]];
      strictEqual(Number(count), 50);
      // nobody is left for what is kept of who is gone
      await database.transaction(async (tx) => {
        await keepRefused(tx, 999_999, old, [outcome]);
        await keepRefused(tx, userId, old, [outcome]);
      });
      deepStrictEqual(await database.rows('select id from galley_admin_refused where user_id = 999999', []), []);
      for (const { id: told } of await untold()) await ask('DELETE', `me/refused/${told}`);
      await posts.delete({ documentId: untitled });
      await posts.publish({ documentId: ids['modified']! });
    });

    it('report the result of each document even if refusals cannot be stored', async () => {
      const { database } = server.app;
      const run = (text: string) => database.transaction(async (tx) => tx.rows(text, []));
      await run('alter table galley_admin_refused rename to galley_admin_refused_away');
      const { status, body } = await bulk('publish', { documentIds: [ids['modified'], 'gone'] });
      await run('alter table galley_admin_refused_away rename to galley_admin_refused');
      deepStrictEqual(
        [status, body.data.map(({ error }: { error: { status: number } | null }) => error?.status), body.meta],
        [200, [undefined, 404], { refused: null }],
      );
    });

    it('store refusals from before a failure', async () => {
      const { database } = server.app;
      const posts = server.app.documents(POST);
      const { documentId: untitled } = (await posts.create({ data: {} })) as { documentId: string };
      const { documentId: failing } = (await posts.create({ data: { title: 'failing' } })) as { documentId: string };
      const { documentId: unfit } = (await posts.create({ data: { title: 'unfit' } })) as { documentId: string };
      const when = `when (new.title in ('unfit', 'failing') and new.published_at is not null)`;
      // a trigger that raises an error refuses one document, an error of the engine ends the request
      const choice = (fail: string, refuse: string) => `case new.title when 'failing' then ${fail} else ${refuse} end`;
      const [set, unset] =
        engine.name === 'sqlite'
          ? [
              [
                `create trigger fails before insert on posts ${when} begin select ${choice(`json('no')`, `raise(abort, 'no')`)}; end`,
              ],
              ['drop trigger fails'],
            ]
          : [
              [
                `create function fails() returns trigger language plpgsql as $$ begin raise 'no' using errcode = ${choice(`'XX000'`, `'P0001'`)}; end $$`,
                `create trigger fails before insert on posts for each row ${when} execute function fails()`,
              ],
              ['drop trigger fails on posts', 'drop function fails'],
            ];
      const run = async (texts: readonly string[]) => {
        for (const text of texts) await database.transaction(async (tx) => tx.rows(text, []));
      };
      await run(set);
      const { status } = await bulk('publish', { documentIds: [untitled, unfit, failing, 'gone'] });
      await run(unset);
      strictEqual(status, 500);
      const [{ id, documents }, ...others] = (await ask('GET', 'me/refused')).body.data;
      deepStrictEqual(
        [others, documents.map(({ documentId, error }: Outcome) => [documentId, error?.status])],
        [
          [],
          [
            [untitled, 400],
            [unfit, 400],
          ],
        ],
      );
      await ask('DELETE', `me/refused/${id}`);
      for (const documentId of [untitled, unfit, failing]) await posts.delete({ documentId });
    });

    it('store no locale for types without locales, which accept any locale', async () => {
      const { status, body } = await bulk('publish', { documentIds: ['gone'], locale: 'x'.repeat(255) }, sue, NOTE);
      deepStrictEqual([status, body.data[0].error.status], [200, 404]);
      const [{ id, locale }] = (await ask('GET', 'me/refused')).body.data;
      deepStrictEqual([id, locale], [body.meta.refused, null]);
      await ask('DELETE', `me/refused/${id}`);
      for (const locale of [1, null, 'x'.repeat(256), 'a\0b', 'a\u0001']) {
        for (const uid of [NOTE, POST]) {
          const { status, body } = await bulk('delete', { documentIds: ['gone'], locale }, sue, uid);
          deepStrictEqual([status, body.error.details.errors[0].path], [400, ['locale']]);
        }
      }
    });

    it('refuse a body that is not a list of documents', async () => {
      const long = 'd'.repeat(256);
      for (const documentIds of [undefined, [], 'x', [1], Array.from({ length: 101 }, String), ['a\0'], ['a', long]]) {
        const { status, body } = await bulk('delete', { documentIds });
        strictEqual(status, 400);
        deepStrictEqual(body.error.details.errors[0].path, ['documentIds']);
      }
      match((await bulk('delete', { documentIds: ['a'], locale: 'xx' })).body.error.message, /Locale "xx" not found/);
      strictEqual((await bulk('publish', { documentIds: ['a'] }, sue, TAG)).status, 400);
    });
  });
}
