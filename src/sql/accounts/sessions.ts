/** Sessions of accounts, rows of `galley_sessions`, as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

/** Deletes expired sessions. Value: now. */
export function compileDeleteExpired(): Sql {
  return sql`delete from "galley_sessions" where "expires_at" <= ${slot(0)}`;
}

/** Deletes all but the newest sessions of an account; `returning "id"`. Value: the account. */
export function compileDeleteOldest(most: number): Sql {
  return sql`delete from "galley_sessions" where "user_id" = ${slot(0)} and "id" not in (
          select "id" from "galley_sessions" where "user_id" = ${slot(0)} order by "id" desc limit ${most})
        returning "id"`;
}

/**
 * `ends_at`, `password_mark` and the account's password of the session that a refresh token names, unless it is over.
 * Values: session, account, refresh id, now.
 */
export function compileRenewable(): Sql {
  return sql`select s."ends_at", s."password_mark", u."password" from "galley_sessions" s
        join "up_users" u on u."id" = s."user_id"
        where s."session_id" = ${slot(0)} and s."user_id" = ${slot(1)} and s."refresh_id" = ${slot(2)}
        and s."expires_at" > ${slot(3)} and s."ends_at" > ${slot(3)}`;
}

/**
 * Gives a session its next refresh id, unless the one before has been used meanwhile; `returning "id"`. Values: the next
 * one, now, expiry, session, the one before.
 */
export function compileRenew(): Sql {
  return sql`update "galley_sessions" set "refresh_id" = ${slot(0)}, "active_at" = ${slot(1)}, "expires_at" = ${slot(2)}
        where "session_id" = ${slot(3)} and "refresh_id" = ${slot(4)} returning "id"`;
}

/** The valid sessions of an account, the one used last first. Values: account, now. */
export function compileOpenSessions(): Sql {
  return sql`select "session_id", "device_id", "device_name", "created_at", "active_at" from "galley_sessions"
        where "user_id" = ${slot(0)} and "expires_at" > ${slot(1)} order by "active_at" desc, "id" desc`;
}

/** Deletes one session of an account; `returning "id"`. Values: account, session. */
export function compileDeleteSession(): Sql {
  return sql`delete from "galley_sessions" where "user_id" = ${slot(0)} and "session_id" = ${slot(1)} returning "id"`;
}

/** Sets the time from which tokens of an account without a session are valid. Values: account, time. */
export function compileSetTokensFrom(): Sql {
  return sql`insert into "galley_accounts" ("user_id", "tokens_from") values (${slot(0)}, ${slot(1)})
        on conflict ("user_id") do update set "tokens_from" = excluded."tokens_from"`;
}

/**
 * What decides whether a user token is valid: `blocked`, `confirmed`, role, the session's expiry, `tokens_from`, password
 * and `password_mark`. Values: session, account.
 */
export function compileTokenState(): Sql {
  return sql`select u."blocked", u."confirmed", l."role_id", s."expires_at", a."tokens_from",
            u."password", s."password_mark" from "up_users" u
          left join "up_users_role_lnk" l on l."user_id" = u."id"
          left join "galley_sessions" s on s."user_id" = u."id" and s."session_id" = ${slot(0)}
          left join "galley_accounts" a on a."user_id" = u."id" where u."id" = ${slot(1)}`;
}
