/**
 * Changes of schema files with 100,000 documents, while clients read and write over HTTP: no request fails, no confirmed
 * write is lost, and the result matches the plan. By hand, on both engines:
 *
 *     node test/migrate-changes.ts
 *
 * Each number can be set in the environment, as `MIGRATE_ROWS=1000 MIGRATE_CHANGES=rename,retype node test/migrate-changes.ts`.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Engine, engines } from './support/databases/databases.ts';
import { openPlain } from './support/databases/plain-database.ts';
import { SECRETS, type StartedProcess, spawnProcess, startProcess } from './support/servers/process.ts';
import { contentType, makeProject, type ProjectFolder } from './support/servers/project.ts';

const ROWS = Number(process.env['MIGRATE_ROWS'] ?? 100_000);
const CHOSEN = process.env['MIGRATE_CHANGES']?.split(',');
const WRITERS = 4;
const READERS = 4;

type Json = Readonly<Record<string, unknown>>;
type Count = (where: string, table?: string) => Promise<number>;

interface Change {
  readonly name: string;
  /** The schema of the type before and after the change. */
  readonly before?: Json;
  readonly after: Json;
  readonly options?: readonly [before: Json, after: Json];
  readonly component?: Json;
  readonly words?: readonly string[];
  /** What the migration must print. */
  readonly plan: RegExp;
  /** The number of rows that must be right, and where; `made`: documents that clients have created. */
  readonly check: (count: Count, made: number) => Promise<void>;
}

const BASE = {
  title: { type: 'string' },
  price: { type: 'string' },
  note: { type: 'string' },
  counter: { type: 'integer' },
};
const COMPONENT = 'components_shared_seos';
const DRAFTS = { options: { draftAndPublish: true } };
const LOCALES = { pluginOptions: { i18n: { localized: true } } };
const { title, price, note, counter } = BASE;
const seo = { type: 'component', component: 'shared.seo' };
/** At least as many as there were, since clients create some. */
const number = '[\\d,]+';

const all = async (count: Count, where: string, wanted: number, table?: string) =>
  strictEqual(await count(where, table), wanted, where);

const CHANGES: readonly Change[] = [
  {
    name: 'rename',
    after: { heading: { ...title, renamedFrom: 'title' }, price, note, counter },
    plan: new RegExp(`thing\\.heading +was title: ${number}`),
    check: (count) => all(count, "heading = 'title ' || substr(document_id, 4)", ROWS),
  },
  {
    name: 'retype',
    after: { ...BASE, price: { type: 'integer' } },
    words: ['--default', 'thing.price=0'],
    plan: /thing\.price +string becomes integer\n +1 value of .* does not fit/,
    check: async (count) => {
      await all(count, "price = cast(substr(document_id, 4) as integer) and document_id like 'doc%'", ROWS - 1);
      await all(count, "price = 0 and document_id like 'doc%'", 1);
    },
  },
  {
    name: 'required',
    after: { ...BASE, note: { ...note, required: true } },
    words: ['--default', 'thing.note=none'],
    plan: /thing\.note +is required: .* get "none"/,
    check: async (count) => {
      await all(count, 'note is null', 0);
      await all(count, "note = 'none' and document_id like 'doc%'", Math.floor(ROWS / 2));
    },
  },
  {
    name: 'unique',
    after: { ...BASE, title: { ...title, unique: true } },
    plan: /thing\.title +is unique/,
    check: (count) => all(count, "title = 'title ' || substr(document_id, 4)", ROWS),
  },
  {
    name: 'component',
    after: { price, note, counter, seo: { ...seo, renamedFrom: { headline: 'title' } } },
    component: { headline: title },
    plan: new RegExp(`thing\\.title +moves into seo\\.headline: ${number}`),
    check: async (count) => {
      await all(count, "field = 'seo'", ROWS, 'things_cmps');
      await all(count, "headline like 'title %'", ROWS, COMPONENT);
    },
  },
  {
    name: 'remove',
    after: { price, note, counter },
    words: ['--drop', 'thing.title'],
    plan: new RegExp(`thing\\.title +is removed, and its content is dropped: ${number}`),
    check: (count) => all(count, "1 = 1 and document_id like 'doc%'", ROWS),
  },
  {
    name: 'type',
    after: BASE,
    options: [{}, { renamedFrom: 'api::thing.thing', info: { pluralName: 'things' } }],
    plan: new RegExp(`object +was api::thing\\.thing: ${number}`),
    check: (count) => all(count, "title = 'title ' || substr(document_id, 4)", ROWS),
  },
  {
    name: 'drafts-on',
    before: { ...BASE, seo },
    after: { ...BASE, seo },
    options: [{}, DRAFTS],
    plan: new RegExp(`thing +gets drafts: ${number}`),
    check: async (count, made) => {
      await all(count, "published_at is null and document_id like 'doc%'", ROWS);
      await all(count, "published_at is not null and document_id like 'doc%'", ROWS);
      await all(count, 'document_id not in (select document_id from things where published_at is null)', 0);
      ok(made >= 0);
    },
  },
  {
    name: 'drafts-off',
    after: BASE,
    options: [DRAFTS, {}],
    words: ['--publish', 'thing'],
    plan: /thing +loses its drafts/,
    check: async (count) => {
      await all(count, "document_id like 'doc%'", ROWS);
      await all(count, 'published_at is null', 0);
    },
  },
  {
    name: 'locales-on',
    after: BASE,
    options: [{}, LOCALES],
    plan: new RegExp(`thing +gets locales: ${number}`),
    check: (count, made) => all(count, "locale = 'en'", ROWS + made),
  },
  {
    name: 'locales-off',
    after: BASE,
    options: [LOCALES, {}],
    plan: /thing +loses its locales/,
    check: (count, made) => all(count, 'locale is null', ROWS + made),
  },
];

