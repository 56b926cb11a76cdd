/** Codes that are mailed to accounts, rows of `galley_accounts`, as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

/** Sets the code that resets the password of an account. Values: account, hash, the end of its validity. */
export function compileSetResetCode(): Sql {
  return sql`insert into "galley_accounts" ("user_id", "reset_hash", "reset_until")
        values (${slot(0)}, ${slot(1)}, ${slot(2)})
        on conflict ("user_id") do update
        set "reset_hash" = excluded."reset_hash", "reset_until" = excluded."reset_until"`;
}

/** The account of a reset code that is still valid. Values: hash, now. */
export function compileAccountOfResetCode(): Sql {
  return sql`select "user_id" from "galley_accounts" where "reset_hash" = ${slot(0)} and "reset_until" > ${slot(1)}`;
}

/** Removes a reset code, unless that has happened meanwhile; `returning "id"`. Values: account, hash. */
export function compileUseResetCode(): Sql {
  return sql`update "galley_accounts" set "reset_hash" = null, "reset_until" = null
        where "user_id" = ${slot(0)} and "reset_hash" = ${slot(1)} returning "id"`;
}

/** Sets the code that confirms the address of an account. Values: account, hash. */
export function compileSetConfirmationCode(): Sql {
  return sql`insert into "galley_accounts" ("user_id", "confirmation_hash") values (${slot(0)}, ${slot(1)})
        on conflict ("user_id") do update set "confirmation_hash" = excluded."confirmation_hash"`;
}

/** The account of a confirmation code, those of the reference included. Values: hash, code. */
export function compileAccountOfConfirmationCode(): Sql {
  return sql`select "user_id" from "galley_accounts" where "confirmation_hash" = ${slot(0)}
        union all select "id" from "up_users" where "confirmation_token" = ${slot(1)}`;
}

/** Removes the reference's confirmation code of an account that has one. Value: the account. */
export function compileDropReferenceCode(): Sql {
  return sql`update "up_users" set "confirmation_token" = null where "id" = ${slot(0)} and "confirmation_token" is not null`;
}
