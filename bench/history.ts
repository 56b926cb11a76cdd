/**
 * The history of documents: what recording it and the audit log adds to writes, and in a large database how long a
 * timeline takes among many recorded versions, Galley's and Strapi's, and how many bytes a version takes. By hand:
 *
 *     npm run bench:history [-- --versions 1000000] [--engines sqlite,postgres]
 */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Executor } from '../src/db/interface/queryable.ts';
import { packVersions } from '../src/history/upkeep.ts';
import { engines } from '../test/support/databases/databases.ts';
import { copyProject, FIXTURE_DIR, type RunningServer, serve } from '../test/support/servers/project.ts';
import { circumstances } from './document.ts';

const { values: options } = parseArgs({
  options: {
    versions: { type: 'string', default: '1000000' },
    engines: { type: 'string', default: 'sqlite,postgres' },
  },
});
const VERSIONS = Number(options.versions);
/** Versions of one document: what the default retention stores. */
const OF_DOCUMENT = 100;
const READS = 200;
/** Documents whose versions are weighed, and their publications. */
const [WEIGHED, PUBLICATIONS] = [50, 10];
const TABLES = ['galley_versions', 'galley_version_contents'];
const UID = 'api::article.article';
const tokensOf = (isPostgres: boolean) =>
  JSON.parse(
    readFileSync(path.join(FIXTURE_DIR, isPostgres ? 'tokens-postgres.json' : 'tokens.json'), 'utf8'),
  ) as Record<string, string>;

async function run(server: RunningServer, ...statements: string[]): Promise<void> {
  await server.app.database.transaction(async (tx) => {
    for (const statement of statements) await tx.rows(statement, []);
  });
}