const schemaFile = (dir: string, name: string) => path.join(dir, `src/api/${name}/content-types/${name}/schema.json`);

/** Clients that read and write until they are stopped. */
class Clients {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly failures: string[] = [];
  /** The last confirmed counter by document. */
  readonly written = new Map<string, number>();
  readonly created = new Map<string, number>();
  requests = 0;
  slowest = 0;
  #isEnding = false;
  readonly #running: Promise<void>[];

  constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const writers = Array.from({ length: WRITERS }, (_, n) => this.#write(n));
    const readers = Array.from({ length: READERS }, (_, n) => this.#read(n));
    this.#running = [...writers, ...readers];
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#running);
  }

  async #send(method: string, target: string, data?: Json): Promise<Json | undefined> {
    const started = performance.now();
    this.requests++;
    try {
      const body = data && { body: JSON.stringify({ data }) };
      const response = await fetch(`${this.#url}/api/${target}`, { method, headers: this.#headers, ...body });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as Json;
      this.failures.push(`${method} ${target}: ${response.status} ${text.slice(0, 300)}`);
    } catch (error) {
      this.failures.push(`${method} ${target}: ${(error as Error).message} ${String((error as Error).cause)}`);
    } finally {
      this.slowest = Math.max(this.slowest, performance.now() - started);
    }
    return undefined;
  }

  async #write(writer: number): Promise<void> {
    for (let n = 1; !this.#isEnding; n++) {
      // each writer has documents of its own
      const id = `doc${((n * WRITERS) % Math.floor(ROWS / 2)) + writer + 1}`;
      const changed = await this.#send('PUT', `things/${id}`, { counter: n });
      if (changed) this.written.set(id, n);
      if (n % 5 !== 0) continue;
      const created = await this.#send('POST', 'things', { counter: n, note: 'made' });
      const made = created?.['data'] as Json | undefined;
      if (made) this.created.set(String(made['documentId']), n);
      await pause(5);
    }
  }

  async #read(reader: number): Promise<void> {
    for (let n = 1; !this.#isEnding; n++) {
      if (n % 2 === 0) await this.#send('GET', `things/doc${((n * 37 + reader) % ROWS) + 1}?populate=*`);
      else await this.#send('GET', `things?pagination[page]=${(n % 50) + 1}&pagination[pageSize]=20&populate=*`);
      await pause(2);
    }
  }
}

