/** What is asked about stored rows while they are written: questions that follow from the schema, made with the plans. */
import type { Leads } from './leads.ts';
import type { LinkPlace } from './link-place.ts';

/** A column, or a constant in its place. */
export type Selected = string | { readonly constant: 0 | '' };

/** A question about the rows of one table. */
export interface StoredRows {
  /** Tells it from all other questions of the project. */
  readonly key: string;
  readonly table: string;
  readonly columns: readonly Selected[];
  /** The columns that must have given values, one or one of several. */
  readonly by: readonly string[];
  /** Of an answer of its own; asked together with other questions, rows come in any order. */
  readonly order: readonly string[];
  /** What rows must lead to, to count: other programs leave such as lead nowhere. */
  readonly leads: Leads | undefined;
}

const ZERO = { constant: 0 } as const;
const EMPTY = { constant: '' } as const;

/**
 * The links of an attribute by the rows that hold them: id, source, target, both orders, the target's type, other fields.
 * They are matched by the source and then by the place's fixed columns.
 *
 * @param own the table of the attribute's model.
 * @param leads to the attribute's target, for a column of the model's own table.
 */
export function linkRows(
  key: string,
  place: Exclude<LinkPlace, { kind: 'inverse' }>,
  own: string,
  leads: Leads | undefined,
): StoredRows {
  if (place.kind === 'table') {
    const [extra = EMPTY] = Object.keys(place.added);
    const orders = [place.order ?? ZERO, place.inverseOrder ?? ZERO];
    return {
      key,
      table: place.table,
      columns: ['id', place.source, place.target, ...orders, place.targetType ?? EMPTY, extra],
      by: [place.source, ...Object.keys(place.fixed)],
      order: place.order === null ? ['id'] : [place.order, 'id'],
      leads: place.leads,
    };
  }
  const [column, type] = place.kind === 'own' ? [place.column, EMPTY] : [place.id, place.type];
  const columns = ['id', 'id', column, ZERO, ZERO, type, EMPTY];
  return { key, table: own, columns, by: ['id'], order: ['id'], leads: place.kind === 'own' ? leads : place.leads };
}
