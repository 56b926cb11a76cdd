/** Concurrent writers of one document take turns: no version and no unique value exists twice, and no link is lost. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import type { Answer } from '../../support/servers/project.ts';
import { type SeededServer, serveScenarioProject } from '../../support/servers/seeded.ts';

const WRITERS = 8;
/** Times that a race is run: what is wrong must not pass by luck. */
const ROUNDS = 5;

for (const engine of engines) {
  describe(`concurrent writers on ${engine.name}`, () => {
    let server: SeededServer;
    const call = (method: string, target: string, body?: unknown, headers: Record<string, string> = {}) =>
      server.request(method, `/api${target}`, {
        token: server.secrets['full'],
        headers,
        ...(body ? { body } : {}),
      });
    const make = async (plural: string, data: unknown, query = ''): Promise<string> => {
      const { status, body } = await call('POST', `/${plural}${query}`, { data });
      strictEqual(status, 200, JSON.stringify(body));
      return body.data.documentId;
    };
    const all = <T>(work: (index: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: WRITERS }, (_, index) => work(index)));
    const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();
    const rows = async (table: string, documentId: string): Promise<number> => {
      const text = `select count(*) from ${table} where document_id = '${documentId}'`;
      return Number((await server.app.database.rows(text, []))[0]![0]);
    };

    before(async () => {
      server = await serveScenarioProject(engine);
    });
    after(() => server?.stop());

    it('creates a single type once', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const answers = await all((index) => call('PUT', '/homepage', { data: { headline: `h${index}` } }));
        deepStrictEqual(statuses(answers), Array(WRITERS).fill(200));
        strictEqual(new Set(answers.map(({ body }) => body.data.documentId)).size, 1);
        strictEqual(await rows('homepages', answers[0]!.body.data.documentId), 2);
        await call('DELETE', '/homepage');
      }
    });

    it('makes a locale version once', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const id = await make('articles', { title: 'One' });
        const answers = await all((index) =>
          call('PUT', `/articles/${id}?locale=fr`, { data: { title: `Un ${index}` } }),
        );
        deepStrictEqual(statuses(answers), Array(WRITERS).fill(200));
        strictEqual(await rows('articles', id), 4);
      }
    });

    it('publishes a draft into one row', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const id = await make('articles', { title: 'One' }, '?status=draft');
        const answers = await all(() => call('POST', `/articles/${id}/actions/publish`));
        deepStrictEqual(statuses(answers), Array(WRITERS).fill(200));
        strictEqual(await rows('articles', id), 2);
      }
    });

    it('gives a unique value to one document', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const data = {
          title: 'Event',
          starts: '2024-01-01T00:00:00.000Z',
          venue: { name: 'Hall' },
          code: `ABC-${round}`,
        };
        const answers = await all(() => call('POST', '/events', { data }));
        deepStrictEqual(statuses(answers), [200, ...Array(WRITERS - 1).fill(400)]);
      }
    });

    it('keeps the link of two documents that are published at the same time, in either order', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const pairs = await all(async () => {
          const tag = await make('tags', { name: 'red' }, '?status=draft');
          const article = await make('articles', { title: 'One', tags: [tag] }, '?status=draft');
          return { tag, article };
        });
        await all((index) => {
          const { tag, article } = pairs[index]!;
          return Promise.all([
            call('POST', `/tags/${tag}/actions/publish`),
            call('POST', `/articles/${article}/actions/publish`),
          ]);
        });
        for (const { tag, article } of pairs) {
          const { body } = await call('GET', `/articles/${article}?populate=tags`);
          deepStrictEqual(
            body.data.tags.map(({ documentId }: { documentId: string }) => documentId),
            [tag],
          );
        }
      }
    });

    it('writes documents that link to each other at once', async () => {
      const [a, b] = [await make('articles', { title: 'A' }), await make('articles', { title: 'B' })];
      const answers = await all((index) => {
        const [from, to] = index % 2 === 0 ? [a, b] : [b, a];
        return call('PUT', `/articles/${from}`, { data: { related: [to] } });
      });
      deepStrictEqual(statuses(answers), Array(WRITERS).fill(200));
    });

    /** Numbers that two links of one list share, of the table that holds articles' tags. */
    const shared = async (list: 'article' | 'tag'): Promise<unknown[]> => {
      const [group, order] = list === 'tag' ? ['tag_id', 'article_ord'] : ['article_id', 'tag_ord'];
      const text = `select ${group}, ${order} from articles_tags_lnk group by ${group}, ${order} having count(*) > 1`;
      return [...(await server.app.database.rows(text, []))];
    };

    it('gives documents that link to the same document at the same time different places in its list', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const tag = await make('tags', { name: 'red' });
        const answers = await all((index) => call('POST', '/articles', { data: { title: `T${index}`, tags: [tag] } }));
        deepStrictEqual(statuses(answers), Array(WRITERS).fill(200));
        deepStrictEqual(await shared('tag'), []);
      }
    });

    it('does so when they link from the other side', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const article = await make('articles', { title: 'One' });
        const answers = await all((index) =>
          call('POST', '/tags', { data: { name: `t${index}`, articles: [article] } }),
        );
        deepStrictEqual(statuses(answers), Array(WRITERS).fill(200));
        deepStrictEqual(await shared('article'), []);
      }
    });

    it('does so when their links become real by publication', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const tag = await make('tags', { name: 'red' });
        const ids: string[] = [];
        for (let index = 0; index < WRITERS; index++) {
          ids.push(await make('articles', { title: `T${index}`, tags: [tag] }, '?status=draft'));
        }
        const answers = await all((index) => call('POST', `/articles/${ids[index]}/actions/publish`));
        deepStrictEqual(statuses(answers), Array(WRITERS).fill(200));
        deepStrictEqual(await shared('tag'), []);
      }
    });

    it('answers a link to a document that is deleted meanwhile, one way or the other', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const tag = await make('tags', { name: 'red' });
        const answers = await all((index) =>
          index === 0
            ? call('DELETE', `/tags/${tag}`)
            : call('POST', '/articles', { data: { title: `T${index}`, tags: [tag] } }),
        );
        for (const { status } of answers) strictEqual([200, 204, 400].includes(status), true, String(status));
      }
    });

    it('accepts one of several writers that have read the same version', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const id = await make('tags', { name: 'red', weight: 0 });
        const etag = (await call('GET', `/tags/${id}`)).headers.get('etag')!;
        const answers = await all((index) =>
          call('PUT', `/tags/${id}`, { data: { weight: index + 1 } }, { 'if-match': etag }),
        );
        deepStrictEqual(statuses(answers), [200, ...Array(WRITERS - 1).fill(412)]);
        const through = answers.find(({ status }) => status === 200)!;
        strictEqual((await call('GET', `/tags/${id}`)).body.data.weight, through.body.data.weight);
      }
    });

    it('loses no update of a caller that reads and tries again', async () => {
      const id = await make('tags', { name: 'red', weight: 0 });
      await all(async () => {
        for (;;) {
          const read = await call('GET', `/tags/${id}`);
          const headers = { 'if-match': read.headers.get('etag')! };
          const { status } = await call('PUT', `/tags/${id}`, { data: { weight: read.body.data.weight + 1 } }, headers);
          if (status === 200) return;
          strictEqual(status, 412);
        }
      });
      strictEqual((await call('GET', `/tags/${id}`)).body.data.weight, WRITERS);
    });
  });
}