async function fill(engine: Engine, env: Readonly<Record<string, string>>, { options, before }: Change): Promise<void> {
  const { database } = await openPlain({ env });
  const moment = engine.name === 'sqlite' ? '1767225600000' : "timestamp '2026-01-01'";
  const [former] = options ?? [];
  const locale = former === LOCALES ? "'en'" : 'null';
  const numbers = `with recursive c(n) as (select 1 union all select n + 1 from c where n < ${ROWS})`;
  const values = `'doc' || n, 'title ' || n, case when n = 7 then 'about 7' else '' || n end, case when n % 2 = 1 then 'note' end, 0, ${moment}, ${moment}, ${locale}`;
  const columns = 'document_id, title, price, note, counter, updated_at, published_at, locale';
  await database.transaction(async (tx) => {
    await tx.rows(`insert into things (${columns}) ${numbers} select ${values} from c`, []);
    if (former === DRAFTS) {
      const draft = columns.replace('published_at', 'created_at');
      const select = draft.replace('created_at', 'updated_at');
      await tx.rows(`insert into things (${draft}) select ${select} from things`, []);
    }
    if (before) {
      await tx.rows(`insert into ${COMPONENT} (id, text) select id, 'seo ' || id from things`, []);
      const tie = 'entity_id, cmp_id, component_type, field';
      await tx.rows(`insert into things_cmps (${tie}) select id, id, 'shared.seo', 'seo' from things`, []);
    }
  });
  await database.close();
}

async function galley(words: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { ended } = spawnProcess(words, env);
  const { code, out, err } = await ended;
  strictEqual(code, 0, `galley ${words.join(' ')}: ${out}${err}`);
  return out;
}

async function run(engine: Engine, change: Change): Promise<void> {
  const { name, before = BASE, after, options: [former, latter] = [{}, {}], component = {}, words = [] } = change;
  const part = (attributes: Json) => ({
    collectionName: COMPONENT,
    attributes: { text: { type: 'string' }, ...attributes },
  });
  const folder: ProjectFolder = await makeProject({
    contentTypes: { thing: contentType('thing', before, former) },
    components: { 'shared.seo': part({}) },
  });
  const database = await engine.emptyDatabase();
  const env = { ...database.env, ...SECRETS };
  let server: StartedProcess | undefined;
  try {
    const token = (await galley(['token', 'create', '--name', 'test', '--type', 'full-access', folder.dir], env))
      .trim()
      .split(/\s+/)
      .at(-1)!;
    await fill(engine, database.env, change);
    server = await startProcess(folder.dir, env);
    const clients = new Clients(server.url, token);
    await pause(2000);
    const isRenamed = latter['renamedFrom'] !== undefined;
    if (isRenamed) await rm(path.join(folder.dir, 'src/api/thing'), { recursive: true });
    await writeFile(path.join(folder.dir, 'src/components/shared/seo.json'), JSON.stringify(part(component)));
    const type = isRenamed ? 'object' : 'thing';
    const schema = contentType(type, after, { ...latter, collectionName: 'things' });
    await mkdir(path.dirname(schemaFile(folder.dir, type)), { recursive: true });
    await writeFile(schemaFile(folder.dir, type), JSON.stringify(schema));
    const started = performance.now();
    const out = await galley(['migrate', '--no-backup', ...words, folder.dir], env);
    const seconds = (performance.now() - started) / 1000;
    ok(change.plan.test(out), out);
    await pause(1000);
    await clients.stop();
    deepStrictEqual(clients.failures.slice(0, 5), []);
    const plain = await openPlain(database);
    const count: Count = async (where, table = 'things') =>
      Number((await plain.database.rows(`select count(*) from ${table} where ${where}`, []))[0]![0]);
    await change.check(count, clients.created.size);
    const rows = await plain.database.rows(
      'select document_id, max(counter) from things where counter > 0 group by document_id',
      [],
    );
    const counters = new Map(rows.map(([id, value]) => [String(id), Number(value)]));
    const lost = [...clients.written, ...clients.created].filter(([id, value]) => counters.get(id) !== value);
    deepStrictEqual(lost.slice(0, 5), []);
    await plain.database.close();
    console.log(
      `${engine.name} ${name}: ${seconds.toFixed(1)} s, ${clients.requests} requests, the slowest ${Math.round(clients.slowest)} ms, ${clients.written.size + clients.created.size} documents written`,
    );
  } finally {
    server?.child.kill('SIGTERM');
    await server?.ended;
    await database.drop();
    await folder.remove();
  }
}

for (const engine of engines) {
  if (process.env['MIGRATE_ENGINE'] !== undefined && process.env['MIGRATE_ENGINE'] !== engine.name) continue;
  for (const change of CHANGES) {
    if (CHOSEN && !CHOSEN.includes(change.name)) continue;
    try {
      await run(engine, change);
    } catch (error) {
      process.exitCode = 1;
      console.error(`${engine.name} ${change.name} failed:`, error);
    }
  }
}
process.exit();
