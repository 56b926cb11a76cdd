/** What a change of the schema moves in the database, so that renamed attributes and types find their content. */
import { MAX_NAME_LENGTH, short, snake } from '../layout/naming.ts';
import { reviewLinksOf } from '../layout/review-tables.ts';
import type { ColumnDefinition, IndexDefinition } from '../layout/table.ts';
import {
  type AttributePair,
  columnIn,
  type FormerNames,
  formerUid,
  isCarried,
  keptAttributes,
  type Place,
  placeOf,
  type SchemaVersion,
} from './places.ts';

export type Move =
  | { readonly kind: 'table'; readonly from: string; readonly to: string }
  | { readonly kind: 'column'; readonly table: string; readonly from: string; readonly to: string }
  /**
   * A new column takes the name of one with another type, which gets another name. `copies`: it gets the values;
   * `prepared`: the name of a column that has them already, and becomes the new one.
   */
  | {
      readonly kind: 'type';
      readonly table: string;
      readonly from: string;
      readonly column: ColumnDefinition;
      readonly copies: boolean;
      readonly prepared?: string;
    }
  /** Values of a column, in the rows that have other values. */
  | {
      readonly kind: 'values';
      readonly table: string;
      readonly column: string;
      readonly from: string;
      readonly to: string;
      readonly where: readonly (readonly [column: string, value: string])[];
    }
  /** A table of links gets another name, because its own is needed for links to another type. */
  | { readonly kind: 'aside'; readonly table: string };

/** An index that a move makes useless; the migration builds the one of the new name. */
export interface UselessIndex {
  readonly table: string;
  readonly index: Pick<IndexDefinition, 'name' | 'columns' | 'unique'>;
}

/** The tables of the database by their names. */
type Existing = ReadonlyMap<string, { readonly indexes: readonly UselessIndex['index'][] }>;

/** The tables whose columns contain uids of types. The log of actions is not among them, since its entries never change. */
export const TYPE_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['galley_pending_links', 'source_type'],
  ['galley_pending_links', 'target_type'],
  ['galley_draft_links', 'source_type'],
  ['galley_draft_links', 'target_type'],
  ['galley_draft_links', 'author_type'],
  ['galley_admin_saves', 'content_type'],
  ['galley_admin_refused', 'content_type'],
  ['galley_admin_presence', 'content_type'],
  ['galley_versions', 'content_type'],
  ['galley_trash', 'content_type'],
  ['galley_restored_rows', 'content_type'],
  ['galley_scheduled', 'content_type'],
  ['galley_imports', 'content_type'],
  ['galley_comments', 'content_type'],
  ['strapi_history_versions', 'content_type'],
  ['strapi_release_actions', 'content_type'],
];

/** The moves of a change, in the order in which they are made. */
export function movesOf(before: SchemaVersion, after: SchemaVersion, names: FormerNames, existing: Existing): Move[] {
  const pairs = keptAttributes(before, after, names);
  const attributes = [
    ...pairs.flatMap((one) => attributeMoves(one, after, names)),
    ...reviewMoves(before, after, names),
  ];
  // what follows the tables names them as they are called then
  const used = [...tableMoves(before, after, names), ...attributes.filter(({ kind }) => kind === 'table')];
  const tables = [...leftoverMoves(used, before, after, existing), ...used];
  const others = [...attributes.filter(({ kind }) => kind !== 'table'), ...pairs.flatMap(noteMoves)];
  const types = [...names.types].flatMap(([uid, former]) => typeMoves(before, former, uid));
  return [...untangled(types), ...untangled(tables), ...untangled(others)];
}

/** Moves by way of another name where a name is needed before it is free: two attributes exchange their names. */
function untangled(moves: readonly Move[]): Move[] {
  const placeOf = (move: Exclude<Move, { kind: 'type' | 'aside' }>) => {
    if (move.kind === 'table') return '';
    return move.kind === 'column' ? move.table : JSON.stringify([move.table, move.column, move.where]);
  };
  const first: Move[] = [];
  const then = moves.map((move, i): Move => {
    if (move.kind === 'type' || move.kind === 'aside') return move;
    const isInTheWay = moves
      .slice(0, i)
      .some(
        (other) =>
          other.kind === move.kind && placeOf(other as typeof move) === placeOf(move) && other.to === move.from,
      );
    if (!isInTheWay) return move;
    const between = `${move.from.slice(0, MAX_NAME_LENGTH - 8)}_moved_${i}`;
    first.push({ ...move, to: between });
    return { ...move, from: between };
  });
  return [...first, ...then];
}

