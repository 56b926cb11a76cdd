/**
 * What a caller may not find stays out of sight: it is not populated, filtered by, sorted by, searched, counted or
 * linked, whoever asks and however deep it is hidden in a query.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { type Answer, contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const POST = 'api::post.post';
const TOPIC = 'api::topic.topic';
const BOARD = 'api::board.board';
const USER = 'plugin::users-permissions.user';
const FILES = 'plugin::upload.content-api';

const to = (relation: string, target?: string) => ({ type: 'relation', relation, ...(target ? { target } : {}) });
const localized = (type: string) => ({ type, pluginOptions: { i18n: { localized: true } } });

const CONTENT_TYPES = {
  post: contentType(
    'post',
    {
      title: localized('string'),
      secretNote: { type: 'string', private: true },
      topic: to('manyToOne', TOPIC),
      topics: to('manyToMany', TOPIC),
      owner: to('manyToOne', USER),
      replies: to('oneToMany', POST),
      board: to('manyToOne', BOARD),
      subject: to('morphToOne'),
      mentions: to('morphToMany'),
      cover: { type: 'media', multiple: false },
      part: { type: 'component', component: 'shared.part' },
      parts: { type: 'component', component: 'shared.part', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shared.part'] },
    },
    { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
  ),
  topic: contentType('topic', { name: { type: 'string' }, rank: { type: 'integer' } }),
  board: contentType('board', { name: { type: 'string' }, topic: to('manyToOne', TOPIC) }),
};
const COMPONENTS = {
  'shared.part': {
    collectionName: 'components_shared_parts',
    attributes: {
      label: { type: 'string' },
      topic: to('manyToOne', TOPIC),
      inner: { type: 'component', component: 'shared.core' },
    },
  },
  'shared.core': { collectionName: 'components_shared_cores', attributes: { topic: to('oneToOne', TOPIC) } },
};

/** Every action on posts, and each by itself. */
const OPERATIONS = [
  'find',
  'findOne',
  'create',
  'update',
  'delete',
  'createLocalization',
  'publish',
  'unpublish',
  'discardDraft',
] as const;
const NARROW = [...OPERATIONS.map((operation) => `${POST}.${operation}`), `${BOARD}.find`];

/** Parameters that go through what the caller may not find, and the key that is told. */
const CLOSED: readonly [string, string][] = [
  ['filters[topic][name]=Xyzzy', 'topic'],
  ['filters[topic]=1', 'topic'],
  ['filters[topic][$notNull]=true', 'topic'],
  ['filters[topic][documentId][$startsWith]=a', 'topic'],
  ['filters[topics][id][$gt]=0', 'topics'],
  ['filters[owner][email][$startsWith]=a', 'owner'],
  ['filters[owner][role][name]=x', 'owner'],
  ['filters[part][topic][name]=Xyzzy', 'topic'],
  ['filters[part][inner][topic][name]=Xyzzy', 'topic'],
  ['filters[parts][topic]=1', 'topic'],
  ['filters[replies][topic][name]=Xyzzy', 'topic'],
  ['filters[board][topic][name]=Xyzzy', 'topic'],
  ['filters[localizations][topic][name]=Xyzzy', 'topic'],
  ['filters[$or][0][$and][0][$not][topic][id]=1', 'topic'],
  ['filters[cover][related][id]=1', 'related'],
  ['filters[cover][folder][id]=1', 'folder'],
  ['filters[subject][id]=1', 'subject'],
  ['filters[mentions][id]=1', 'mentions'],
  ['filters[zone][label]=x', 'zone'],
  ['sort=topic.name', 'topic'],
  ['sort[0]=title&sort[1]=topics.rank', 'topics'],
  ['sort=owner.username', 'owner'],
  ['sort=part.topic.rank:desc', 'topic'],
  ['sort=replies.topic.name', 'topic'],
  ['sort[board][topic][name]=asc', 'topic'],
  ['populate[replies][filters][topic][name]=Xyzzy', 'topic'],
  ['populate[replies][sort]=topic.name', 'topic'],
  ['populate[replies][populate][replies][filters][owner][email]=a', 'owner'],
  ['populate[localizations][filters][topic][name]=Xyzzy', 'topic'],
  ['populate[part][filters][topic][name]=Xyzzy', 'topic'],
  ['populate[zone][on][shared.part][filters][topic][name]=Xyzzy', 'topic'],
  ['populate[zone][on][shared.part][sort]=topic.name', 'topic'],
  ['populate[mentions][on][api::board.board][filters][topic][name]=Xyzzy', 'topic'],
  ['populate[cover][populate][related][on][api::post.post][filters][topic][name]=Xyzzy', 'topic'],
];

