/** Look-ups of accounts, rows of `up_users`, as SQL. Slots are in the order of the values named. */
import type { Dialect } from '../dialect.ts';
import { type Sql, slot, sql } from '../fragment.ts';

const COLUMNS = sql`"id", "document_id", "username", "email", "provider", "password", "confirmed", "blocked"`;

/** The account with a password that has an address, or else a user name. Values: address, user name. */
export function compileAccountOfIdentifier(): Sql {
  return sql`select ${COLUMNS} from "up_users" where "provider" = 'local' and ("email" = ${slot(0)} or "username" = ${slot(1)})
        order by case when "email" = ${slot(0)} then 0 else 1 end, "id" limit 1`;
}

/** The oldest account of an address. Value: the address. */
export function compileAccountOfEmail(): Sql {
  return sql`select ${COLUMNS} from "up_users" where "email" = ${slot(0)} order by "id" limit 1`;
}

/** The account of a row id. Value: the id. */
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
  // an address has an @, so that few user names need folding
  return sql`select "provider",
          case when "email" = ${slot(0)} then 1 else 0 end, case when "username" = ${slot(1)} then 1 else 0 end
        from "up_users" where "id" <> ${slot(2)} and ("email" = ${slot(0)} or "username" = ${slot(1)}
          or "email" = ${slot(3)} or ("username" like '%@%' and ${folded} = ${slot(4)}))`;
}
