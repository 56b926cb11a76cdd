/** Records of files, their folders and leases on them as SQL. Slots are in the order of the values named. */
import { id, type Sql, slot, slots, sql } from './fragment.ts';

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

/** Takes the lease on a file, if nobody has it; `returning "id"`. Values: file, owner, its end, now. */
export function compileTakeLease(): Sql {
  return sql`insert into "galley_file_leases" ("file_id", "owner", "until") values (${slot(0)}, ${slot(1)}, ${slot(2)})
            on conflict ("file_id") do update set "owner" = excluded."owner", "until" = excluded."until"
            where "galley_file_leases"."until" <= ${slot(3)} returning "id"`;
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
