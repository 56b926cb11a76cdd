/** Payload with the same content, installed when it is first asked for. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Outgoing, pace, type Source } from './load.ts';
import { writeRows } from './payload/rows.ts';
import { launch, type Target } from './processes.ts';
import { WRITTEN, type Writers } from './writes.ts';

const VERSION = '3.90.2';

const manifest = {
  name: 'bench-payload',
  private: true,
  version: '0.0.0',
  type: 'module',
  dependencies: { payload: VERSION, '@payloadcms/db-sqlite': VERSION, '@payloadcms/db-postgres': VERSION },
};

/** Installs it into `dir` unless it is there. */
function install(dir: string): void {
  if (existsSync(path.join(dir, 'node_modules/payload/package.json'))) return;
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, 'package.json'), JSON.stringify(manifest, null, 2));
  console.log(`installing Payload ${VERSION} into ${dir} (a minute, 200 MB)`);
  // what it needs of its packages comes compiled; their scripts would only look for more
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: dir, stdio: 'inherit' });
}

/**
 * Starts Payload on a file, or on the PostgreSQL database of a URL, which must be new, and fills it with the published
 * English articles of an SQLite database of the fixture's layout. BENCH_PAYLOAD_DIR names a folder with its packages.
 */
export async function startPayload(options: {
  readonly rowsFrom: string;
  readonly database: string;
  readonly work: string;
  readonly port: number;
}): Promise<Target> {
  const { rowsFrom, database, work, port } = options;
  const installed = path.resolve(process.env['BENCH_PAYLOAD_DIR'] ?? path.join(work, 'payload'));
  install(installed);
  const rows = path.join(work, 'payload-rows.json');
  writeRows(rowsFrom, rows);
  if (!database.startsWith('postgres:')) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true });
  }
  return launch({
    command: process.execPath,
    args: [path.join(import.meta.dirname, 'payload/server.ts'), installed, database, String(port), rows],
    cwd: installed,
    // in production it makes no tables by itself
    env: { NODE_ENV: 'development', PAYLOAD_DISABLE_TELEMETRY: 'true' },
    port,
    probe: '/api/articles?limit=1',
    // until it has been filled, a document after the other
    timeout: 600_000,
  });
}

const without = (...names: readonly string[]): string => names.map((name) => `&select[${name}]=false`).join('');
const NESTED = ['seo', 'links', 'zone'];

/** The equivalents of the workloads that it has; `populate-all` is without files, which it was not given. */
const READS: Readonly<Record<string, string>> = {
  list: `/api/articles?sort=id&limit=25&depth=0${without('author', 'tags', ...NESTED)}`,
  'two-relations': `/api/articles?sort=id&limit=25&depth=1${without(...NESTED)}`,
  'populate-all': '/api/articles?sort=id&limit=25&depth=1',
  'filter-sort': `/api/articles?where[author.name][contains]=5&where[views][greater_than_equal]=1000&sort=-views,id&limit=10&depth=0${without('author', 'tags', ...NESTED)}`,
  single: '/api/articles/:id?depth=1',
};

interface Listed {
  readonly docs?: readonly { readonly id: number; readonly title: string }[];
}

async function listed(target: Target, pathname: string): Promise<NonNullable<Listed['docs']>> {
  const response = await fetch(target.url + pathname, { headers: target.headers });
  const { docs } = (await response.json()) as Listed;
  if (response.status !== 200 || !docs) throw new Error(`${pathname}: ${response.status}`);
  return docs;
}

/** Where it answers a workload, given the slug of the document that single reads are about; undefined: nowhere. */
export async function payloadPaths(target: Target, slug: string): Promise<(workload: string) => string | undefined> {
  const [document] = await listed(target, `/api/articles?where[slug][equals]=${slug}&limit=1`);
  return (workload) => READS[workload]?.replace(':id', String(document?.id));
}

/** What of an answer must be the same as in Galley's, whose form it does not have: titles, in order, and their number. */
export function contentOf(answer: unknown): unknown {
  const { docs, totalDocs, data, meta, title } = answer as {
    readonly docs?: readonly { readonly title: string }[];
    readonly totalDocs?: number;
    readonly data?: readonly { readonly title: string }[] | { readonly title: string };
    readonly meta?: { readonly pagination?: { readonly total: number } };
    readonly title?: string;
  };
  const list = docs ?? data;
  if (!Array.isArray(list)) return (data as { title: string } | undefined)?.title ?? title;
  return { titles: list.map((row: { title: string }) => row.title), total: totalDocs ?? meta?.pagination?.total };
}

const ARTICLE = {
  ...WRITTEN,
  zone: [{ blockType: 'quote', text: 'Nothing is as it was' }],
  _status: 'published',
};

/** So many who write: `create`, `update` of a title and a number, and `create-small`, each on documents of its own. */
export async function payloadWriters(target: Target, count: number): Promise<Writers> {
  const author = (await listed(target, '/api/authors?limit=1'))[0]!.id;
  const tags = (await listed(target, '/api/tags?limit=2')).map(({ id }) => id);
  const documents = (await listed(target, `/api/articles?limit=${4 * count}&sort=-id`)).map(({ id }) => id);
  let turn = 0;
  const requests: Readonly<Record<string, (writer: number) => Outgoing>> = {
    create: () => ({ method: 'POST', path: '/api/articles', body: { ...ARTICLE, author, tags } }),
    update: (writer) => ({
      method: 'PATCH',
      path: `/api/articles/${documents[(writer + count * turn) % documents.length]}`,
      body: { title: `changed ${turn}`, views: turn },
    }),
    'create-small': () => ({
      method: 'POST',
      path: '/api/articles',
      body: { title: `small ${turn}`, views: turn, _status: 'published' },
    }),
  };
  return {
    name: 'Payload',
    async rate(workload, seconds) {
      const request = requests[workload];
      if (!request) return undefined;
      const sources = Array.from(
        { length: count },
        (_, writer): Source => ({
          next() {
            turn++;
            return request(writer);
          },
          answered() {},
        }),
      );
      return pace(target, sources, seconds);
    },
  };
}
