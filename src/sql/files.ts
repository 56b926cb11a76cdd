/** Records of files, their folders and leases on them as SQL. Slots are in the order of the values named. */
import type { Dialect } from './dialect.ts';
import { id, join, type Sql, slot, slots, sql } from './fragment.ts';

/** What records say of their files, in the order of their ids. Values: the last id that is known, the number of rows. */
export function compileFileRecords(table: string): Sql {
  return sql`select "id", "name", "provider", "url", "size", "formats", "preview_url" from ${id(table)}
    where "id" > ${slot(0)} order by "id" limit ${slot(1)}`;
}

/** The records that have one of some hashes or addresses. Values: the hashes, the addresses. */
export function compileRecordsOf(table: string, hashes: number, addresses: number): Sql {
  return sql`select "provider", "url", "ext", "mime", "formats" from ${id(table)}
      where "hash" in (${slots(0, hashes)}) or "url" in (${slots(hashes, addresses)})`;
}

/** The greatest `path_id` of a folder, or null. */
export function compileLastFolder(): Sql {
  return sql`select max("path_id") from "upload_folders"`;
}

/**
 * Rows of a path and of all paths below it. A range, and not `like`, which no index of the column serves where the
 * pattern is a value: `0` comes right behind `/`. Values: the path, three times, from `first` on.
 */
function below({ comparable }: Comparing, column: string, first: number): Sql {
  const path = comparable(id(column), 'text');
  return sql`(${id(column)} = ${slot(first)} or (${path} >= ${slot(first + 1)} || '/' and ${path} < ${slot(first + 2)} || '0'))`;
}

/** How texts are compared by code point. */
type Comparing = Pick<Dialect, 'comparable'>;

const belowEach = (dialect: Comparing, column: string, paths: number): Sql =>
  join(
    Array.from({ length: paths }, (_, n) => below(dialect, column, PATH_VALUES * n)),
    ' or ',
  );

/** How many times each path is a value of a statement about what is below it. */
export const PATH_VALUES = 3;

/** Gives rows of a path, and of paths below it, another path in its place. Values: the new path, the old one four times. */
export function compileMovePaths(dialect: Comparing, table: string, column: string): Sql {
  const moved = sql`${slot(0)} || substr(${id(column)}, length(${slot(1)}) + 1)`;
  return sql`update ${id(table)} set ${id(column)} = ${moved} where ${below(dialect, column, 2)}`;
}

/** The longest path below one, itself included, in characters. Values: the path, `PATH_VALUES` times. */
export function compileLongestPath(dialect: Comparing, table: string, column: string): Sql {
  return sql`select max(length(${id(column)})) from ${id(table)} where ${below(dialect, column, 0)}`;
}

/** Ids of rows of some paths and of all paths below them, in their order. Values: each path `PATH_VALUES` times, the number of rows. */
export function compileBelow(dialect: Comparing, table: string, column: string, paths: number): Sql {
  const last = slot(PATH_VALUES * paths);
  return sql`select "id" from ${id(table)} where ${belowEach(dialect, column, paths)} order by "id" limit ${last}`;
}

/** How many rows there are of some paths and of all paths below them. Values: each path `PATH_VALUES` times. */
export function compileCountBelow(dialect: Comparing, table: string, column: string, paths: number): Sql {
  return sql`select count(*) from ${id(table)} where ${belowEach(dialect, column, paths)}`;
}

/** How many rows there are of each path below the root: its own index tells. */
export function compileCountByPath({ comparable }: Comparing, table: string, column: string): Sql {
  const rooted = sql`${comparable(id(column), 'text')} > '/'`;
  return sql`select ${id(column)}, count(*) from ${id(table)} where ${rooted} group by ${id(column)}`;
}

/** How many rows there are of one path. Value: the path. */
export function compileCountOfPath(table: string, column: string): Sql {
  return sql`select count(*) from ${id(table)} where ${id(column)} = ${slot(0)}`;
}

/** Rows that show some of the files: type, id and attribute. Values: the files, the number of rows. */
export function compileUsesOf(table: string, files: number): Sql {
  return sql`select distinct "related_type", "related_id", "field" from ${id(table)} where "file_id" in (${slots(0, files)})
    order by "related_type", "related_id", "field" limit ${slot(files)}`;
}

/** Rows that show files of some paths and of all paths below them, as `compileUsesOf` gives them. Values: each path `PATH_VALUES` times, the number of rows. */
export function compileUsesBelow(dialect: Comparing, table: string, files: string, column: string, paths: number): Sql {
  return sql`select distinct "related_type", "related_id", "field" from ${id(table)}
    where "file_id" in (select "id" from ${id(files)} where ${belowEach(dialect, column, paths)})
    order by "related_type", "related_id", "field" limit ${slot(PATH_VALUES * paths)}`;
}

/**
 * Takes the lease on a file that nobody has; `returning "id"`. One that somebody has is not even locked: whoever has it may
 * change it, and give it back, while this transaction lasts. Values: file, owner, until.
 */
export function compileTakeLease(): Sql {
  return sql`insert into "galley_file_leases" ("file_id", "owner", "until") values (${slot(0)}, ${slot(1)}, ${slot(2)})
            on conflict ("file_id") do nothing returning "id"`;
}

/** Takes over the lease on a file that has run out; `returning "id"`. Values: file, owner, until, now. */
export function compileTakeOverLease(): Sql {
  return sql`update "galley_file_leases" set "owner" = ${slot(1)}, "until" = ${slot(2)}
            where "file_id" = ${slot(0)} and "until" <= ${slot(3)} returning "id"`;
}

/** A row if somebody has the lease on a file. Values: file, now. */
export function compileLeaseTaken(): Sql {
  return sql`select 1 from "galley_file_leases" where "file_id" = ${slot(0)} and "until" > ${slot(1)}`;
}

/** Locks an owner's lease, by an update of nothing; `returning "id"`. Values: file, owner. */
export function compileLockLease(): Sql {
  return sql`update "galley_file_leases" set "until" = "until" where "file_id" = ${slot(0)} and "owner" = ${slot(1)}
          returning "id"`;
}

/** Makes an owner's lease last until a time; `returning "id"`. Values: the time, file, owner. */
export function compileRenewLease(): Sql {
  return sql`update "galley_file_leases" set "until" = ${slot(0)} where "file_id" = ${slot(1)} and "owner" = ${slot(2)}
            returning "id"`;
}

/** Deletes the leases of all owners whose names begin with a text of this length. Value: the text. */
export function compileDeleteLeasesOf(length: number): Sql {
  return sql`delete from "galley_file_leases" where substr("owner", 1, ${length}) = ${slot(0)}`;
}
