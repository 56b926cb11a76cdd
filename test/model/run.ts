/** Runs sequences of random steps against a server and the model, and shrinks those that part the two. */
import { isDeepStrictEqual } from 'node:util';
import type { StepWriter } from '../../src/content/documents/writer.ts';
import type { Change } from '../../src/db/interface/change.ts';
import type { Transaction } from '../../src/db/interface/transaction.ts';
import type { Loss } from '../../src/history/restoring.ts';
import { type Deletion, listDeletions } from '../../src/history/trash.ts';
import { lossesOf, restoreDeletion } from '../../src/history/trash-restoring.ts';
import { readOwnVersion } from '../../src/history/versions.ts';
import type { SeededServer } from '../support/servers/seeded.ts';
import { brokenInvariants, leftovers } from './invariants.ts';
import { disagreement, misrecorded, type Recorded, type Snapshot, see } from './observed.ts';
import { Random } from './random.ts';
import { answeredView, expectedViews, learnIds, populateOf } from './reading.ts';
import type { Model, Schema } from './schema.ts';
import { plan, type Step } from './steps.ts';
import { World } from './world.ts';

/** What went wrong, and where. */
export interface Failure {
  readonly step: number;
  readonly message: string;
}

export interface Sequence {
  readonly seed: number;
  readonly steps: number;
}

/** Versions that are restored at the end of a sequence. */
const RESTORED = 12;

/** The seeds of a sequence's steps. */
export function seedsOf({ seed, steps }: Sequence): number[] {
  const random = new Random(seed);
  return Array.from({ length: steps }, () => random.below(2 ** 31));
}

export class Runner {
  readonly #server: SeededServer;
  readonly #schema: Schema;
  readonly #populate: ReadonlyMap<string, string>;
  /** The changes of the last write. */
  #told: Change[] = [];
  /** The last version that the history recorded before it. */
  #recorded = 0;
  /** The versions of a sequence. */
  readonly #versions: (Recorded & { readonly id: string })[] = [];
  /** What readers saw before it. */
  #seen: Snapshot = new Map();