/** Types with another table: their tables, and those that link components with them. Tables of links follow attributes. */
function tableMoves(before: SchemaVersion, after: SchemaVersion, names: FormerNames): Move[] {
  return [...after.layout.models.values()].flatMap(({ uid, table, componentsTable }) => {
    const former = before.layout.models.get(formerUid(names, uid));
    const pairs = [
      [former?.table, table],
      [former?.componentsTable, componentsTable],
    ] as const;
    return pairs.flatMap(([from, to]): Move[] =>
      from === undefined || to === undefined || from === to ? [] : [{ kind: 'table', from, to }],
    );
  });
}

/** The endings of tables that belong to an attribute, or to the components of a type. */
const JOINING = /_(lnk|mph|cmps)$/;

/** Tables of removed attributes, which follow the table of their type, so that an attribute added again finds them. */
function leftoverMoves(used: readonly Move[], before: SchemaVersion, after: SchemaVersion, existing: Existing): Move[] {
  const former = formerTables(used);
  const moved = new Map([...former].map(([to, from]) => [from, to]));
  const owners = [...before.layout.models.values()].map(({ table }) => table);
  const tables = new Set(before.layout.tables.map(({ name }) => name));
  const wanted = new Set(after.layout.tables.map(({ name }) => name));
  return [...existing.keys()].flatMap((from): Move[] => {
    const kind = JOINING.exec(from)?.[1];
    if (kind === undefined || moved.has(from)) return [];
    const [owner = ''] = owners
      .filter((table) => from.startsWith(`${snake(table)}_`))
      .sort((one, other) => other.length - one.length);
    const table = moved.get(owner);
    if (table === undefined) return [];
    const attribute = from.slice(snake(owner).length + 1, -kind.length).replace(/_$/, '');
    const to = short(...(attribute === '' ? [table] : [snake(table), attribute]), [kind]);
    // links of an attribute that gets other ones in the same change
    if (tables.has(from) && wanted.has(to)) return [];
    return [{ kind: 'table', from, to }];
  });
}

/** The tables of before by new names, of those that get another name. */
export function formerTables(moves: readonly Move[]): ReadonlyMap<string, string> {
  const former = new Map<string, string>();
  for (const move of moves) {
    if (move.kind !== 'table') continue;
    const first = former.get(move.from) ?? move.from;
    former.delete(move.from);
    former.set(move.to, first);
  }
  return former;
}

/** Names that tables of types get and others have. @param existing the tables of the database. */
export function takenNames(
  { layout }: SchemaVersion,
  moves: readonly Move[],
  existing: Iterable<string>,
): ReadonlyMap<string, string> {
  const moved = new Set(formerTables(moves).values());
  const others = new Set([...existing].filter((table) => !moved.has(table)).map((table) => table.toLowerCase()));
  const owners = [...layout.models.values()].flatMap(({ uid, table, componentsTable }) => [
    [table, uid] as const,
    ...(componentsTable === undefined ? [] : [[componentsTable, uid] as const]),
  ]);
  const uids = new Map(owners);
  return new Map(
    [...formerTables(moves).keys()].flatMap((table) => {
      const uid = uids.get(table);
      return uid !== undefined && others.has(table.toLowerCase()) ? [[uid, table] as const] : [];
    }),
  );
}

function attributeMoves({ place, formerPlace }: AttributePair, after: SchemaVersion, names: FormerNames): Move[] {
  if (!place || !formerPlace) return [];
  if (!isCarried(formerPlace, place, names)) return asides(formerPlace, place, after);
  if (place.kind === 'column' && formerPlace.kind === 'column') {
    if (place.type !== formerPlace.type) {
      return [{ kind: 'type', table: place.table, from: formerPlace.column, ...typed(place, after), copies: true }];
    }
    return renamedColumns(place.table, [formerPlace.column], [place.column]);
  }
  if (place.kind === 'components' && formerPlace.kind === 'components') {
    return movedValues(place.table, 'field', formerPlace.field, place.field, []);
  }
  if (place.kind === 'files' && formerPlace.kind === 'files') {
    return movedValues(place.table, 'field', formerPlace.field, place.field, [['related_type', place.uid]]);
  }
  if (place.kind === 'links' && formerPlace.kind === 'links') {
    const { table } = place;
    const moved: Move[] = table === formerPlace.table ? [] : [{ kind: 'table', from: formerPlace.table, to: table }];
    return [...moved, ...renamedColumns(table, formerPlace.columns, place.columns)];
  }
  if (place.kind === 'link column' && formerPlace.kind === 'link column') {
    return renamedColumns(place.table, formerPlace.columns, place.columns);
  }
  return [];
}

