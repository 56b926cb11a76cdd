/** Integers beyond those that a double tells apart: nothing between a body and an answer rounds them, on both engines. */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Documents, documentsOf } from '../../support/content/documents.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const MOST = '9223372036854775807';
const LEAST = '-9223372036854775808';
/** Neighbours that are one double, in order. */
const NEIGHBOURS = ['9007199254740991', '9007199254740992', '9007199254740993', '9007199254740994'];

const big = (more: object = {}) => ({ type: 'biginteger', ...more });
const relation = (kind: string, target: string, more: object) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});

function project() {
  return makeProject({
    contentTypes: {
      account: contentType(
        'account',
        {
          number: big({ unique: true }),
          bounded: big({ min: '9007199254740993', max: '9223372036854775806' }),
          part: { type: 'component', component: 'lib.amount' },
          parts: { type: 'component', component: 'lib.amount', repeatable: true },
          orders: relation('oneToMany', 'order', { mappedBy: 'account' }),
        },
        { options: { draftAndPublish: true } },
      ),
      order: contentType('order', {
        number: big(),
        key: big({ unique: true }),
        account: relation('manyToOne', 'account', { inversedBy: 'orders' }),
      }),
    },
    components: {
      'lib.amount': { collectionName: 'components_lib_amounts', attributes: { amount: big({ required: true }) } },
    },
  });
}

for (const engine of engines) {
  describe(`large integers on ${engine.name}`, () => {
    let server: SeededServer;
    let api: Documents;
    before(async () => {
      server = await serveSeeded(engine, await project());
      api = documentsOf(server);
    });
    after(() => server?.stop());

    const publish = (documentId: string, body: object = {}) =>
      server.request('PUT', `/api/accounts/${documentId}`, { token: server.secrets['full'], body: { data: body } });

    it('a stored draft is published with the values that it has', async () => {
      for (const number of [MOST, LEAST, ...NEIGHBOURS]) {
        const parts = [{ amount: number }, { amount: MOST }];
        const draft = { number, part: { amount: number }, parts };
        const { documentId } = await api.create('accounts', draft, 'status=draft');
        const { status, text } = await publish(documentId);
        strictEqual(status, 200, text);
        const published = await api.read('accounts', documentId, 'populate=*');
        const amounts = published.parts.map(({ amount }: { amount: string }) => amount);
        deepStrictEqual([published.number, published.part.amount, amounts], [number, number, [number, MOST]]);
        await api.remove('accounts', documentId);
      }
    });

    it('a stored draft is held to limits by its very value', async () => {
      for (const [bounded, status] of [
        ['9007199254740992', 400],
        ['9007199254740993', 200],
        ['9223372036854775806', 200],
      ] as const) {
        const { documentId } = await api.create('accounts', { bounded }, 'status=draft');
        const answer = await publish(documentId);
        strictEqual(answer.status, status, `${bounded} ${answer.text}`);
        await api.remove('accounts', documentId);
      }
    });

    it('values are unique where they differ in the last digit, and taken where they do not', async () => {
      const made: string[] = [];
      for (const number of NEIGHBOURS) {
        const { documentId } = await api.create('accounts', { number }, 'status=draft');
        strictEqual((await publish(documentId)).status, 200, number);
        made.push(documentId);
      }
      const { documentId } = await api.create('accounts', { number: NEIGHBOURS[2] }, 'status=draft');
      const { status, body } = await publish(documentId);
      deepStrictEqual([status, body.error?.details.errors[0].path], [400, ['number']]);
      for (const id of [...made, documentId]) await api.remove('accounts', id);
    });

    it('a copy of a document has its values, and is refused where one is unique', async () => {
      const orders = server.app.documents('api::order.order');
      const { documentId } = await orders.create({ data: { number: NEIGHBOURS[2], key: NEIGHBOURS[2] } });
      await orders.create({ data: { key: NEIGHBOURS[1] } });
      await rejects(orders.clone({ documentId }), /must be unique/);
      // the neighbour of a value that is taken is free
      const copy = await orders.clone({ documentId, data: { key: NEIGHBOURS[3] } });
      deepStrictEqual([copy.entries[0]?.['number'], copy.entries[0]?.['key']], [NEIGHBOURS[2], NEIGHBOURS[3]]);
      for (const { documentId: id } of await orders.findMany({})) await orders.delete({ documentId: id });
    });

    describe('in lists', () => {
      const all = [LEAST, ...NEIGHBOURS, MOST];
      before(async () => {
        const { documentId } = await api.create('accounts', { number: NEIGHBOURS[2] });
        for (const number of all.toReversed()) await api.create('orders', { number, account: documentId });
      });

      const numbers = async (query: string): Promise<string[]> => {
        const { status, body, text } = await server.get(`/api/orders?sort=number&${query}`, server.secrets['full']);
        strictEqual(status, 200, text);
        return body.data.map(({ number }: { number: string }) => number);
      };
      const [least, low, even, odd, high, most] = all as [string, string, string, string, string, string];

      for (const [query, expected] of [
        [`[$eq]=${odd}`, [odd]],
        [`[$ne]=${odd}`, [least, low, even, high, most]],
        [`[$in][0]=${odd}&filters[number][$in][1]=${most}`, [odd, most]],
        [`[$notIn][0]=${even}&filters[number][$notIn][1]=${least}`, [low, odd, high, most]],
        [`[$gt]=${even}`, [odd, high, most]],
        [`[$gte]=${odd}`, [odd, high, most]],
        [`[$lt]=${odd}`, [least, low, even]],
        [`[$lte]=${odd}`, [least, low, even, odd]],
        [`[$between][0]=${odd}&filters[number][$between][1]=${odd}`, [odd]],
        ['[$gt]=9223372036854775808', []],
        ['[$lt]=9223372036854775808', all],
        [`[$endsWith]=${odd.slice(-3)}`, [odd]],
      ] as const) {
        it(`finds by ${query}`, async () => {
          deepStrictEqual(await numbers(`filters[number]${query}`), expected);
        });
      }

      it('finds through a relation', async () => {
        deepStrictEqual(await numbers(`filters[account][number]=${odd}`), all);
        deepStrictEqual(await numbers(`filters[account][number]=${even}`), []);
      });

      it('sorts, and continues from page to page', async () => {
        for (const [sort, expected] of [
          ['number', all],
          ['number:desc', all.toReversed()],
          ['account.orders.number', all.toReversed()],
        ] as const) {
          const found: string[] = [];
          for (let cursor: string | null = ''; cursor !== null; ) {
            const page = `sort=${sort}&pagination[cursor]=${cursor}&pagination[pageSize]=1`;
            const { status, body, text } = await server.get(`/api/orders?${page}`, server.secrets['full']);
            strictEqual(status, 200, text);
            found.push(...body.data.map(({ number }: { number: string }) => number));
            cursor = body.meta.pagination.next;
          }
          deepStrictEqual(found, expected, sort);
        }
      });
    });
  });
}
