/**
 * Rows that the server writes and reads by itself, such as those of files, with the lifecycles of a project's code around
 * them, in the transaction that writes.
 */
import { isDeepStrictEqual } from 'node:util';
import type { WriteRequest } from '../../content/documents/write-request.ts';
import { signText } from '../../content/reading/file-urls.ts';
import type {
  AnnouncedRead,
  AnnouncedWrite,
  AroundRows,
  ReadOperation,
  RowOperation,
  StartedWrite,
} from '../../content/rows/around-rows.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { everything } from '../../query/page.ts';
import { plainData, rawParams } from '../../query/plain.ts';
import {
  ADMIN_USER_UID,
  type ContentType,
  FILE_UID,
  FOLDER_UID,
  LOCALE_UID,
  PERMISSION_UID,
  ROLE_UID,
  USER_UID,
} from '../../schema/catalog.ts';
import { knownData, putTimes } from '../documents/known-data.ts';
import type { Lifecycles, Moment, Params, States } from '../documents/lifecycles.ts';
import { inShape, rowParams } from '../documents/row-params.ts';
import { unsupported } from '../guarded.ts';
import { throwingRefusals } from '../requests/strapi-errors.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { FIXED_OF_FILES } from '../upload/file-writes.ts';

const MOMENTS: Readonly<Record<RowOperation, Moment>> = {
  create: 'Create',
  update: 'Update',
  delete: 'Delete',
  deleteMany: 'DeleteMany',
};

const READS: Readonly<Record<ReadOperation, Moment>> = { findMany: 'FindMany', findOne: 'FindOne', count: 'Count' };

/** Rows that one statement reads for listeners. */
const ROWS_AT_ONCE = 500;

/**
 * Values that code may not change because the server relies on them: the place of a file's bytes, or granted rights.
 */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  [FILE_UID]: FIXED_OF_FILES,
  [FOLDER_UID]: ['path', 'pathId', 'parent'],
  [ROLE_UID]: ['type', 'permissions', 'users'],
  [PERMISSION_UID]: ['action', 'role'],
  [LOCALE_UID]: ['code'],
};

type Runtime = Pick<RuntimeContext, 'database' | 'catalog' | 'reader' | 'writer' | 'views' | 'fileUrls'>;

export class BuiltInRows implements AroundRows {
  readonly #runtime: Runtime;
  readonly #lifecycles: Lifecycles;

  constructor(runtime: Runtime, lifecycles: Lifecycles) {
    this.#runtime = runtime;
    this.#lifecycles = lifecycles;
  }

  isListening(uid: string): boolean {
    return this.#lifecycles.listens(uid, ...Object.values(MOMENTS));
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return throwingRefusals(() => this.#runtime.database.within(({ tx }) => work(tx)));
  }

  /** @throws Unsupported if code has changed the rows that are written, or values that the server relies on. */
  async begin(
    uid: string,
    operation: RowOperation,
    { where, data, kept: unchanged = [] }: AnnouncedWrite,
  ): Promise<StartedWrite> {
    const type = this.#runtime.catalog.contentTypes.get(uid)!;
    const moment = MOMENTS[operation];
    const before = typeof where?.['id'] === 'number' ? await this.#row(type, where['id']) : undefined;
    const whole = { ...Object.fromEntries(unchanged.map((name) => [name, before?.[name]])), ...data };
    if (data) putTimes(moment, whole);
    const announced = { ...(where && { where }), ...(data && { data: whole }) };
    const states: States = new Map();
    const { params } = await this.#lifecycles.run(
      `before${moment}`,
      uid,
      { params: structuredClone(announced) },
      states,
    );
    if (!isDeepStrictEqual(params['where'], where)) unsupported(`a change of what before${moment} of ${uid} is about`);
    const changes = data ? this.#changed(type, whole, params['data'] as Params, before) : {};
    return {
      end: async (result) => {
        if (Object.keys(changes).length > 0) await this.#write(type, result, changes);
        const row =
          operation === 'deleteMany' ? { count: result } : await this.#result(type, operation, result, before);
        const shown = structuredClone(row);
        await this.#lifecycles.run(`after${moment}`, uid, { params, result: row }, states);
        return (answer) => (isDeepStrictEqual(row, shown) ? answer : changedAnswer(type, answer, shown, row));
      },
    };
  }

  isReading(uid: string, operation: ReadOperation): boolean {
    return this.#lifecycles.listens(uid, READS[operation]);
  }