/** Moves of content of another kind at the same place. */
function asides(before: Place, after: Place, version: SchemaVersion): Move[] {
  if (before.kind === 'column' && after.kind === 'column' && before.column === after.column) {
    return [{ kind: 'type', table: after.table, from: before.column, ...typed(after, version), copies: false }];
  }
  if (before.kind === 'links' && after.kind === 'links' && before.table === after.table) {
    return [{ kind: 'aside', table: before.table }];
  }
  return [];
}

const typed = ({ table, column }: Extract<Place, { kind: 'column' }>, { layout }: SchemaVersion) => ({
  column: columnIn(layout, table, column),
});

function renamedColumns(table: string, before: readonly (string | null)[], after: readonly (string | null)[]): Move[] {
  return after.flatMap((to, i): Move[] => {
    const from = before[i];
    return to === null || from === null || from === undefined || from === to
      ? []
      : [{ kind: 'column', table, from, to }];
  });
}

function movedValues(
  table: string,
  column: string,
  from: string,
  to: string,
  where: readonly (readonly [string, string])[],
): Move[] {
  return from === to ? [] : [{ kind: 'values', table, column, from, to, where }];
}

/** Rows that name a type by its uid, in tables that still have the names of before. */
function typeMoves(before: SchemaVersion, from: string, to: string): Move[] {
  const { catalog, layout } = before;
  const models = [...catalog.contentTypes.values(), ...catalog.components.values()];
  const columns = [...TYPE_COLUMNS];
  for (const model of models) {
    const { componentsTable } = layout.models.get(model.uid)!;
    if (componentsTable !== undefined) columns.push([componentsTable, 'component_type']);
    for (const attribute of model.attributes.values()) {
      if (attribute.type !== 'relation' || attribute.target !== undefined) continue;
      const place = placeOf(before, model, attribute);
      const type = place?.kind === 'links' ? place.columns[2] : place?.kind === 'link column' ? place.columns[1] : null;
      if (place && type) columns.push([place.table, type]);
    }
  }
  return columns.flatMap(([table, column]) => movedValues(table, column, from, to, []));
}

/** The links of rows to stages of review and to administrators, which are no attributes. */
function reviewMoves(before: SchemaVersion, after: SchemaVersion, names: FormerNames): Move[] {
  return [...after.catalog.contentTypes.values()].flatMap((type) => {
    const former = before.catalog.contentTypes.get(formerUid(names, type.uid));
    if (!former) return [];
    const [links, formerLinks] = [reviewLinksOf(type), reviewLinksOf(former)];
    return (['stage', 'assignee'] as const).flatMap((kind): Move[] => {
      const [from, to] = [formerLinks[kind], links[kind]];
      const moved: Move[] = from.table === to.table ? [] : [{ kind: 'table', from: from.table, to: to.table }];
      return [...moved, ...renamedColumns(to.table, [from.source, from.target], [to.source, to.target])];
    });
  });
}

/** Notes on links that have an attribute's name. */
function noteMoves({ model, attribute, formerAttribute }: AttributePair): Move[] {
  if (attribute.type !== 'relation' || attribute.name === formerAttribute.name) return [];
  const where = [['source_type', model.uid]] as const;
  return ['galley_pending_links', 'galley_draft_links'].flatMap((table) =>
    movedValues(table, 'attribute', formerAttribute.name, attribute.name, where),
  );
}

/** The indexes of the schema of before, and those of leftovers, that contain a moved column or belong to a moved table. */
export function uselessIndexes(moves: readonly Move[], { layout }: SchemaVersion, existing: Existing): UselessIndex[] {
  const tables = new Map(layout.tables.map((table) => [table.name, table]));
  const found = new Map<string, UselessIndex>();
  const add = (table: string, isConcerned: (index: UselessIndex['index']) => boolean) => {
    const { indexes, ownIndexes = [] } = tables.get(table) ?? { indexes: existing.get(table)?.indexes ?? [] };
    for (const index of [...indexes, ...ownIndexes]) {
      if (isConcerned(index)) found.set(index.name, { table, index });
    }
  };
  for (const move of moves) {
    if (move.kind === 'table') add(move.from, () => true);
    else if (move.kind === 'aside') add(move.table, () => true);
    else if (move.kind === 'column' || move.kind === 'type') {
      add(move.table, ({ columns }) => columns.includes(move.from));
      const to = move.kind === 'column' ? move.to : move.column.name;
      // a start may have added a column of the new name, which gets another one
      const own = existing.get(move.table)?.indexes.filter(({ columns }) => columns.includes(to)) ?? [];
      for (const index of own) found.set(index.name, { table: move.table, index });
    }
  }
  return [...found.values()];
}