  constructor(server: SeededServer, schema: Schema) {
    this.#server = server;
    this.#schema = schema;
    this.#populate = new Map([...schema.keys()].map((uid) => [uid, populateOf(schema, uid)]));
    server.app.database.subscribe({ afterCommit: (changes) => void this.#told.push(...changes) });
  }

  /** Runs steps on an empty store and empties it again. Gives the first failure; `log` is told each step. */
  async run(seeds: readonly number[], log: (line: string) => void = () => {}): Promise<Failure | undefined> {
    const world = new World(this.#schema);
    const docs = new Map<string, string>();
    this.#seen = new Map();
    await this.#newVersions();
    this.#versions.length = 0;
    let failure: Failure | undefined;
    for (const [index, seed] of seeds.entries()) {
      const step = plan(world, seed);
      if (!step) continue;
      const message = await this.#step(world, docs, step, log);
      if (message) {
        failure = { step: index, message };
        break;
      }
    }
    failure ??= await this.#restoreVersions(docs, log);
    if (!failure) {
      const broken = await brokenInvariants(this.#server.app, this.#schema);
      if (broken.length > 0) failure = { step: seeds.length, message: broken.join('\n') };
    }
    await this.#clear();
    const left = await leftovers(this.#server.app, this.#schema);
    if (left.length === 0) return failure;
    await this.#wipe();
    return failure ?? { step: seeds.length, message: `left behind when all was deleted: ${left.join(', ')}` };
  }

  /** Runs steps on an empty store, and leaves what they have written. Gives the first failure. */
  async fill(seeds: readonly number[]): Promise<string | undefined> {
    const world = new World(this.#schema);
    const docs = new Map<string, string>();
    this.#seen = new Map();
    await this.#newVersions();
    this.#versions.length = 0;
    for (const seed of seeds) {
      const step = plan(world, seed);
      const message = step && (await this.#step(world, docs, step, () => {}));
      if (message) return message;
    }
    return undefined;
  }

  /** Empties the store. */
  async empty(): Promise<void> {
    await this.#clear();
    await this.#wipe();
  }

  /** The shortest failing part of a failing sequence that dropping steps finds. */
  async shrink(seeds: readonly number[], failure: Failure): Promise<number[]> {
    let left = seeds.slice(0, failure.step + 1);
    for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = left.length - size; at >= 0; at -= size) {
        const shorter = [...left.slice(0, at), ...left.slice(at + size)];
        if (await this.run(shorter)) left = shorter;
      }
    }
    return left;
  }

  async #step(
    world: World,
    docs: Map<string, string>,
    step: Step,
    log: (line: string) => void,
  ): Promise<string | undefined> {
    const model = this.#schema.get(step.uid)!;
    const ids = new Map([...world.holders()].map(({ holder }) => [holder.key, holder.id]));
    const real = new Map([...docs].map(([id, name]) => [name, id]));
    const body = step.data === undefined ? undefined : { data: filled(step.data, real, ids) };
    const id = step.method === 'POST' || model.single ? undefined : real.get(step.doc);
    const target = `/api/${model.path}${id ? `/${id}` : ''}?${step.query}`;
    log(`${step.method} ${step.doc} ?${step.query} ${JSON.stringify(step.data) ?? ''}${step.apply ? '' : ' (wrong)'}`);
    const send = () => this.#server.request(step.method, target, { token: this.#server.secrets['full'], body });
    if (step.method === 'DELETE' && step.apply) {
      const former = await this.#lastDeletion();
      await send();
      const deletion = await this.#lastDeletion();
      // nothing was there to be deleted
      const isDeleted = deletion && deletion.id !== former?.id;
      const difference = isDeleted ? await this.#restoreDeleted(deletion) : undefined;
      if (difference) return difference;
    }
    this.#told = [];
    const answer = await send();
    if (!step.apply) {
      if (answer.status !== 400) return `a wrong body was answered ${answer.status} ${answer.text}`;
    } else {
      const expected = step.method === 'DELETE' ? 204 : 200;
      if (answer.status !== expected) return `answered ${answer.status} ${answer.text}`;
      if (step.method !== 'DELETE') docs.set(answer.body.data.documentId, step.doc);
      step.apply();
    }
    return this.#compare(world, docs);
  }

  async #lastDeletion(): Promise<Deletion | undefined> {
    return (await listDeletions(this.#server.app.database, { uids: [...this.#schema.keys()] }, 1))[0];
  }

  /** Restores what was just deleted, and compares what readers see with what they saw before. */
  async #restoreDeleted(deletion: Deletion): Promise<string | undefined> {
    const { app } = this.#server;
    const { catalog, layout, writer, reader, database, views } = app;
    const together = <T>(work: (tx: Transaction, services: { steps: StepWriter }) => Promise<T>) =>
      database.transaction((tx) => work(tx, { steps: writer.inside(tx) }));
    const { code } = views;
    const editing = { database, reader, together };
    const context = { catalog, layout, writer, whole: code.view, editing };
    const restorer = { read: code, create: code, publish: code };
    const type = catalog.contentTypes.get(deletion.uid)!;
    const foreseen = await lossesOf(context, restorer, type, deletion);
    const { losses } = await restoreDeletion(context, restorer, type, deletion);
    if (foreseen.length + losses.length > 0) return `lost ${JSON.stringify([foreseen, losses])}`;
    const seen = await this.#snapshot();
    await this.#newVersions();
    for (const version of new Set([...this.#seen.keys(), ...seen.keys()])) {
      const [was, is] = [this.#seen.get(version)?.whole, seen.get(version)?.whole];
      if (was !== is) return `${version} was restored as ${is}, and was ${was}`;
    }
    return undefined;
  }

  /** What readers see. */
  async #snapshot(): Promise<Snapshot> {
    const seen: Snapshot = new Map();
    for (const model of this.#schema.values()) {
      if (model.isComponent) continue;
      for (const status of ['draft', 'published'] as const) {
        for (const answer of await this.#read(model, status)) see(seen, this.#schema, model, status, answer);
      }
    }
    return seen;
  }

  async #compare(world: World, docs: ReadonlyMap<string, string>): Promise<string | undefined> {
    const seen: Snapshot = new Map();
    for (const model of this.#schema.values()) {
      if (model.isComponent) continue;
      for (const status of ['draft', 'published'] as const) {
        const answers = await this.#read(model, status);
        const expected = expectedViews(world, model, status);
        const got: Record<string, unknown> = {};
        for (const answer of answers) {
          const name = `${docs.get(answer.documentId) ?? answer.documentId}@${answer.locale ?? ''}`;
          got[name] = answeredView(this.#schema, model.uid, answer, docs);
          const row = world.rows.get(
            [model.uid, docs.get(answer.documentId), answer.locale ?? '', model.drafts ? status : 'only'].join('|'),
          );
          if (row) learnIds(world, row, answer);
          see(seen, this.#schema, model, status, answer);
        }
        const difference = firstDifference(expected, got, `${model.path} ${status}`);
        if (difference) return difference;
      }
    }
    const before = this.#seen;
    this.#seen = seen;
    return disagreement(before, seen, this.#told) ?? misrecorded(before, seen, this.#schema, await this.#newVersions());
  }

  /** Restores versions of documents that exist, and compares the drafts with what was recorded. */
  async #restoreVersions(docs: ReadonlyMap<string, string>, log: (line: string) => void): Promise<Failure | undefined> {
    const token = this.#server.secrets['full'];
    for (const { id, uid, documentId, locale, content } of this.#versions.splice(0).reverse().slice(0, RESTORED)) {
      const model = this.#schema.get(uid)!;
      const address = `/api/${model.path}${model.single ? '' : `/${documentId}`}`;
      const target = `${address}/versions/${id}`;
      const version = await this.#server.get(target, token);
      if (version.status === 404) continue;
      const { losses } = version.body.data;
      log(
        `restore ${docs.get(documentId)}@${locale ?? ''} ${JSON.stringify(content)} without ${JSON.stringify(losses)}`,
      );
      const restored = await this.#server.request('POST', `${target}/actions/restore`, { token, body: {} });
      if (restored.status !== 200) return { step: docs.size, message: `not restored: ${restored.text}` };
      const query = [this.#populate.get(uid)!, 'status=draft', ...(locale === null ? [] : [`locale=${locale}`])];
      const { body } = await this.#server.get(`${address}?${query.join('&')}`, token);
      const without = new Set<string>(
        losses.map((loss: Loss) => `${loss.target?.documentId} ${loss.target?.locale ?? ''}`),
      );
      const wanted = answeredView(this.#schema, uid, withoutTargets(content, without), docs);
      const got = answeredView(this.#schema, uid, body.data, docs);
      // a locale that was created again has what the others have
      for (const { path, reason } of losses) if (reason === 'sharedByLocales') wanted[path] = got[path];
      const difference = firstDifference(wanted, got, 'restored');
      if (difference) return { step: docs.size, message: difference };
    }
    return undefined;
  }

  /** The versions that the history has recorded since the last call. */
  async #newVersions(): Promise<Recorded[]> {
    const { database } = this.#server.app;
    const rows = await database.rows(
      `select "id", "content_type", "document_id" from galley_versions where "id" > ${this.#recorded} order by "id"`,
      [],
    );
    this.#recorded = Number(rows.at(-1)?.[0] ?? this.#recorded);
    const versions: (Recorded & { readonly id: string })[] = [];
    for (const [id, uid, documentId] of rows) {
      const address = { uid: String(uid), documentId: String(documentId) };
      const { version, content } = await readOwnVersion(database, address, Number(id));
      versions.push({ ...address, ...version, content });
    }
    this.#versions.push(...versions);
    return versions;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers are of any form
  async #read(model: Model, status: string): Promise<any[]> {
    const query = [this.#populate.get(model.uid)!, `status=${status}`];
    const token = this.#server.secrets['full'];
    if (model.single) {
      const answers = await Promise.all(
        (model.localized ? ['en', 'fr'] : ['']).map((locale) =>
          this.#server.get(`/api/${model.path}?${[...query, locale ? `locale=${locale}` : ''].join('&')}`, token),
        ),
      );
      return answers.flatMap(({ body }) => (body.data ? [body.data] : []));
    }
    if (model.localized) query.push('locale=*');
    const {
      status: code,
      body,
      text,
    } = await this.#server.get(`/api/${model.path}?${query.join('&')}&pagination[pageSize]=100`, token);
    if (code !== 200) throw new Error(`reading ${model.path}: ${text}`);
    return body.data;
  }

  /** Deletes every document through the API. */
  async #clear(): Promise<void> {
    const token = this.#server.secrets['full'];
    for (const model of this.#schema.values()) {
      if (model.isComponent) continue;
      if (model.single) await this.#server.request('DELETE', `/api/${model.path}`, { token });
      else {
        const rows = await this.#server.app.database.rows(`select distinct "document_id" from "${model.table}"`, []);
        for (const [id] of rows) await this.#server.request('DELETE', `/api/${model.path}/${id}`, { token });
      }
    }
  }

  /** Empties the tables, so that one failure does not spoil the next run. */
  async #wipe(): Promise<void> {
    const { app } = this.#server;
    await app.database.transaction(async (tx) => {
      for (const uid of this.#schema.keys()) {
        const layout = app.layout.models.get(uid)!;
        const tables = [layout.componentsTable, layout.table];
        for (const relation of layout.relations.values()) if ('table' in relation) tables.unshift(relation.table);
        for (const table of tables) if (table) await tx.rows(`delete from "${table}"`, []);
      }
      await tx.rows('delete from galley_pending_links', []);
      await tx.rows('delete from galley_draft_links', []);
    });
  }
}

/** A content without the documents that cannot be linked again. */
function withoutTargets(value: unknown, without: ReadonlySet<string>): unknown {
  const isLost = (one: unknown): boolean => {
    const { documentId, locale, label } = Object(one) as Record<string, unknown>;
    return label === undefined && without.has(`${documentId} ${locale ?? ''}`);
  };
  if (Array.isArray(value)) {
    return value.filter((one) => !isLost(one)).map((one) => withoutTargets(one, without));
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, isLost(one) ? null : withoutTargets(one, without)]);
  return Object.fromEntries(entries);
}

/** Puts document ids and component ids in place of the model's names. */
function filled(
  value: unknown,
  docs: ReadonlyMap<string, string>,
  ids: ReadonlyMap<string, number | undefined>,
): unknown {
  if (typeof value === 'string') {
    if (value.startsWith('$')) return docs.get(value.slice(1));
    return value.startsWith('#') ? ids.get(value.slice(1)) : value;
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, docs, ids));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, docs, ids)]));
}

function firstDifference(expected: unknown, got: unknown, at: string): string | undefined {
  if (isDeepStrictEqual(expected, got)) return undefined;
  const isTree = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isTree(expected) && isTree(got)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      const difference = firstDifference(expected[key], got[key], `${at} ${key}`);
      if (difference) return difference;
    }
  }
  return `${at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
}
