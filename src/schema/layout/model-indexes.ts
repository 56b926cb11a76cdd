/** Galley's own indexes on the tables of content types and components, for the lookups, filters and orders of reads. */
import { type ContentType, FILE_UID, type Model, type ScalarAttribute, USER_UID } from '../catalog.ts';
import { columnTypeOf, isIndexable } from './column-types.ts';
import { short } from './naming.ts';
import type { ModelLayout } from './relation-layout.ts';
import type { IndexDefinition } from './table.ts';

interface OwnIndexes {
  readonly ownIndexes: readonly IndexDefinition[];
  readonly retiredIndexes: readonly string[];
}

/** Galley's own indexes on a model's table, and names of obsolete ones. */
export function indexesOf(model: Model, layout: ModelLayout): OwnIndexes {
  const retiredIndexes = lists(model) ? [short(['galley'], layout.table, ['published_at_idx'])] : [];
  return {
    ownIndexes: [
      ...lookups(model, layout),
      ...listed(model, layout),
      ...filed(model, layout),
      ...hinted(model, layout),
    ],
    retiredIndexes,
  };
}

const plain = (table: string, name: string): IndexDefinition => ({
  name: short(['galley'], table, name, ['idx']),
  columns: [name],
  unique: false,
});

/** Columns that publications or logins look up; long texts do not fit into an index on every engine. */
function lookups(model: Model, { table, columns }: ModelLayout): IndexDefinition[] {
  if (model.uid === USER_UID) {
    return ['username', 'email'].flatMap((name) => {
      const column = columns.get(name);
      return column === undefined ? [] : [plain(table, column)];
    });
  }
  if (model.modelType !== 'contentType' || !model.routed) return [];
  return scalars(model)
    .filter((attribute) => (attribute.unique || attribute.type === 'uid') && isIndexable(columnTypeOf(attribute)))
    .map(({ name }) => plain(table, columns.get(name)!));
}

/** Whether documents of a model are listed. */
function lists(model: Model): model is ContentType {
  return model.modelType === 'contentType' && model.routed && model.kind === 'collectionType';
}

/** The rows of a list: those of one status if the type has drafts. */
interface Rows {
  readonly name: string;
  readonly of: Pick<IndexDefinition, 'whereNull' | 'whereNotNull'>;
}

/** The condition of an index on rows of one status. */
export const ROWS_OF_STATUS = {
  published: { whereNotNull: 'published_at' },
  draft: { whereNull: 'published_at' },
} as const;

const ALL: readonly Rows[] = [{ name: 'all', of: {} }];
const BY_STATUS: readonly Rows[] = [
  { name: 'published', of: ROWS_OF_STATUS.published },
  { name: 'drafts', of: ROWS_OF_STATUS.draft },
];

/** The times by which lists are sorted, newest first. */
const TIMES = ['created_at', 'updated_at', 'published_at'];

/**
 * Indexes for all lists: rows of a locale and status, by id or time. The locale comes first, since nearly all lists
 * have one.
 */
function listed(model: Model, { table }: ModelLayout): IndexDefinition[] {
  if (!lists(model)) return [];
  const locale = model.localized ? ['locale'] : [];
  const make = ({ name, of }: Rows, key: string | undefined): IndexDefinition => ({
    name: short(['galley'], table, [name], [key ?? 'id']),
    columns: key === undefined ? [...locale, 'id'] : [...locale, key, 'id'],
    unique: false,
    ...(key === undefined ? {} : { descending: [key] }),
    ...of,
  });
  const isPlain = !model.localized && !model.draftAndPublish;
  return rowsOf(model).flatMap((rows) => {
    // drafts have no publication time, and ids of all rows have an index
    const times = TIMES.filter((time) => time !== rows.of.whereNull).map((time) => make(rows, time));
    return isPlain ? times : [make(rows, undefined), ...times];
  });
}

/** Indexes for the library: files of a folder, newest first, and files of a folder and below. */
function filed(model: Model, { table, columns }: ModelLayout): IndexDefinition[] {
  const path = model.uid === FILE_UID ? columns.get('folderPath') : undefined;
  if (path === undefined) return [];
  return [
    { name: short(['galley'], table, path, ['created_at']), columns: [path, 'created_at', 'id'], unique: false },
    { name: short(['galley'], table, path, ['sorted']), columns: [path], unique: false, ordered: [path] },
  ];
}

/** Indexes requested by the schema: `"index": true`. */
function hinted(model: Model, { table, columns }: ModelLayout): IndexDefinition[] {
  const isListed = lists(model);
  const locale = isListed && model.localized ? ['locale'] : [];
  const names = scalars(model)
    .filter((attribute) => attribute.indexed && isIndexable(columnTypeOf(attribute)))
    .map((attribute) => ({ column: columns.get(attribute.name)!, type: columnTypeOf(attribute) }));
  return names.flatMap(({ column, type }) =>
    (isListed ? rowsOf(model) : ALL).flatMap(({ name, of }) => {
      const keys = { columns: [...locale, column, 'id'], unique: false, ...of };
      const equal = { name: short(['galley'], table, column, [name]), ...keys };
      if (type !== 'string') return [equal];
      return [equal, { name: short(['galley'], table, column, [name], ['sorted']), ...keys, ordered: [column] }];
    }),
  );
}

function rowsOf({ draftAndPublish }: ContentType): readonly Rows[] {
  return draftAndPublish ? BY_STATUS : ALL;
}

function scalars({ attributes }: Model): ScalarAttribute[] {
  return [...attributes.values()].filter((attribute): attribute is ScalarAttribute => 'indexed' in attribute);
}
