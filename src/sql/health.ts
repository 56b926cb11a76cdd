/** Samples of the health of servers. Slots are in the order of the named values; times are epoch milliseconds. */
import type { Dialect } from './dialect.ts';
import { id, type Sql, slot, sql } from './fragment.ts';

export const HEALTH_TABLE = 'galley_health';

/** Stores a sample, replacing one of the same process. Values: minutes, time, process, sample. */
export function compileStoreSample(): Sql {
  return sql`insert into ${id(HEALTH_TABLE)} ("minutes", "at", "process", "sample")
    values (${slot(0)}, ${slot(1)}, ${slot(2)}, ${slot(3)})
    on conflict ("minutes", "at", "process") do update set "sample" = excluded."sample"`;
}

/** The latest samples, the last one first: minutes, time, sample. Values: the first time, the number of rows. */
export function compileSamples(): Sql {
  return sql`select "minutes", "at", "sample" from ${id(HEALTH_TABLE)} where "at" >= ${slot(0)} order by "at" desc limit ${slot(1)}`;
}

/** The time of the oldest sample of a length before a time, or null. Values: minutes, the time. */
export function compileOldestSample(): Sql {
  return sql`select min("at") from ${id(HEALTH_TABLE)} where "minutes" = ${slot(0)} and "at" < ${slot(1)}`;
}

/** The samples of a period: minutes, time, sample. Values: minutes, the first time, the time after it, a number of rows. */
export function compileSamplesOf(): Sql {
  return sql`select "minutes", "at", "sample" from ${id(HEALTH_TABLE)}
    where "minutes" = ${slot(0)} and "at" >= ${slot(1)} and "at" < ${slot(2)} order by "at" limit ${slot(3)}`;
}

/** Deletes the samples of a period. Values: minutes, the first time, the time after it. */
export function compileForgetSamples(): Sql {
  return sql`delete from ${id(HEALTH_TABLE)} where "minutes" = ${slot(0)} and "at" >= ${slot(1)} and "at" < ${slot(2)}`;
}

/** The bytes of the database. */
export function compileDatabaseSize({ databaseSize }: Dialect): Sql {
  return sql`select ${databaseSize}`;
}

/** The kilobytes of all files according to their records. */
export function compileFilesSize(): Sql {
  return sql`select coalesce(sum("size"), 0) from "files"`;
}
