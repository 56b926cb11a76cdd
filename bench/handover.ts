/**
 * Hands a database that Galley has written over to Strapi, and compares what both answer. By hand:
 *
 *     npm run bench:handover
 */
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { difference } from './difference.ts';
import { onFile, startGalley } from './galley.ts';
import { Script, writeEverything } from './handover-writes.ts';
import { freePort, type Target } from './processes.ts';
import { startStrapi } from './strapi.ts';

const ROOT = path.join(import.meta.dirname, '..');
const WORK = path.join(import.meta.dirname, '.work/handover');
const FIXTURE = path.join(ROOT, 'test/fixtures/strapi-project');
const PROBE = '/api/articles?pagination[pageSize]=1';

interface Read {
  readonly as: string;
  readonly request: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const fixtureJson = <T>(name: string): T => JSON.parse(readFileSync(path.join(FIXTURE, name), 'utf8')) as T;
const tokens = fixtureJson<Record<string, string>>('tokens.json');
const headers = { authorization: `Bearer ${tokens['full']}` };

/** Everything that was written, in both states, all locales, and three levels deep. */
function readsOfAll(script: Script): Read[] {
  const page = 'pagination[pageSize]=100&sort=id';
  const deep = 'populate[author][populate]=*&populate[tags][populate]=articles&populate[related][populate]=related';
  const inside =
    'populate[links][populate]=target&populate[zone][populate]=*&populate[seo][populate]=*&populate[localizations]=true';
  const lists = ['articles', 'authors', 'tags', 'events', 'countries', 'profiles'].flatMap((name) => {
    const localized = name === 'articles' || name === 'countries' ? ['', '&locale=fr', '&locale=*'] : [''];
    return localized.flatMap((locale) =>
      ['published', 'draft'].flatMap((status) => [
        `/${name}?${page}&status=${status}${locale}`,
        `/${name}?${page}&status=${status}${locale}&populate=*`,
      ]),
    );
  });
  for (const status of ['published', 'draft']) {
    for (const locale of ['en', 'fr']) {
      lists.push(`/articles?${page}&status=${status}&locale=${locale}&${deep}`);
      lists.push(`/articles?${page}&status=${status}&locale=${locale}&${inside}`);
      lists.push(`/homepage?status=${status}&locale=${locale}&populate=*`);
    }
    lists.push(
      `/events?${page}&status=${status}&populate[subject]=true&populate[mentions]=true&populate[zone][populate]=*`,
    );
    lists.push(`/authors?${page}&status=${status}&populate[articles][populate]=tags`);
    for (const cohort of ['never-published', 'modified', 'unmodified', 'has-published-version']) {
      lists.push(`/articles?${page}&status=${status}&publicationFilter=${cohort}&locale=*&fields[0]=title`);
    }
  }
  for (const name of ['one', 'two', 'three', 'fr', 'gone']) {
    lists.push(`/articles/${script.id(name)}?populate=*`, `/articles/${script.id(name)}?locale=fr&status=draft`);
  }
  const others = [
    '/setting',
    '/i18n/locales',
    '/upload/files?populate=*',
    '/users?populate=role',
    '/users-permissions/roles',
  ];
  return [...lists, ...others].map((target) => ({ as: 'full', request: `GET /api${target}` }));
}

async function answer(target: Target, { as, request }: Read): Promise<Answer> {
  const [method = '', pathname = ''] = request.split(/ (.*)/s);
  const token = tokens[as];
  const response = await fetch(target.url + encodeURI(pathname).replaceAll('%25', '%'), {
    method,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
  const text = await response.text();
  let body: unknown = text;
  try {
    body = withoutHint(JSON.parse(text));
  } catch {
    // a plain text stays one
  }
  return { status: response.status, body };
}

/** An error's `details.hint` is ours. */
function withoutHint(body: unknown): unknown {
  const error = (body as { error?: { details?: Record<string, unknown> } } | null)?.error;
  if (!error?.details) return body;
  const { hint: _, ...details } = error.details;
  return { ...(body as object), error: { ...error, details } };
}

/** What Strapi answers otherwise whoever wrote the database (docs of the reference's faults: shared specification). */
const EXPECTED: readonly { readonly request: RegExp; readonly why: string }[] = [
  { request: /\$containsi\]=\u00e9/, why: 'SQLite alone folds no letters beyond ASCII' },
];

/** Leaves out of an answer what Strapi is known to leave out: versions of the same page. */
function comparable(value: unknown, severalLocales: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, severalLocales));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !(severalLocales && key === 'localizations'));
  return Object.fromEntries(kept.map(([key, inner]) => [key, comparable(inner, severalLocales)]));
}

async function documentIds(target: Target, name: string, count: number): Promise<string[]> {
  const url = `${target.url}/api/${name}?sort=id&pagination[pageSize]=${count}&fields[0]=id`;
  const response = await fetch(url, { headers: target.headers });
  return ((await response.json()) as { data: { documentId: string }[] }).data.map(({ documentId }) => documentId);
}

rmSync(WORK, { recursive: true, force: true });
mkdirSync(WORK, { recursive: true });
const project = path.join(WORK, 'project');
cpSync(FIXTURE, project, { recursive: true });
const database = path.join(project, 'database/data.db');
const galley = await startGalley({
  program: 'src/main.ts',
  project,
  env: onFile(database),
  headers,
  probe: PROBE,
});
const script = new Script(galley);
const known: Record<string, string[]> = {};
for (const name of ['articles', 'authors', 'tags']) known[name] = await documentIds(galley, name, 2);
await writeEverything(script, known);

const reads = [...fixtureJson<Read[]>('reads.json'), ...readsOfAll(script)];
const ours: Answer[] = [];
for (const read of reads) ours.push(await answer(galley, read));
await galley.stop();

const strapi = await startStrapi({ project, database, work: WORK, port: await freePort(), headers, probe: PROBE });
let different = 0;
for (const [index, read] of reads.entries()) {
  const several = read.request.includes('locale=*');
  const [theirs, own] = [await answer(strapi, read), ours[index]!];
  const [left, right] = [comparable(own.body, several), comparable(theirs.body, several)];
  if (own.status === theirs.status && isDeepStrictEqual(left, right)) continue;
  const expected = EXPECTED.find(({ request }) => request.test(read.request));
  if (!expected) different += 1;
  const where = theirs.status === own.status ? difference(left, right) : 'status';
  console.log(`${read.as} ${read.request}\n  Galley ${own.status}, Strapi ${theirs.status}: ${where}`);
  if (expected) console.log(`  as expected: ${expected.why}`);
}
await strapi.stop();
console.log(`${script.count} writes by Galley; ${reads.length} reads, ${different} answered differently by Strapi`);
process.exitCode = different === 0 ? 0 : 1;
