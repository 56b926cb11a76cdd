/** Records of files, their folders and leases on them. Slots are in the order of the named values. */
import type { Dialect } from './dialect.ts';
import { id, join, type Sql, slot, slots, sql } from './fragment.ts';

/** File data of records, in the order of their ids. Values: the last known id, the number of rows. */
export function compileFileRecords(table: string): Sql {
  return sql`select "id", "name", "provider", "url", "size", "formats", "preview_url" from ${id(table)}
    where "id" > ${slot(0)} order by "id" limit ${slot(1)}`;
}

/** The records that have one of several hashes or addresses. Values: the hashes, the addresses. */
export function compileRecordsOf(table: string, hashes: number, addresses: number): Sql {
  return sql`select "provider", "url", "ext", "mime", "formats" from ${id(table)}
      where "hash" in (${slots(0, hashes)}) or "url" in (${slots(hashes, addresses)})`;
}

/** The greatest `path_id` of a folder, or null. */
export function compileLastFolder(): Sql {
  return sql`select max("path_id") from "upload_folders"`;
}

/**
 * Rows of a path and of all paths below it. Uses a range, because no index serves `like` with a pattern that is a
 * value: `0` follows `/`. Values: the path, three times, from `first` on.
 */
function below({ comparable }: Comparing, column: string, first: number): Sql {
  const path = comparable(id(column), 'text');
  return sql`(${id(column)} = ${slot(first)} or (${path} >= ${slot(first + 1)} || '/' and ${path} < ${slot(first + 2)} || '0'))`;
}

/** The dialect's comparison of texts by code point. */
type Comparing = Pick<Dialect, 'comparable'>;

const belowEach = (dialect: Comparing, column: string, paths: number): Sql =>
  join(
    Array.from({ length: paths }, (_, n) => below(dialect, column, PATH_VALUES * n)),
    ' or ',
  );

/** The number of times that each path is a value of a statement about paths below it. */
export const PATH_VALUES = 3;

/** Replaces a path in rows of this path and of paths below it. Values: the new path, the old one four times. */
export function compileMovePaths(dialect: Comparing, table: string, column: string): Sql {
  const moved = sql`${slot(0)} || substr(${id(column)}, length(${slot(1)}) + 1)`;
  return sql`update ${id(table)} set ${id(column)} = ${moved} where ${below(dialect, column, 2)}`;
}

/** The length in characters of the longest path below one, itself included. Values: the path, `PATH_VALUES` times. */
export function compileLongestPath(dialect: Comparing, table: string, column: string): Sql {
  return sql`select max(length(${id(column)})) from ${id(table)} where ${below(dialect, column, 0)}`;
}

/**
 * Ids and paths of rows of several paths and of all paths below them, in the order of ids. Values: each path `PATH_VALUES` times, the
 * number of rows.
 */
export function compileBelow(dialect: Comparing, table: string, column: string, paths: number): Sql {
  const last = slot(PATH_VALUES * paths);
  return sql`select "id", ${id(column)} from ${id(table)} where ${belowEach(dialect, column, paths)} order by "id" limit ${last}`;
}

/** The number of rows of several paths and of all paths below them. Values: each path `PATH_VALUES` times. */
export function compileCountBelow(dialect: Comparing, table: string, column: string, paths: number): Sql {
  return sql`select count(*) from ${id(table)} where ${belowEach(dialect, column, paths)}`;
}

/** The number of rows of each path below the root, from the column's own index. */
export function compileCountByPath({ comparable }: Comparing, table: string, column: string): Sql {
  const rooted = sql`${comparable(id(column), 'text')} > '/'`;
  return sql`select ${id(column)}, count(*) from ${id(table)} where ${rooted} group by ${id(column)}`;
}

/** The number of rows of one path. Value: the path. */
export function compileCountOfPath(table: string, column: string): Sql {
  return sql`select count(*) from ${id(table)} where ${id(column)} = ${slot(0)}`;
}

/** Rows that use some of the files: type, id and attribute. Values: the files, the number of rows. */
export function compileUsesOf(table: string, files: number): Sql {
  return sql`select distinct "related_type", "related_id", "field" from ${id(table)} where "file_id" in (${slots(0, files)})
    order by "related_type", "related_id", "field" limit ${slot(files)}`;
}

/**
 * Rows that use files of some paths and of all paths below them, as returned by `compileUsesOf`. Values: each path
 * `PATH_VALUES` times, the number of rows.
 */
export function compileUsesBelow(dialect: Comparing, table: string, files: string, column: string, paths: number): Sql {
  return sql`select distinct "related_type", "related_id", "field" from ${id(table)}
    where "file_id" in (select "id" from ${id(files)} where ${belowEach(dialect, column, paths)})
    order by "related_type", "related_id", "field" limit ${slot(PATH_VALUES * paths)}`;
}

/**
 * Takes the lease on a file without one; `returning "id"`. An existing lease is not even locked: its owner may renew or
 * end it during this transaction. Values: file, owner, until.
 */
export function compileTakeLease(): Sql {
  return sql`insert into "galley_file_leases" ("file_id", "owner", "until") values (${slot(0)}, ${slot(1)}, ${slot(2)})
            on conflict ("file_id") do nothing returning "id"`;
}

/** Takes over an expired lease on a file; `returning "id"`. Values: file, owner, until, now. */
export function compileTakeOverLease(): Sql {
  return sql`update "galley_file_leases" set "owner" = ${slot(1)}, "until" = ${slot(2)}
            where "file_id" = ${slot(0)} and "until" <= ${slot(3)} returning "id"`;
}

/** A row if a lease on a file is valid. Values: file, now. */
export function compileLeaseTaken(): Sql {
  return sql`select 1 from "galley_file_leases" where "file_id" = ${slot(0)} and "until" > ${slot(1)}`;
}

/** Locks an owner's lease by an empty update; `returning "id"`. Values: file, owner. */
export function compileLockLease(): Sql {
  return sql`update "galley_file_leases" set "until" = "until" where "file_id" = ${slot(0)} and "owner" = ${slot(1)}
          returning "id"`;
}

/** Extends an owner's lease; `returning "id"`. Values: the new end, file, owner. */
export function compileRenewLease(): Sql {
  return sql`update "galley_file_leases" set "until" = ${slot(0)} where "file_id" = ${slot(1)} and "owner" = ${slot(2)}
            returning "id"`;
}

/** Deletes the leases of all owners whose names begin with a text of this length. Value: the text. */
export function compileDeleteLeasesOf(length: number): Sql {
  return sql`delete from "galley_file_leases" where substr("owner", 1, ${length}) = ${slot(0)}`;
}
