/** Counterparts: rows of the same document in another state or locale. */
import type { Row } from '../../db/interface/queryable.ts';
import type { Model } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { type CounterpartState, compileCounterparts } from '../../sql/links.ts';
import { documentLock } from '../rows/locks.ts';
import {
  hasDrafts,
  isLocalized,
  layoutOfModel,
  model as modelNamed,
  type WriteContext,
} from '../rows/write-context.ts';

/** Which rows the copy's links lead to. */
export interface Mapping {
  /** `same`: a link leads to a row of the state that its target has. */
  readonly state: CounterpartState;
  /** The locale of localized targets; undefined: the one they have. */
  readonly locale: string | undefined;
}

export interface Counterpart {
  /** Undefined if the document has no such row. */
  readonly id: number | undefined;
  readonly documentId: string;
  readonly locale: string | null;
}

/** By the type of the rows and their ids. */
export type Counterparts = ReadonlyMap<string, ReadonlyMap<number, Counterpart>>;

/** For each row of a model, the row of the same document in the mapping's state and locale. */
export async function counterpartsOf(
  context: WriteContext,
  model: Model,
  ids: readonly number[],
  mapping: Mapping,
): Promise<Map<number, Counterpart>> {
  const [rows] = await lookUp(context, [{ model, ids }], mapping);
  return rows!;
}

/** Rows of a model. */
interface RowsOfModel {
  readonly model: Model;
  readonly ids: readonly number[];
}

/** The counterparts of rows of several models, by model. */
export async function counterpartsOfAll(
  context: WriteContext,
  rows: ReadonlyMap<string, ReadonlySet<number>>,
  mapping: Mapping,
): Promise<Counterparts> {
  const models = [...rows].map(([uid, ids]) => ({ model: modelNamed(context, uid), ids: [...ids] }));
  const counterparts = await lookUp(context, models, mapping);
  return new Map(models.map(({ model }, n) => [model.uid, counterparts[n]!]));
}

/** Looks up the rows of all models at once. */
async function lookUp(
  context: WriteContext,
  models: readonly RowsOfModel[],
  { state, locale }: Mapping,
): Promise<Map<number, Counterpart>[]> {
  const { tables, tx } = context;
  const read = ({ model, ids }: RowsOfModel): Row[] | undefined | Promise<Row[]> => {
    const moves = locale !== undefined && isLocalized(model);
    if (ids.length === 0 || ((!hasDrafts(model) || state === 'same') && !moves)) return undefined;
    const { table } = layoutOfModel(context, model);
    const values: SqlValue[] = [...(moves ? [locale] : []), JSON.stringify(ids.map((row) => [row]))];
    return tables.run(`counterparts ${table} ${state} ${moves}`, values, () =>
      compileCounterparts(tables.dialect, table, hasDrafts(model) ? state : undefined, moves),
    );
  };
  const readAll = () => Promise.all(models.map(read));
  let rows = await readAll();
  // a target must not be published or unpublished while it is linked to, or the link would be missing at one of the two
  const locks = () =>
    models.flatMap(({ model: { uid } }, n) =>
      (rows[n] ?? []).map(([, documentId]) => documentLock(uid, String(documentId), true)),
    );
  if (state === 'published' && tx.lacks(locks)) [, rows] = await Promise.all([tx.lock(locks, false), readAll()]);
  return models.map(({ ids }, n) => (rows[n] ? counterpartsIn(rows[n]) : itself(ids)));
}

const itself = (ids: readonly number[]): Map<number, Counterpart> =>
  new Map(ids.map((id) => [id, { id, documentId: '', locale: null }]));

function counterpartsIn(rows: readonly Row[]): Map<number, Counterpart> {
  return new Map(
    rows.map(([rowId, documentId, locale, other]) => [
      Number(rowId),
      {
        id: other === null ? undefined : Number(other),
        documentId: String(documentId),
        locale: locale === null ? null : String(locale),
      },
    ]),
  );
}

/**
 * The drafts with unpublished changes: those without a published row, and those that are newer.
 *
 * @param published the published counterparts of the drafts.
 */
export async function draftsAhead(
  context: WriteContext,
  model: Model,
  published: ReadonlyMap<number, Counterpart>,
): Promise<Set<number>> {
  const ids = [...published.values()].flatMap(({ id }) => (id === undefined ? [] : [id]));
  const { table } = layoutOfModel(context, model);
  const times = await context.tables.select(table, ['id', 'updated_at'], { id: [...published.keys(), ...ids] });
  const updatedAt = new Map(times.map(([id, time]) => [Number(id), Number(time ?? 0)]));
  const isAhead = (draft: number, id: number | undefined) =>
    id === undefined || (updatedAt.get(draft) ?? 0) > (updatedAt.get(id) ?? 0);
  return new Set([...published].filter(([draft, { id }]) => isAhead(draft, id)).map(([draft]) => draft));
}
