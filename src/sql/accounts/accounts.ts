/**
 * Accounts, rows of `up_users`, and the codes that are mailed to them, rows of `galley_accounts`. Slots are in the
 * order of the named values.
 */
import type { Dialect } from '../dialect.ts';
import { type Sql, slot, sql } from '../fragment.ts';

const COLUMNS = sql`"id", "document_id", "username", "email", "provider", "password", "confirmed", "blocked"`;

/** The account with a password that has an address or, failing that, a user name. Values: address, user name. */
export function compileAccountOfIdentifier(): Sql {
  return sql`select ${COLUMNS} from "up_users" where "provider" = 'local' and ("email" = ${slot(0)} or "username" = ${slot(1)})
        order by case when "email" = ${slot(0)} then 0 else 1 end, "id" limit 1`;
}

/** The oldest account with an address. Value: the address. */
export function compileAccountOfEmail(): Sql {
  return sql`select ${COLUMNS} from "up_users" where "email" = ${slot(0)} order by "id" limit 1`;
}

/** The account with a row id. Value: the id. */
export function compileAccountOfId(): Sql {
  return sql`select ${COLUMNS} from "up_users" where "id" = ${slot(0)}`;
}

/**
 * `provider` of the accounts, except one, that have a name, with 1 or 0 for whether they have this address, and this user
 * name. Values: address, user name, the account that does not count, the user name as an address, the address as a
 * folded user name. Null matches no account.
 */
export function compileTakenNames(dialect: Dialect): Sql {
  const folded = dialect.fold(sql`"username"`);
  // addresses contain an @, so few user names need folding
  return sql`select "provider",
          case when "email" = ${slot(0)} then 1 else 0 end, case when "username" = ${slot(1)} then 1 else 0 end
        from "up_users" where "id" <> ${slot(2)} and ("email" = ${slot(0)} or "username" = ${slot(1)}
          or "email" = ${slot(3)} or ("username" like '%@%' and ${folded} = ${slot(4)}))`;
}

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

/** Removes a reset code, unless another request has; `returning "id"`. Values: account, hash. */
export function compileUseResetCode(): Sql {
  return sql`update "galley_accounts" set "reset_hash" = null, "reset_until" = null
        where "user_id" = ${slot(0)} and "reset_hash" = ${slot(1)} returning "id"`;
}

/** Sets the code that confirms the address of an account. Values: account, hash. */
export function compileSetConfirmationCode(): Sql {
  return sql`insert into "galley_accounts" ("user_id", "confirmation_hash") values (${slot(0)}, ${slot(1)})
        on conflict ("user_id") do update set "confirmation_hash" = excluded."confirmation_hash"`;
}

/** The account of a confirmation code, including the reference's codes. Values: hash, code. */
export function compileAccountOfConfirmationCode(): Sql {
  return sql`select "user_id" from "galley_accounts" where "confirmation_hash" = ${slot(0)}
        union all select "id" from "up_users" where "confirmation_token" = ${slot(1)}`;
}

/** Removes the reference's confirmation code of an account. Value: the account. */
export function compileDropReferenceCode(): Sql {
  return sql`update "up_users" set "confirmation_token" = null where "id" = ${slot(0)} and "confirmation_token" is not null`;
}