  /** @throws Unsupported if code changes which rows are read, or their values. */
  read<T>(
    uid: string,
    operation: ReadOperation,
    { params: given, isQuery, found }: AnnouncedRead<T>,
    work: () => Promise<T>,
  ): Promise<T> {
    const moment = READS[operation];
    const announced = isQuery ? rowParams(structuredClone(given)) : given;
    const states: States = new Map();
    const notify = (when: 'before' | 'after', event: { readonly params: Params; readonly result?: unknown }) =>
      this.#lifecycles.run(`${when}${moment}`, uid, event, states);
    return throwingRefusals(async () => {
      const { params } = await notify('before', { params: structuredClone(announced) as Params });
      if (!isDeepStrictEqual(params, announced)) unsupported(`a change of what before${moment} of ${uid} is about`);
      const answer = await work();
      const ids = found(answer);
      const rows = typeof ids === 'number' ? [] : await this.#rows(this.#runtime.catalog.contentTypes.get(uid)!, ids);
      const read = operation === 'count' ? ids : operation === 'findOne' ? (rows[0] ?? null) : rows;
      const { result } = await notify('after', { params, result: structuredClone(read) });
      if (!isDeepStrictEqual(result, read)) unsupported(`a change of what after${moment} of ${uid} shows`);
      return answer;
    });
  }

  /** Rows without their links, in the order of their ids. */
  async #rows(type: ContentType, ids: readonly number[]): Promise<Params[]> {
    const { reader, views, fileUrls, catalog } = this.#runtime;
    const rows: Params[] = [];
    for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
      const params = rawParams({ filters: { id: { $in: ids.slice(from, from + ROWS_AT_ONCE) } } });
      const { data } = await reader.list(type, views.code, params, { page: everything });
      rows.push(...(inShape(catalog, type, JSON.parse(signText(fileUrls, data)), {}) as Params[]));
    }
    const byId = new Map(rows.map((row) => [row['id'], row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  #result(type: ContentType, operation: RowOperation, id: number, before: Params | undefined): Promise<Params> {
    return operation === 'delete' ? Promise.resolve(before!) : this.#row(type, id);
  }

  /** A row without its links, as code receives it. */
  async #row(type: ContentType, id: number): Promise<Params> {
    const { reader, views, fileUrls, catalog } = this.#runtime;
    const isAdministrator = type.uid === ADMIN_USER_UID;
    const [viewer, params] = isAdministrator ? [views.administration, { populate: 'roles' }] : [views.code, {}];
    const found = await reader.one(type, viewer, params, { kind: 'row', id });
    return inShape(catalog, type, JSON.parse(signText(fileUrls, found?.data ?? '{}')) as Params, {});
  }

  /** The values that code has changed; a removed one keeps its value from before the write. */
  #changed(type: ContentType, shown: Params, data: Params, before: Params | undefined): Params {
    const { catalog } = this.#runtime;
    const changed = Object.keys({ ...shown, ...data }).filter((name) => !isDeepStrictEqual(shown[name], data[name]));
    for (const name of changed) {
      // accounts and administrators have rules of their own, which are applied elsewhere
      if (type.uid === USER_UID || type.uid === ADMIN_USER_UID || FIXED[type.uid]?.includes(name))
        unsupported(`a change of ${name} of ${type.uid} by a lifecycle`);
    }
    const values = changed.map((name) => [name, data[name] === undefined ? (before?.[name] ?? null) : data[name]]);
    return knownData(catalog, type, Object.fromEntries(values)) as Params;
  }

  async #write(type: ContentType, id: number, data: Params): Promise<void> {
    const { writer, views } = this.#runtime;
    const { documentId } = await this.#row(type, id);
    const written = plainData(data) as WriteRequest['data'];
    await writer.updateRow({ type, viewer: views.code, data: written }, documentId, id);
  }
}

/** An answer with the row's values after code has changed them; hidden values stay hidden. */
function changedAnswer(type: ContentType, answer: string, shown: Params, changes: Params): string {
  const values = JSON.parse(answer) as Params;
  for (const name of Object.keys({ ...shown, ...changes })) {
    if (isDeepStrictEqual(shown[name], changes[name])) continue;
    const isShown = name in values || !(name in shown || type.attributes.has(name));
    if (isShown && changes[name] === undefined) delete values[name];
    else if (isShown) values[name] = changes[name];
  }
  return JSON.stringify(values);
}