/** A row for each number up to `VERSIONS`, of as many documents as their versions make, the first of which is given. */
const rowsOf = (documentId: string, columns: string) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${VERSIONS}),
   numbered(i, document) as (select i, case when i % ${VERSIONS / OF_DOCUMENT} = 0 then '${documentId}'
   else 'document' || (i % ${VERSIONS / OF_DOCUMENT}) end from n) select ${columns} from numbered`;

async function fill(server: RunningServer, documentId: string, isPostgres: boolean): Promise<void> {
  const time = isPostgres ? `timestamp '2026-01-01' + i * interval '1 second'` : '1767225600000 + i * 1000';
  await run(
    server,
    `insert into galley_version_contents (hash, packed) values ('bench', 'x')`,
    `insert into galley_versions (content_type, document_id, locale, status, row_id, changed_at, replaced_at, reason,
     actor_kind, content_id) ${rowsOf(
       documentId,
       `'${UID}', document, 'en', 'draft', i % 10000, ${time}, 1767225600000 + i * 1000, 'updated', 'server',
       (select id from galley_version_contents where hash = 'bench')`,
     )}`,
    `insert into strapi_history_versions (content_type, related_document_id, locale, status, data, schema, created_at)
     ${rowsOf(documentId, `'${UID}', document, 'en', 'draft', ${isPostgres ? "'{}'::jsonb, '{}'::jsonb" : "'{}', '{}'"}, ${time}`)}`,
  );
}

async function timeline(server: RunningServer, target: string, token: string | undefined): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < READS; n += 1) {
    const started = performance.now();
    const { status, text } = await server.get(target, token);
    if (status !== 200) throw new Error(text);
    times.push(performance.now() - started);
  }
  times.sort((one, other) => one - other);
  return `median ${times[READS / 2]!.toFixed(1)} ms, 99th percentile ${times[Math.floor(READS * 0.99)]!.toFixed(1)} ms`;
}

/** Bytes of the tables of versions, with their indexes. */
async function bytes(server: RunningServer, isPostgres: boolean): Promise<number> {
  const sum = isPostgres
    ? `select ${TABLES.map((name) => `pg_total_relation_size('${name}')`).join(' + ')}`
    : `select sum(pgsize) from dbstat where name in (select name from sqlite_schema
       where tbl_name in (${TABLES.map((name) => `'${name}'`).join()}))`;
  return Number((await server.app.database.rows(sum, []))[0]![0]);
}

/** Gives the space of replaced rows back, as PostgreSQL uses it again later. */
async function compact(own: Executor): Promise<void> {
  for (const table of TABLES) await own.rows(`vacuum full ${table}`, []);
}

/** Publishes articles like those of the fixture again and again. */
async function weigh(server: RunningServer, isPostgres: boolean): Promise<string> {
  const documents = server.app.documents(UID);
  const before = await bytes(server, isPostgres);
  const data = {
    title: 'A title of some length',
    body: 'A paragraph of some length, as articles have them. '.repeat(40),
    views: 7,
    kind: 'news',
    seo: { metaTitle: 'A title', metaDescription: 'A description' },
    links: [{ label: 'here', url: 'https://example.org' }],
    zone: [{ __component: 'blocks.quote', text: 'Nothing' }],
  };
  for (let n = 0; n < WEIGHED; n += 1) {
    const { documentId } = await documents.create({ data: { ...data, title: `article ${n}` }, status: 'published' });
    for (let of = 0; of < PUBLICATIONS; of += 1) {
      const title = `article ${n}, edition ${of}`;
      await documents.update({ documentId: String(documentId), data: { title }, status: 'published' });
    }
  }
  const [row] = await server.app.database.rows(
    'select count(*), avg(length(content)) from galley_versions where content is not null',
    [],
  );
  const [count, length] = [Number(row![0]), Number(row![1])];
  await packVersions(server.app.database, () => false);
  if (isPostgres) await server.app.database.separately?.(compact);
  const after = await bytes(server, isPostgres);
  return `${count} versions with ${Math.round(length)} characters each: ${Math.round((after - before) / count)} bytes for each`;
}

/** Requests of a part of the comparison, how many at once, and the parts, of which the median counts. */
const [REQUESTS, AT_ONCE, PARTS] = [300, 10, 9];
const UNRECORDED = 'module.exports = { history: { versions: 0 }, trash: { days: 0 }, audit: false };';

async function serveFixture(engine: (typeof engines)[number], isRecorded: boolean): Promise<RunningServer> {
  const folder = await copyProject(FIXTURE_DIR);
  if (!isRecorded) {
    await mkdir(path.join(folder.dir, 'config'), { recursive: true });
    await writeFile(path.join(folder.dir, 'config/galley.js'), UNRECORDED);
  }
  return serve(folder, await engine.fixtureDatabase());
}

type Write = (server: RunningServer, n: number) => Promise<{ status: number; text: string }>;

/** Milliseconds of each of many writes. */
async function timed(server: RunningServer, write: Write): Promise<number> {
  const started = performance.now();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < REQUESTS) {
      const { status, text } = await write(server, next++);
      if (status >= 300) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return (performance.now() - started) / REQUESTS;
}

/** Compares writes of a server that records with those of one that does not, in turns. */
async function compareWrites(engine: (typeof engines)[number]): Promise<void> {
  const token = tokensOf(engine.name === 'postgres')['full'];
  const servers = [await serveFixture(engine, true), await serveFixture(engine, false)];
  const ids = new Map<RunningServer, string[]>(servers.map((server) => [server, []]));
  const send = (server: RunningServer, method: string, target: string, body?: object) =>
    server.request(method, target, { token, ...(body && { body }) });
  const idOf = (server: RunningServer, n: number) => ids.get(server)![n]!;
  const create: Write = async (server, n) => {
    const answer = await send(server, 'POST', '/api/articles?status=draft', {
      data: { title: `written ${n}`, body: 'x' },
    });
    ids.get(server)!.push((JSON.parse(answer.text) as { data: { documentId: string } }).data.documentId);
    return answer;
  };
  const writes: Readonly<Record<string, Write>> = {
    create,
    update: (server, n) =>
      send(server, 'PUT', `/api/articles/${idOf(server, n)}?status=draft`, {
        data: { title: `${n} ${Math.random()}` },
      }),
    publish: (server, n) => send(server, 'PUT', `/api/articles/${idOf(server, n)}`, { data: { title: `${n} first` } }),
    'publish again': (server, n) =>
      send(server, 'PUT', `/api/articles/${idOf(server, n)}`, { data: { title: `${n} again` } }),
    delete: (server, n) => send(server, 'DELETE', `/api/articles/${idOf(server, n)}`),
  };
  const ratios = new Map<string, number[]>(Object.keys(writes).map((name) => [name, []]));
  for (let part = 0; part <= PARTS; part += 1) {
    for (const server of servers) ids.set(server, []);
    for (const [name, write] of Object.entries(writes)) {
      const times = new Map<RunningServer, number>();
      for (const server of part % 2 === 0 ? servers : servers.toReversed())
        times.set(server, await timed(server, write));
      // the first part warms up
      if (part > 0) ratios.get(name)!.push(times.get(servers[0]!)! / times.get(servers[1]!)!);
    }
  }
  for (const [name, all] of ratios) {
    const sorted = all.toSorted((one, other) => one - other);
    const [low, median, high] = [1, (PARTS - 1) / 2, PARTS - 2].map((n) => `${Math.round((sorted[n]! - 1) * 100)} %`);
    console.log(engine.name, `${name}: ${median} longer with the history and the log (most parts ${low} to ${high})`);
  }
  for (const server of servers) await server.stop();
}

console.log(circumstances());
for (const engine of engines.filter(({ name }) => options.engines.split(',').includes(name))) {
  const isPostgres = engine.name === 'postgres';
  await compareWrites(engine);
  const folder = await copyProject(FIXTURE_DIR);
  const database = await engine.fixtureDatabase();
  const shared = { dir: folder.dir, remove: () => Promise.resolve() };
  const first = await serve(shared, { ...database, drop: () => Promise.resolve() });
  console.log(engine.name, 'storage:', await weigh(first, isPostgres));
  const { documentId } = await first.app.documents(UID).create({ data: { title: 'timeline' }, status: 'published' });
  await fill(first, String(documentId), isPostgres);
  await first.stop();
  const server = await serve(folder, database);
  const isIndexed = async () =>
    (await server.app.engine.introspect(server.app.database))
      .get('strapi_history_versions')
      ?.indexes.some(({ name }) => name === 'galley_strapi_versions_document');
  while (!(await isIndexed())) await new Promise((resolve) => setTimeout(resolve, 500));
  if (isPostgres) await run(server, 'analyze');
  const target = `/api/articles/${documentId}/versions`;
  for (const [what, query] of [
    ['first page', ''],
    ['last page, of Strapi', `pagination[page]=${(2 * OF_DOCUMENT) / 25}`],
    ['100 versions in one locale', 'locale=en&pagination[pageSize]=100'],
  ]) {
    console.log(
      engine.name,
      `timeline among ${VERSIONS} versions of each, ${what}:`,
      await timeline(server, `${target}?${query}`, tokensOf(isPostgres)['full']),
    );
  }
  await server.stop();
}
process.exit(0);
