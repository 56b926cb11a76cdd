/** What rules of access refuse to write is not written by another way either: through links, files and code. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { formOf, note, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const text = { type: 'string' };
const to = (relation: string, name: string, rest = {}) => ({
  type: 'relation',
  relation,
  target: `api::${name}.${name}`,
  ...rest,
});

const PROJECT = {
  contentTypes: {
    house: contentType(
      'house',
      {
        name: text,
        locked: { type: 'boolean', default: false },
        seat: to('oneToOne', 'seat', { inversedBy: 'house' }),
      },
      { options: { draftAndPublish: true } },
    ),
    box: contentType(
      'box',
      {
        name: text,
        locked: { type: 'boolean', default: false },
        file: { type: 'media', multiple: false },
        seat: to('oneToOne', 'seat', { inversedBy: 'box', useJoinTable: false }),
      },
      { info: { pluralName: 'boxes' } },
    ),
    crate: contentType('crate', {
      name: text,
      file: { type: 'media', multiple: false },
      part: { type: 'component', component: 'shared.part' },
      seat: to('oneToOne', 'seat', { inversedBy: 'crate' }),
    }),
    seat: contentType('seat', {
      name: text,
      house: to('oneToOne', 'house', { mappedBy: 'seat' }),
      box: to('oneToOne', 'box', { mappedBy: 'seat' }),
      crate: to('oneToOne', 'crate', { mappedBy: 'seat' }),
    }),
    // its lifecycle stands before every action: these go through code
    notice: contentType('notice', { text, open: { type: 'boolean' } }, { kind: 'singleType' }),
  },
  components: {
    'shared.part': {
      collectionName: 'components_parts',
      attributes: { file: { type: 'media', multiple: false } },
    },
  },
  files: {
    'src/galley.js': `module.exports = { policies: { 'api::crate.crate': { update: [() => false] } }, access: {
      'api::house.house': { update: { locked: false }, create: { locked: false } },
      'api::box.box': { update: { locked: false }, create: { locked: false } },
      'api::crate.crate': { update: { seat: { id: { $null: true } } } },
      'api::notice.notice': { find: { open: true } },
      'plugin::upload.file': {
        find: { $or: [{ caption: { $null: true } }, { caption: { $ne: 'hidden' } }] },
        create: { alternativeText: 'open' }, update: { alternativeText: 'open' }, delete: { alternativeText: 'open' },
      },
    } };`,
    'src/api/notice/content-types/notice/lifecycles.js': 'module.exports = { beforeCreate() {}, beforeFindOne() {} };',
  },
};
const CORE = ['find', 'findOne', 'create', 'update', 'delete', 'publish'];
const FIXTURE = {
  tokens: [
    { name: 'full', type: 'full-access' },
    {
      name: 'some',
      type: 'custom',
      permissions: [
        ...['house', 'seat', 'box', 'crate', 'notice']
          .flatMap((name) =>
            CORE.filter((one) => name === 'house' || one !== 'publish').map((one) => `api::${name}.${name}.${one}`),
          )
          .filter((action) => !/notice\.(findOne|create)$/.test(action)),
        ...['find', 'findOne', 'upload', 'destroy'].map((name) => `plugin::upload.content-api.${name}`),
      ],
    },
  ],
};

for (const engine of engines) {
  describe(`writes that callers may not make, on ${engine.name}`, () => {
    let server: SeededServer;
    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), FIXTURE);
    });
    after(() => server?.stop());

    const send = (method: string, target: string, data: object, as = 'some') =>
      server.request(method, `/api/${target}`, { token: server.secrets[as], body: { data } });
    const made = async (plural: string, data: object): Promise<string> => {
      const { status, text, body } = await send('POST', `${plural}?status=published`, data, 'full');
      ok(status < 300, text);
      return body.data.documentId;
    };
    for (const [plural, inverse, statuses] of [
      ['houses', 'house', ['draft', 'published']],
      ['boxes', 'box', ['published']],
    ] as const) {
      it(`is none of ${plural} that would lose a link`, async () => {
        const holder = async (seat: string, status: string) => {
          const target = `/api/${plural}?filters[seat][documentId]=${seat}&status=${status}`;
          return (await server.get(target, server.secrets['full'])).body.data.map((one: { name: string }) => one.name);
        };
        const [one, two] = [await made('seats', { name: 'one' }), await made('seats', { name: 'two' })];
        const locked = await made(plural, { name: 'locked', locked: true, seat: one });
        const open = await made(plural, { name: 'open', seat: two });
        const refused: readonly (readonly [string, string, object, string])[] = [
          ['PUT', `${plural}/${open}?status=draft`, { seat: one }, 'seat'],
          ['PUT', `${plural}/${open}?status=published`, { seat: { connect: [one] } }, 'seat'],
          ['POST', plural, { name: 'new', seat: one }, 'seat'],
          ['PUT', `seats/${two}`, { [inverse]: locked }, inverse],
          ['PUT', `seats/${one}`, { [inverse]: open }, inverse],
          ['PUT', `seats/${one}`, { [inverse]: null }, inverse],
          ['POST', 'seats', { name: 'three', [inverse]: locked }, inverse],
        ];
        for (const [method, target, data, path] of refused) {
          const { status, text, body } = await send(method, target, data);
          deepStrictEqual([status, body.error?.details], [403, { path }], `${method} ${target} ${text}`);
        }
        const operations = [{ action: 'update', documentId: open, data: { seat: one }, status: 'draft' }];
        const batch = { token: server.secrets['some']!, body: { operations } };
        strictEqual((await server.request('POST', `/api/${plural}/actions/batch`, batch)).status, 403);
        for (const status of statuses) {
          deepStrictEqual([await holder(one, status), await holder(two, status)], [['locked'], ['open']]);
        }
        const other = await made(plural, { name: 'other' });
        const take = (seat: string, as: string) => send('PUT', `${plural}/${other}?status=published`, { seat }, as);
        strictEqual((await take(two, 'some')).status, 200);
        strictEqual((await take(one, 'full')).status, 200);
        deepStrictEqual(await holder(one, 'published'), ['other']);
      });
    }

    it('is nothing that a publication by itself would take a link from', async () => {
      const seat = await made('seats', { name: 'let go' });
      const locked = await made('houses', { name: 'locked', locked: true, seat });
      const open = await made('houses', { name: 'open' });
      // the draft of the locked one lets go of it: what is published has it still
      strictEqual((await send('PUT', `houses/${locked}?status=draft`, { seat: null }, 'full')).status, 200);
      strictEqual((await send('PUT', `houses/${open}?status=draft`, { seat })).status, 200);
      const publish = (as: string) =>
        server.request('POST', `/api/houses/${open}/actions/publish`, { token: server.secrets[as] });
      strictEqual((await send('PUT', `houses/${open}?status=published`, {})).status, 403);
      strictEqual((await publish('some')).status, 403);
      const holders = async () => {
        const { body } = await server.get(`/api/houses?filters[seat][documentId]=${seat}`, server.secrets['full']);
        return body.data.map(({ name }: { name: string }) => name);
      };
      deepStrictEqual(await holders(), ['locked']);
      strictEqual((await publish('full')).status, 200);
      deepStrictEqual(await holders(), ['open']);
    });

    it('is judged as it is before it loses its link', async () => {
      const seat = await made('seats', { name: 'four' });
      await made('crates', { name: 'full', seat });
      const taken = await send('POST', 'crates', { name: 'new', seat });
      deepStrictEqual([taken.status, taken.body.error?.details], [403, { path: 'seat' }]);
    });

    it('is no second document of a single type whose own one is hidden', async () => {
      const { token, ...rest } = { token: server.secrets['full']!, body: { data: { text: 'first', open: false } } };
      strictEqual((await server.request('PUT', '/api/notice', { token, ...rest })).status, 200);
      strictEqual((await send('PUT', 'notice', { text: 'second', open: true })).status, 404);
      const { body } = await server.get('/api/notice', token);
      deepStrictEqual([body.data.text, await server.app.documents('api::notice.notice').count()], ['first', 1]);
    });

    it('is no document whose policies a file would go round', async () => {
      const data = { name: 'policed', part: {} };
      const crate = await made('crates', data);
      const full = server.secrets['full']!;
      const { body } = await server.get(`/api/crates/${crate}?populate=part`, full);
      const box = await made('boxes', { name: 'open' });
      const link = async (ref: string, refId: string) =>
        (await upload(server, full, [note()], { ref, refId, field: 'file' })).status;
      deepStrictEqual(
        [
          await link('api::crate.crate', crate),
          await link('api::crate.crate', String(body.data.id)),
          await link('shared.part', String(body.data.part.id)),
          await link('api::box.box', box),
        ],
        [403, 403, 403, 201],
      );
      for (const { id } of (await server.get('/api/upload/files', full)).body) {
        await server.request('DELETE', `/api/upload/files/${id}`, { token: full });
      }
    });

    it('is no file that the rules of files do not let be written, before and after', async () => {
      const token = server.secrets['some']!;
      const info = (alternativeText: string, caption?: string) => ({
        alternativeText,
        ...(caption ? { caption } : {}),
      });
      const put = async (fileInfo: object, as = 'some') =>
        upload(server, server.secrets[as], [note()], { fileInfo: JSON.stringify(fileInfo) });
      strictEqual((await put(info('closed'))).status, 403);
      strictEqual((await put(info('open', 'hidden'))).status, 403);
      const [open] = (await put(info('open'))).body as { id: number }[];
      const [closed] = (await put(info('closed'), 'full')).body as { id: number }[];
      const change = async (id: number, fileInfo: object) =>
        (await server.request('POST', `/api/upload?id=${id}`, { token, body: formOf([], { fileInfo }) })).status;
      const replace = async (id: number, fileInfo: object) =>
        (await upload(server, token, [note('other.txt', 'other')], { fileInfo: JSON.stringify(fileInfo) }, `?id=${id}`))
          .status;
      const remove = async (id: number) =>
        (await server.request('DELETE', `/api/upload/files/${id}`, { token })).status;
      for (const write of [change, replace]) {
        strictEqual(await write(closed!.id, info('open')), 403);
        strictEqual(await write(open!.id, info('closed')), 403);
        strictEqual(await write(open!.id, info('open', 'hidden')), 403);
        strictEqual(await write(open!.id, info('open', 'shown')), 200);
      }
      deepStrictEqual([await remove(closed!.id), await remove(open!.id)], [403, 200]);
      const { body } = await server.get('/api/upload/files', server.secrets['full']);
      deepStrictEqual(
        body.map((one: { alternativeText: string }) => one.alternativeText),
        ['closed'],
      );
    });
  });
}
