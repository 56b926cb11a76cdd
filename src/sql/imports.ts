/** Imports of files as rows, and what became of each row. Times are epoch milliseconds. */
import type { Dialect } from './dialect.ts';
import { id, join, raw, type Sql, slot, sql } from './fragment.ts';
import { VERSIONS_TABLE } from './history.ts';

export const IMPORTS_TABLE = 'galley_imports';
export const IMPORT_ROWS_TABLE = 'galley_import_rows';

const [imports, rows, versions] = [id(IMPORTS_TABLE), id(IMPORT_ROWS_TABLE), id(VERSIONS_TABLE)];

/** The columns of an import, in the order of `compileImport`. */
export const IMPORT_COLUMNS = [
  ...['id', 'content_type', 'file_name', 'options', 'state', 'lease', 'total', 'done', 'created', 'updated', 'failed'],
  ...['undone', 'kept', 'by_kind', 'by_id', 'by_name', 'started_at', 'ended_at'],
] as const;

const COLUMNS = raw(IMPORT_COLUMNS.map((name) => `"${name}"`).join(', '));

/** An import. Value: its id. */
export const compileImport = (): Sql => sql`select ${COLUMNS} from ${imports} where "id" = ${slot(0)}`;

/** The imports of a type by an administrator, the last one first. Values: type, administrator, their number. */
export const compileImports = (): Sql => sql`select ${COLUMNS} from ${imports}
  where "content_type" = ${slot(0)} and "by_kind" = 'administrator' and "by_id" = ${slot(1)}
  order by "id" desc limit ${slot(2)}`;

/** Changes the state of an import that has another one; `returning "id"`. Values: new state, time, import, old state. */
export const compileMoveImport = (): Sql => sql`update ${imports} set "state" = ${slot(0)}, "ended_at" = ${slot(1)}
  where "id" = ${slot(2)} and "state" = ${slot(3)} returning "id"`;

/** Begins to undo an import that has ended; `returning "id"`. Values: lease, import. */
export const compileBeginUndo = (): Sql => sql`update ${imports} set "state" = 'undoing', "lease" = ${slot(0)}
  where "id" = ${slot(1)} and "state" in ('done', 'stopped', 'interrupted', 'failed', 'partlyUndone') returning "id"`;

/** Adds to the counts of an import while it has a state; `returning "id"`. Values: counts in the order of `COUNTS`, import, state. */
export function compileCountRows(): Sql {
  const set = join(
    COUNTS.map((name, n) => sql`${id(name)} = ${id(name)} + ${slot(n)}`),
    ', ',
  );
  const [own, state] = [slot(COUNTS.length), slot(COUNTS.length + 1)];
  return sql`update ${imports} set ${set} where "id" = ${own} and "state" = ${state} returning "id"`;
}

export const COUNTS = ['done', 'created', 'updated', 'failed', 'undone', 'kept'] as const;

/**
 * Stores rows that were written, each with the versions of the history that hold its state before. Values: a JSON list of
 * lists: import, place, kind, document, locale, times of the version and of the one before, 1 if a draft was replaced, 1 if a published version
 * was; the type, and the time at which the import began.
 */
export function compileAddWritten(dialect: Dialect): Sql {
  const given = dialect.unfold(slot(0), [
    ...[{ name: 'import', kind: 'integer' } as const, { name: 'place', kind: 'integer' } as const],
    ...(['kind', 'document', 'locale'] as const).map((name) => ({ name, kind: 'text' }) as const),
    ...(['version', 'former', 'draft', 'published'] as const).map((name) => ({ name, kind: 'integer' }) as const),
  ]);
  const before = (status: 'draft' | 'published'): Sql => sql`case when given.${id(status)} = 1 then (
    select max(own."id") from ${versions} own where own."document_id" = given."document"
    and own."content_type" = ${slot(1)} and own."status" = ${raw(`'${status}'`)} and own."replaced_at" >= ${slot(2)}
    and ${dialect.same(sql`own."locale"`, sql`given."locale"`)}) end`;
  return sql`insert into ${rows}
    ("import_id", "place", "kind", "document_id", "locale", "version", "version_before", "draft_before",
      "published_before")
    select given."import", given."place", given."kind", given."document", given."locale", given."version",
    given."former", ${before('draft')}, ${before('published')} from ${given} given`;
}

/** Changes the time of a version in the rows that have written it. Values: new time, document, former time, locale. */
export const compileMoveVersion = (dialect: Dialect): Sql => sql`update ${rows} set "version" = ${slot(0)}
  where "document_id" = ${slot(1)} and "version" = ${slot(2)} and "undone" is null
  and ${dialect.same(raw('"locale"'), dialect.value(slot(3), 'text'))}`;

/** Rows that failed. Values: import, their number. Columns: place, problem. */
export const compileFailedRows = (): Sql => sql`select "place", "problem" from ${rows}
  where "import_id" = ${slot(0)} and "kind" = 'failed' order by "id" limit ${slot(1)}`;

/** The number of written rows of an import that may still be undone. Value: the import. */
export const compileCountUndoable = (): Sql => sql`select count(*) from ${rows}
  where "import_id" = ${slot(0)} and "kind" <> 'failed' and "undone" is null`;

/** Columns of a row that was written. */
export const WRITTEN_COLUMNS = [
  'id',
  'place',
  'kind',
  'document_id',
  'locale',
  'version',
  'version_before',
  'draft_before',
  'published_before',
];

/** Written rows that are not undone, the last one first. Values: import, their number. */
export const compileUndoable = (): Sql => sql`select ${raw(WRITTEN_COLUMNS.map((name) => `"${name}"`).join(', '))}
  from ${rows} where "import_id" = ${slot(0)} and "kind" <> 'failed' and "undone" is null order by "id" desc limit ${slot(1)}`;

/** Rows that undoing has left as they are. Values: import, their number. Columns: place, document, reason. */
export const compileKeptRows = (): Sql => sql`select "place", "document_id", "undone" from ${rows}
  where "import_id" = ${slot(0)} and "undone" is not null and "undone" <> 'undone' order by "id" limit ${slot(1)}`;

/** Imports that began before a time; each time the rows of some of them go first. Values: the time, the number. */
export const compileOldImports = (): Sql => sql`select "id" from ${imports}
  where "started_at" < ${slot(0)} and "state" not in ('running', 'undoing') order by "id" limit ${slot(1)}`;
