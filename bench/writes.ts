/** Writing: what a request costs that is validated, stored in many tables, published, and durable when answered. */
import autocannon from 'autocannon';
import type { Target } from './processes.ts';

type Requests = autocannon.Request[];

/** Documents that updates and publications go round, so that requests do not all wait for one. */
const DOCUMENTS = 64;

/** Documents of the database that the new ones refer to. */
interface Neighbours {
  readonly author: string;
  readonly tags: readonly string[];
}

interface WriteWorkload {
  readonly name: string;
  /** Requests that a connection sends one after another, round and round. */
  readonly requests: (target: Target, neighbours: Neighbours, documents: readonly string[]) => Requests;
}

const json = { 'content-type': 'application/json' };

/** A document with two relations and three components. */
function article({ author, tags }: Neighbours): Record<string, unknown> {
  return {
    title: 'written',
    body: 'A paragraph of some length, as articles have them, though not quite as long. '.repeat(5),
    views: 7,
    featured: true,
    kind: 'news',
    day: '2026-05-06',
    author,
    tags,
    seo: { metaTitle: 'A title', metaDescription: 'A description' },
    links: [{ label: 'here', url: 'https://example.org' }],
    zone: [{ __component: 'blocks.quote', text: 'Nothing is as it was' }],
  };
}

const put = (target: Target, id: string, data: unknown): autocannon.Request => ({
  method: 'PUT',
  path: `/api/articles/${id}`,
  headers: { ...target.headers, ...json },
  body: JSON.stringify({ data }),
});

const workloads: readonly WriteWorkload[] = [
  {
    name: 'create',
    requests: (target, neighbours) => [
      {
        method: 'POST',
        path: '/api/articles',
        headers: { ...target.headers, ...json },
        body: JSON.stringify({ data: article(neighbours) }),
      },
    ],
  },
  {
    name: 'update',
    requests: (target, _, documents) =>
      documents.map((id, index) => put(target, id, { title: `changed ${index}`, views: index })),
  },
  { name: 'publish', requests: (target, _, documents) => documents.map((id) => put(target, id, {})) },
];

async function read(target: Target, path: string): Promise<{ documentId: string }[]> {
  const response = await fetch(target.url + path, { headers: target.headers });
  return ((await response.json()) as { data: { documentId: string }[] }).data;
}

/** Makes the documents that updates and publications go round. */
async function prepare(target: Target): Promise<{ neighbours: Neighbours; documents: string[] }> {
  const [author] = await read(target, '/api/authors?pagination[pageSize]=1');
  const tags = (await read(target, '/api/tags?pagination[pageSize]=2')).map(({ documentId }) => documentId);
  const neighbours = { author: author!.documentId, tags };
  const documents: string[] = [];
  for (let i = 0; i < DOCUMENTS; i++) {
    const body = JSON.stringify({ data: { ...article(neighbours), title: `prepared ${i}` } });
    const response = await fetch(`${target.url}/api/articles`, {
      method: 'POST',
      headers: { ...target.headers, ...json },
      body,
    });
    const answer = (await response.json()) as { data?: { documentId: string } };
    if (!answer.data) throw new Error(`${target.url}: ${response.status} ${JSON.stringify(answer).slice(0, 300)}`);
    documents.push(answer.data.documentId);
  }
  return { neighbours, documents };
}

/** Names of the workloads. */
export const writeNames: readonly string[] = workloads.map(({ name }) => name);

/** Answers per second of each workload by name, after a warm-up. */
export async function measureWrites(
  target: Target,
  names: readonly string[],
  connections: number,
  seconds: number,
): Promise<Map<string, number>> {
  const { neighbours, documents } = await prepare(target);
  const rates = new Map<string, number>();
  for (const { name, requests } of workloads.filter((workload) => names.includes(workload.name))) {
    const run = (duration: number): Promise<autocannon.Result> =>
      autocannon({
        url: target.url,
        connections,
        duration,
        requests: requests(target, neighbours, documents),
      });
    await run(1);
    const result = await run(seconds);
    if (result.non2xx || result.errors) {
      throw new Error(`${target.url}, ${name}: ${result.non2xx} refused, ${result.errors} failed`);
    }
    rates.set(name, result['2xx'] / result.duration);
  }
  return rates;
}
