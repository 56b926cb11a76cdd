/**
 * Rows that code names in conditions on relations. In Galley a link leads to a document, with drafts to both of its
 * rows; in the reference it leads to the row whose id was written. Code often compares drafts with the id of a
 * published row that a client has sent.
 */
import { MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { TableReader } from '../../db/interface/table-reader.ts';
import { type Catalog, type ContentType, type Model, USER_UID } from '../../schema/catalog.ts';
import { findConfirmationCode, findResetCode, NOBODY_ID } from '../../users/accounts/account-codes.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

/** Operators that compare ids, each with the one that takes a list of them. */
const COMPARING: ReadonlyMap<string, string> = new Map([
  ...(['$eq', '$in'] as const).map((name) => [name, '$in'] as const),
  ...(['$ne', '$notIn'] as const).map((name) => [name, '$notIn'] as const),
]);

/** The rows of a version of a document, draft and published, by the id of either. */
type VersionRows = ReadonlyMap<number, readonly number[]>;
/** Ids that stand in conditions, by the uid of the type that they are of. */
type Named = Map<string, Set<number>>;

export class NamedRows {
  readonly #runtime: Pick<RuntimeContext, 'catalog' | 'layout' | 'database'>;
  readonly #texts = TableReader.texts();

  constructor(runtime: Pick<RuntimeContext, 'catalog' | 'layout' | 'database'>) {
    this.#runtime = runtime;
  }

  /**
   * Returns conditions in which the id of a linked row with drafts stands for all rows of its version, and a mailed
   * code for the stored one.
   *
   * @param conditions the conditions that `plainFilters` returns.
   * @param fromDrafts whether also behind types that have drafts themselves: not where rows of both kinds are read, whose
   * links tell one from the other.
   */
  async resolve(conditions: unknown, type: Model, fromDrafts: boolean): Promise<unknown> {
    const { catalog, database } = this.#runtime;
    const filters = type.uid === USER_UID ? await withAccountsOfCodes(database, conditions) : conditions;
    const named: Named = new Map();
    const note = ({ uid }: ContentType, id: number): undefined => {
      named.set(uid, (named.get(uid) ?? new Set()).add(id));
    };
    walked(catalog, type, filters, { fromDrafts, ids: note });
    if (named.size === 0) return filters;
    const known = new Map<string, VersionRows>();
    for (const [uid, ids] of named) known.set(uid, await this.#read(uid, [...ids]));
    return walked(catalog, type, filters, { fromDrafts, ids: ({ uid }, id) => known.get(uid)?.get(id) });
  }

  /** Whether conditions name rows, or mailed codes, that `resolve` would look up. */
  areNamed(filters: unknown, type: Model): boolean {
    if (type.uid === USER_UID) return filters !== undefined;
    let areNamed = false;
    const note = (): undefined => {
      areNamed = true;
    };
    walked(this.#runtime.catalog, type, filters, { fromDrafts: true, ids: note });
    return areNamed;
  }

  /** The same for the conditions of populated attributes, at any depth. */
  async resolvePopulated(populate: unknown, model: Model, fromDrafts: boolean): Promise<unknown> {
    if (!isPlain(populate)) return populate;
    const resolved: [string, unknown][] = [];
    for (const [name, options] of Object.entries(populate)) {
      if (!isPlain(options)) resolved.push([name, options]);
      else resolved.push([name, await this.#options(options, { model, name, fromDrafts })]);
    }
    return Object.fromEntries(resolved);
  }

  async #options({ filters, populate, on, ...rest }: Params, { model, name, fromDrafts }: Populated): Promise<Params> {
    const target = targetOf(this.#runtime.catalog, model, name);
    const conditions = filters && target ? await this.resolve({ [name]: filters }, model, fromDrafts) : undefined;
    const below = populate && target ? await this.resolvePopulated(populate, target, fromDrafts) : populate;
    return {
      ...rest,
      ...(filters === undefined ? {} : { filters: (conditions as Params | undefined)?.[name] ?? filters }),
      ...(populate === undefined ? {} : { populate: below }),
      ...(isPlain(on) ? { on: await this.#fragments(on, fromDrafts) } : on === undefined ? {} : { on }),
    };
  }

  /** By the types of the entries of a zone, or of the targets of a relation to any type. */
  async #fragments(on: Params, fromDrafts: boolean): Promise<Params> {
    const { contentTypes, components } = this.#runtime.catalog;
    const resolved: Params = {};
    for (const [uid, options] of Object.entries(on)) {
      const model = components.get(uid) ?? contentTypes.get(uid);
      const { filters, populate, ...rest } = (isPlain(options) ? options : {}) as Params;
      if (!model || !isPlain(options)) resolved[uid] = options;
      else {
        resolved[uid] = {
          ...rest,
          ...(filters === undefined ? {} : { filters: await this.resolve(filters, model, fromDrafts) }),
          ...(populate === undefined ? {} : { populate: await this.resolvePopulated(populate, model, fromDrafts) }),
        };
      }
    }
    return resolved;
  }

  async #read(uid: string, ids: readonly number[]): Promise<VersionRows> {
    const { layout, database } = this.#runtime;
    const reader = new TableReader(database, this.#texts);
    const { table } = layout.models.get(uid)!;
    const documents = (await reader.select(table, ['document_id'], { id: ids })).map(([id]) => String(id));
    const rows = await reader.select(table, ['id', 'document_id', 'locale'], { document_id: documents }, ['id']);
    const versions = Map.groupBy(rows, ([, documentId, locale]) => `${documentId} ${locale ?? ''}`);
    return new Map(
      [...versions.values()].flatMap((version) => {
        const all = version.map(([id]) => Number(id));
        return all.map((id) => [id, all] as const);
      }),
    );
  }
}

interface Populated {
  readonly model: Model;
  readonly name: string;
  readonly fromDrafts: boolean;
}

/** The one model that an attribute leads to. */
function targetOf({ contentTypes, components }: Catalog, model: Model, name: string): Model | undefined {
  const attribute = model.attributes.get(name);
  if (attribute?.type === 'component') return components.get(attribute.component);
  return attribute?.type === 'relation' ? contentTypes.get(attribute.target ?? '') : undefined;
}

interface Walk {
  readonly fromDrafts: boolean;
  /** The rows that an id stands for; undefined for itself. */
  readonly ids: (target: ContentType, id: number) => readonly number[] | undefined;
}

/** Conditions on a model, with other ids. */
function walked(catalog: Catalog, model: Model, filters: unknown, walk: Walk): unknown {
  if (Array.isArray(filters)) return filters.map((one) => walked(catalog, model, one, walk));
  if (!isPlain(filters)) return filters;
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => {
      if (name.startsWith('$')) return [name, walked(catalog, model, value, walk)];
      const attribute = model.attributes.get(name);
      if (attribute?.type === 'component') {
        return [name, walked(catalog, catalog.components.get(attribute.component)!, value, walk)];
      }
      const target = targetOf(catalog, model, name);
      if (target?.modelType !== 'contentType') return [name, value];
      const own = model.modelType === 'contentType' && !model.draftAndPublish;
      const below = walked(catalog, target, value, walk);
      const isNamed = target.draftAndPublish && (own || walk.fromDrafts);
      return [name, isNamed ? withIds(below, (id) => walk.ids(target, id)) : below];
    }),
  );
}

type Rows = (id: number) => readonly number[] | undefined;

/** Conditions on the target of a relation, or on its id, with other ids. */
function withIds(value: unknown, rows: Rows): unknown {
  if (typeof value === 'number' || typeof value === 'string') return { $in: rowsOf(value, rows) };
  if (Array.isArray(value)) return { $in: value.flatMap((one) => rowsOf(one, rows)) };
  if (!isPlain(value)) return value;
  const tests = Object.entries(value).map(([name, inner]): Record<string, unknown> => {
    const list = COMPARING.get(name);
    if (list !== undefined && inner !== null) return { [list]: [inner].flat().flatMap((one) => rowsOf(one, rows)) };
    if (name === '$and' || name === '$or') return { [name]: [inner].flat().map((one) => withIds(one, rows)) };
    return { [name]: name === 'id' || name === '$not' ? withIds(inner, rows) : inner };
  });
  const names = new Set(tests.flatMap(Object.keys));
  return names.size === tests.length ? Object.assign({}, ...tests) : { $and: tests };
}

function rowsOf(value: unknown, rows: Rows): readonly unknown[] {
  const id =
    typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : Number.NaN;
  return (Number.isInteger(id) && Math.abs(id) <= MAX_ROW_ID ? rows(id) : undefined) ?? [value];
}

const FINDING: ReadonlyMap<string, (db: Queryable, code: string) => Promise<number | undefined>> = new Map([
  ['resetPasswordToken', findResetCode],
  ['confirmationToken', findConfirmationCode],
]);

/** Conditions on accounts in which a code stands for the account that it was mailed to. Any other test of a code stays. */
async function withAccountsOfCodes(db: Queryable, filters: unknown): Promise<unknown> {
  if (Array.isArray(filters)) return Promise.all(filters.map((one) => withAccountsOfCodes(db, one)));
  if (!isPlain(filters)) return filters;
  const parts = await Promise.all(
    Object.entries(filters).map(async ([name, value]): Promise<Record<string, unknown>> => {
      const find = FINDING.get(name);
      const code = codeOf(value);
      if (find && code !== undefined) return { id: (await find(db, code)) ?? NOBODY_ID };
      const isGroup = name === '$and' || name === '$or' || name === '$not';
      return { [name]: isGroup ? await withAccountsOfCodes(db, value) : value };
    }),
  );
  const names = new Set(parts.flatMap(Object.keys));
  return names.size === parts.length ? Object.assign({}, ...parts) : { $and: parts };
}

/** The code in a condition; undefined for any other test. */
function codeOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (!isPlain(value)) return undefined;
  const { $eq, ...others } = value;
  return Object.keys(others).length === 0 && !isPlain($eq) ? codeOf($eq) : undefined;
}