/** What shows nothing of a topic or an account to a caller who may not find them. */
const SILENT: readonly string[] = [
  'populate=*',
  'populate=topic',
  'populate=topic,topics,owner',
  'populate[topic][fields]=name',
  'populate[topics][count]=true',
  'populate[owner][populate]=role',
  'populate=owner.role',
  'populate[replies][populate]=*',
  'populate=replies.topic',
  'populate=localizations.topic',
  'populate[localizations][populate]=*',
  'populate=part.topic',
  'populate[part][populate]=*',
  'populate[part][populate][inner][populate]=*',
  'populate[parts][populate][topic][populate]=*',
  'populate[zone][populate]=*',
  'populate[zone][on][shared.part][populate]=topic',
  'populate[zone][on][shared.part][populate][inner][populate]=topic',
  'populate[board][populate]=*',
  'populate[subject]=true',
  'populate[subject][on][api::topic.topic][fields]=name',
  'populate[mentions]=true',
  'populate[mentions][populate]=*',
  'populate[mentions][on][api::topic.topic]=true&populate[mentions][on][api::board.board][populate]=*',
  'populate[cover][populate]=related',
  'populate[cover][populate][related][populate]=*',
  'populate=cover.related.topic',
];

for (const engine of engines) {
  describe(`permissions in queries on ${engine.name}`, () => {
    let server: SeededServer;
    let post: string;
    const ids: Record<string, string> = {};
    const send = (method: string, target: string, token: string | undefined, body?: unknown): Promise<Answer> =>
      server.request(method, `/api${target}`, { token, ...(body === undefined ? {} : { body }) });
    /** With the rights of a custom token, and with those of a role. */
    const callers = (): [string, string | undefined][] => [
      ['the token', server.secrets['narrow']],
      ['the role', undefined],
    ];
    const full = async (method: string, target: string, body: unknown): Promise<string> => {
      const answer = await send(method, target, server.secrets['full'], body);
      strictEqual(answer.status, 200, answer.text);
      return answer.body.data.documentId;
    };

    before(async () => {
      server = await serveSeeded(engine, await makeProject({ contentTypes: CONTENT_TYPES, components: COMPONENTS }), {
        locales: [{ code: 'en', default: true }, { code: 'fr' }],
        tokens: [
          { name: 'full', type: 'full-access' },
          { name: 'read', type: 'read-only' },
          { name: 'narrow', type: 'custom', permissions: NARROW },
          {
            name: 'people',
            type: 'custom',
            permissions: ['find', 'findOne', 'count'].map((name) => `${USER}.${name}`),
          },
          {
            name: 'files',
            type: 'custom',
            permissions: ['find', 'findOne', 'findPage'].map((name) => `${FILES}.${name}`),
          },
          {
            name: 'both',
            type: 'custom',
            permissions: [`${POST}.find`, ...['find', 'findOne', 'findPage'].map((name) => `${FILES}.${name}`)],
          },
          { name: 'creator', type: 'custom', permissions: [`${POST}.create`, `${POST}.update`] },
          ...OPERATIONS.map((operation) => ({
            name: operation,
            type: 'custom',
            permissions: [`${POST}.${operation}`, ...(operation === 'createLocalization' ? [`${POST}.update`] : [])],
          })),
        ],
        roles: { public: NARROW },
      });
      const { seeder } = server;
      ids['topic'] = await full('POST', '/topics', { data: { name: 'Xyzzy', rank: 1 } });
      ids['board'] = await full('POST', '/boards', { data: { name: 'Seen', topic: ids['topic'] } });
      const user = await seeder.create(USER, { username: 'plugh', email: 'plugh@example.com', provider: 'local' });
      const file = await seeder.file({
        name: 'a.png',
        hash: 'a',
        ext: '.png',
        mime: 'image/png',
        size: 1,
        url: '/a.png',
        provider: 'local',
      });
      ids['user'] = String(seeder.rowId(user));
      ids['file'] = String(file);
      ids['reply'] = await full('POST', '/posts?status=published', { data: { title: 'Reply', topic: ids['topic'] } });
      const part = { label: 'part', topic: ids['topic'], inner: { topic: ids['topic'] } };
      post = await full('POST', '/posts?status=published', {
        data: {
          title: 'Seen',
          secretNote: 'Xyzzy',
          topic: ids['topic'],
          topics: [ids['topic']],
          owner: user,
          replies: [ids['reply']],
          board: ids['board'],
          cover: file,
          subject: { __type: TOPIC, documentId: ids['topic'] },
          mentions: [
            { __type: TOPIC, documentId: ids['topic'] },
            { __type: BOARD, documentId: ids['board'] },
          ],
          part,
          parts: [part],
          zone: [{ __component: 'shared.part', ...part }],
        },
      });
      await full('PUT', `/posts/${post}?locale=fr&status=published`, { data: { title: 'Vu' } });
      await full('PUT', `/posts/${post}?locale=fr&status=published`, { data: { topic: ids['topic'] } });
    });
    after(() => server?.stop());

    for (const [query, key] of CLOSED) {
      it(`refuses ${query}`, async () => {
        for (const [who, token] of callers()) {
          for (const target of ['/posts', `/posts/${post}`]) {
            const { status, body } = await send('GET', `${target}?${query}`, token);
            deepStrictEqual([status, body.error?.details.key], [400, key], `${who} at ${target}`);
          }
          // what writes answer is read with the same rights
          const written = await send('PUT', `/posts/${post}?${query}`, token, { data: {} });
          strictEqual(written.status, 400, `${who} writing`);
          const moved = await send('POST', `/posts/${post}/actions/publish?${query}`, token);
          strictEqual(moved.status, 400, `${who} publishing`);
          const batch = { operations: [{ action: 'update', documentId: post, data: {} }] };
          strictEqual((await send('POST', `/posts/actions/batch?${query}`, token, batch)).status, 400, `${who}, batch`);
        }
      });
    }

    for (const query of SILENT) {
      it(`shows no hidden value with ${query}`, async () => {
        const operation = { action: 'update', documentId: post, data: {}, status: 'published' };
        for (const [who, token] of callers()) {
          const answers = [
            await send('GET', `/posts?${query}`, token),
            await send('GET', `/posts?locale=*&status=draft&${query}`, token),
            await send('GET', `/posts/${post}?${query}`, token),
            await send('PUT', `/posts/${post}?status=published&${query}`, token, { data: { title: 'Seen' } }),
            await send('POST', `/posts/${post}/actions/publish?${query}`, token),
            await send('POST', `/posts/actions/batch?${query}`, token, { operations: [operation] }),
          ];
          for (const { status, text } of answers) {
            strictEqual(status, 200, `${who}: ${text}`);
            doesNotMatch(text, /Xyzzy|plugh|"(?:topics?|owner)" ?:|api::topic/, who);
            match(text, /Seen/);
          }
        }
      });
    }

    it('shows and counts the visible part of a relation to any type', async () => {
      for (const [, token] of callers()) {
        const { body } = await send('GET', `/posts/${post}?populate[mentions]=true&populate[subject]=true`, token);
        deepStrictEqual(
          body.data.mentions.map(({ name }: { name: string }) => name),
          ['Seen'],
        );
        strictEqual(body.data.subject, null);
      }
    });

    it('lets those through who may find the other type', async () => {
      for (const token of [server.secrets['full'], server.secrets['read']]) {
        const { status, text } = await send(
          'GET',
          '/posts?filters[topic][name]=Xyzzy&sort=owner.username&populate=*',
          token,
        );
        strictEqual(status, 200);
        ok(text.includes('plugh') && text.includes('Xyzzy'));
      }
    });

    it('searches only visible values', async () => {
      for (const [, token] of [...callers(), ['full', server.secrets['full']] as const]) {
        for (const word of ['Xyzzy', 'plugh']) {
          const { body } = await send('GET', `/posts?_q=${word}`, token);
          deepStrictEqual([body.data, body.meta.pagination.total], [[], 0], word);
        }
        strictEqual((await send('GET', '/posts?_q=seen', token)).body.data.length, 1);
      }
    });

    it('lets callers with find read drafts and cohorts', async () => {
      // the reference knows no right of its own for drafts
      for (const query of [
        'status=draft',
        'publicationFilter=modified&status=draft',
        'publicationFilter=never-published',
      ]) {
        strictEqual((await send('GET', `/posts?${query}`, server.secrets['find'])).status, 200, query);
        strictEqual((await send('GET', `/posts?${query}&filters[topic][id]=1`, server.secrets['find'])).status, 400);
        strictEqual((await send('GET', `/posts?${query}`, server.secrets['create'])).status, 403, query);
      }
    });

    const LINKS: readonly [string, unknown, string][] = [
      ['by its id', { topic: 'ID' }, 'topic'],
      ['with null', { topic: null }, 'topic'],
      ['with an empty list', { topics: [] }, 'topics'],
      ['with connect', { topics: { connect: ['ID'] } }, 'topics'],
      ['with disconnect', { topics: { disconnect: ['ID'] } }, 'topics'],
      ['to an account', { owner: 1 }, 'owner'],
      ['in a component', { part: { label: 'a', topic: 'ID' } }, 'topic'],
      ['in a component of a component', { part: { inner: { topic: 'ID' } } }, 'topic'],
      ['in a list of components', { parts: [{ label: 'a' }, { topic: null }] }, 'topic'],
      ['in a zone', { zone: [{ __component: 'shared.part', topic: 'ID' }] }, 'topic'],
      ['to any type', { subject: { __type: TOPIC, documentId: 'ID' } }, 'subject'],
      ['among others to any type', { mentions: { connect: [{ __type: TOPIC, documentId: 'ID' }] } }, 'mentions'],
      [
        'beside one of any type',
        {
          mentions: {
            connect: [{ __type: BOARD, documentId: 'BOARD', position: { before: 'ID', __type: TOPIC } }],
          },
        },
        'mentions',
      ],
    ];
    for (const [how, data, key] of LINKS) {
      it(`links nothing that is hidden, ${how}`, async () => {
        const body = JSON.parse(
          JSON.stringify(data).replaceAll('"ID"', `"${ids['topic']}"`).replaceAll('"BOARD"', `"${ids['board']}"`),
        );
        for (const [who, token] of callers()) {
          const operation = { action: 'create', data: body };
          for (const answer of [
            await send('POST', '/posts', token, { data: body }),
            await send('PUT', `/posts/${post}`, token, { data: body }),
            await send('POST', '/posts/actions/batch', token, { operations: [operation] }),
          ]) {
            strictEqual(answer.status, 400, `${who}: ${answer.text}`);
            deepStrictEqual(
              [answer.body.error.details.key, answer.body.error.details.source],
              [key, 'body'],
              answer.text,
            );
          }
        }
      });
    }

    it('shows the role of an account to those alone who may find roles', async () => {
      const people = server.secrets['people'];
      for (const query of [
        'populate=role',
        'populate=*',
        'populate[role][populate]=permissions',
        'populate=role.permissions',
      ]) {
        for (const target of ['/users', `/users/${ids['user']}`]) {
          const { status, text } = await send('GET', `${target}?${query}`, people);
          strictEqual(status, 200, text);
          match(text, /plugh/);
          doesNotMatch(text, /"(?:role|permissions)" ?:/);
          match((await send('GET', `${target}?${query}`, server.secrets['full'])).text, /"role" ?:/);
        }
      }
      for (const query of ['filters[role][name]=x', 'filters[role]=1', 'filters[role][permissions][action]=x']) {
        for (const target of ['/users', `/users/count`]) {
          strictEqual((await send('GET', `${target}?${query}`, people)).status, 400, `${target}?${query}`);
        }
      }
      strictEqual((await send('GET', '/users?sort=role.name', people)).status, 400);
    });

    it('shows the documents of a file that the caller may find', async () => {
      const targets = ['/upload/files', '/upload/files/page', `/upload/files/${ids['file']}`];
      const owners = 'populate[related][on][api::post.post][populate]=*';
      for (const target of targets) {
        for (const query of ['populate=related', 'populate=*', owners, 'populate[related][populate]=*']) {
          const hidden = await send('GET', `${target}?${query}`, server.secrets['files']);
          strictEqual(hidden.status, 200, hidden.text);
          doesNotMatch(hidden.text, /Seen|Xyzzy|plugh|api::/);
          const shown = await send('GET', `${target}?${query}`, server.secrets['both']);
          match(shown.text, /Seen/);
          doesNotMatch(shown.text, /Xyzzy|plugh/);
        }
        for (const query of [
          'filters[related][id]=1',
          'sort=related.id',
          'populate[related][on][api::post.post][filters][topic][name]=Xyzzy',
          'filters[folder][id]=1',
          'populate=folder',
        ]) {
          const { status } = await send('GET', `${target}?${query}`, server.secrets['both']);
          strictEqual(status, 400, `${target}?${query}`);
        }
      }
    });

    it('keeps links that a caller may not see when it writes', async () => {
      const answer = await send('PUT', `/posts/${post}`, server.secrets['narrow'], { data: { title: 'Seen' } });
      strictEqual(answer.status, 200);
      const { body } = await send(
        'GET',
        `/posts/${post}?populate=topic,owner,part.topic&status=draft`,
        server.secrets['full'],
      );
      deepStrictEqual(
        [body.data.topic.name, body.data.owner.username, body.data.part.topic.name],
        ['Xyzzy', 'plugh', 'Xyzzy'],
      );
    });

    it('answers writes of callers without find, without hidden documents', async () => {
      const { status, body } = await send('POST', '/posts?populate=*', server.secrets['creator'], {
        data: { title: 'Made' },
      });
      strictEqual(status, 200);
      const shown = Object.keys(body.data);
      for (const name of ['topic', 'owner', 'replies', 'board', 'localizations']) ok(!shown.includes(name), name);
      for (const name of ['cover', 'part', 'zone']) ok(shown.includes(name), name);
      strictEqual((await send('DELETE', `/posts/${body.data.documentId}`, server.secrets['full'])).status, 204);
    });

    it('opens each operation by its own permission alone', async () => {
      const requests: Record<(typeof OPERATIONS)[number], readonly [string, string, unknown?]> = {
        find: ['GET', '/posts'],
        findOne: ['GET', `/posts/${post}`],
        create: ['POST', '/posts', { data: { title: 'x' } }],
        update: ['PUT', '/posts/none', { data: { title: 'x' } }],
        delete: ['DELETE', '/posts/none'],
        createLocalization: ['PUT', `/posts/${ids['reply']}?locale=fr`, { data: { title: 'x' } }],
        publish: ['POST', '/posts/none/actions/publish'],
        unpublish: ['POST', '/posts/none/actions/unpublish'],
        discardDraft: ['POST', '/posts/none/actions/discard-draft'],
      };
      for (const holder of OPERATIONS) {
        const open: string[] = [];
        for (const [operation, [method, target, body]] of Object.entries(requests)) {
          if ((await send(method, target, server.secrets[holder], body)).status !== 403) open.push(operation);
        }
        deepStrictEqual(open, holder === 'createLocalization' ? ['update', 'createLocalization'] : [holder]);
      }
    });

    it('opens the operations of a batch by the same permissions', async () => {
      const operations = {
        create: { action: 'create', data: { title: 'x' } },
        update: { action: 'update', documentId: 'none', data: { title: 'x' } },
        delete: { action: 'delete', documentId: 'none' },
        createLocalization: { action: 'update', documentId: ids['board'], locale: 'fr', data: { title: 'x' } },
        publish: { action: 'publish', documentId: 'none' },
        unpublish: { action: 'unpublish', documentId: 'none' },
        discardDraft: { action: 'discardDraft', documentId: 'none' },
      };
      for (const holder of OPERATIONS) {
        for (const [name, operation] of Object.entries(operations)) {
          if (name === 'createLocalization') continue;
          const { status } = await send('POST', '/posts/actions/batch', server.secrets[holder], {
            operations: [operation],
          });
          const mayUpdate = holder === 'createLocalization' && name === 'update';
          strictEqual(status !== 403, holder === name || mayUpdate, `${holder} at ${name}`);
        }
      }
      const made = await full('POST', '/posts', { data: { title: 'English' } });
      const inFrench = { operations: [{ ...operations.createLocalization, documentId: made }] };
      const statuses: number[] = [];
      for (const holder of ['update', 'createLocalization']) {
        statuses.push((await send('POST', '/posts/actions/batch', server.secrets[holder], inFrench)).status);
      }
      deepStrictEqual(statuses, [403, 200]);
    });

    it('opens nothing by HEAD that GET keeps shut', async () => {
      for (const [, token] of callers()) {
        strictEqual((await send('HEAD', '/topics', token)).status, 403);
        strictEqual((await send('HEAD', '/posts?filters[topic][name]=Xyzzy', token)).status, 400);
      }
    });

    const MISTAKES: readonly string[] = [
      'populate[subject][on][api::topic.topik]=true',
      'populate[subject][on][api::topic.topic][fields]=ranc',
      'populate[subject][on][api::topic.topic][filters][ranc]=1',
      'populate[subject][on][api::topic.topic][sort]=ranc',
      'populate[topic][fields]=ranc',
      'populate[topic][filters][ranc]=1',
      'populate[topic][sort]=ranc',
      'populate[board][populate][topic][fields]=ranc',
      'populate[part][populate][topic][populate]=authr',
      'populate=owner.rolle',
      'populate=mentions.topic.ranc',
      'filters[topic][ranc]=1',
      'sort=topic.ranc',
    ];
    for (const query of MISTAKES) {
      it(`names nothing that is hidden in its hint at ${query}`, async () => {
        for (const [, token] of callers()) {
          const { status, body } = await send('GET', `/posts?${query}`, token);
          deepStrictEqual([status, body.error.details.hint], [400, undefined]);
        }
      });
    }
  });
}
