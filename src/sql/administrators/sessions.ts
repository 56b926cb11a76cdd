/** Sessions of administrators and their second factors. Slots are in the order of the named values. */
import { type Sql, slot, sql } from '../fragment.ts';

/** Deletes expired sessions. Value: now. */
export function compileDeleteExpiredSessions(): Sql {
  return sql`delete from "galley_admin_sessions" where "expires_at" <= ${slot(0)}`;
}

/** Deletes all but the newest sessions of an administrator. Value: the administrator. */
export function compileDeleteOldestSessions(most: number): Sql {
  return sql`delete from "galley_admin_sessions" where "user_id" = ${slot(0)} and "id" not in (
    select "id" from "galley_admin_sessions" where "user_id" = ${slot(0)} order by "id" desc limit ${most})`;
}

/**
 * The session that a token opens or opened before it was renewed, unless it is over: `session_id`, `user_id`,
 * `password_mark`, whether the token is the one before, `renewed_at`, `token_used`, `remembered`, `used_at`, `expires_at`,
 * `ends_at`. Values: the token's hash, now.
 */
export function compileSessionOfToken(): Sql {
  return sql`select "session_id", "user_id", "password_mark", case when "token_hash" = ${slot(0)} then 0 else 1 end,
      "renewed_at", "token_used", "remembered", "used_at", "expires_at", "ends_at" from "galley_admin_sessions"
    where ("token_hash" = ${slot(0)} or "former_hash" = ${slot(0)})
      and "expires_at" > ${slot(1)} and "ends_at" > ${slot(1)}`;
}

/** Of a session, unless it is over: `user_id`, `password_mark`, `remembered`. Values: the session, now. */
export function compileOpenSession(): Sql {
  return sql`select "user_id", "password_mark", "remembered" from "galley_admin_sessions"
    where "session_id" = ${slot(0)} and "expires_at" > ${slot(1)} and "ends_at" > ${slot(1)}`;
}

/** Records a use of a session. Values: now, expiry, session. */
export function compileNoteUse(): Sql {
  return sql`update "galley_admin_sessions" set "used_at" = ${slot(0)}, "expires_at" = ${slot(1)}, "token_used" = true
    where "session_id" = ${slot(2)}`;
}

/**
 * Gives a session another token, unless that has happened meanwhile, or in the place of one that was never used;
 * `returning "id"`. Values: the new hash, the one that was shown, now, session, expiry, a time before which the token in
 * use must have been given.
 */
export function compileRenewToken(): Sql {
  return sql`update "galley_admin_sessions" set "token_hash" = ${slot(0)}, "former_hash" = ${slot(1)},
      "renewed_at" = ${slot(2)}, "used_at" = ${slot(2)}, "expires_at" = ${slot(4)}, "token_used" = false
    where "session_id" = ${slot(3)} and ("token_hash" = ${slot(1)}
      or ("former_hash" = ${slot(1)} and "token_used" = false and "renewed_at" < ${slot(5)})) returning "id"`;
}

/** The valid sessions of an administrator, the one used last first. Values: administrator, now. */
export function compileSessionsOfAdministrator(): Sql {
  return sql`select "session_id", "created_at", "used_at", "device_name" from "galley_admin_sessions"
    where "user_id" = ${slot(0)} and "expires_at" > ${slot(1)} order by "used_at" desc, "id" desc`;
}

/** Deletes one session of an administrator; `returning "id"`. Values: administrator, session. */
export function compileDeleteSessionOf(): Sql {
  return sql`delete from "galley_admin_sessions" where "user_id" = ${slot(0)} and "session_id" = ${slot(1)}
    returning "id"`;
}

/** Deletes the sessions of an administrator but one. Values: administrator, the session that stays. */
export function compileDeleteOtherSessions(): Sql {
  return sql`delete from "galley_admin_sessions" where "user_id" = ${slot(0)} and "session_id" <> ${slot(1)}`;
}

/** Starts with a new secret, unless the second factor is enabled; `returning "id"`. Values: administrator, secret. */
export function compileOfferSecret(): Sql {
  return sql`insert into "galley_admin_second_factors" ("user_id", "secret") values (${slot(0)}, ${slot(1)})
    on conflict ("user_id") do update set "secret" = excluded."secret", "last_step" = null, "recovery_hashes" = null
    where "galley_admin_second_factors"."enabled_at" is null returning "id"`;
}

/** Enables a second factor; `returning "id"`. Values: now, step, recovery hashes, administrator, secret. */
export function compileEnableSecondFactor(): Sql {
  return sql`update "galley_admin_second_factors" set "enabled_at" = ${slot(0)}, "last_step" = ${slot(1)},
      "recovery_hashes" = ${slot(2)}
    where "user_id" = ${slot(3)} and "secret" = ${slot(4)} and "enabled_at" is null returning "id"`;
}

/** Uses up a time step, unless it or a later one was used; `returning "id"`. Values: step, administrator. */
export function compileUseStep(): Sql {
  return sql`update "galley_admin_second_factors" set "last_step" = ${slot(0)}
    where "user_id" = ${slot(1)} and ("last_step" is null or "last_step" < ${slot(0)}) returning "id"`;
}

/** Puts other recovery hashes in the place of all, where a second factor is on; `returning "id"`. Values: the new ones, administrator. */
export function compileRenewRecoveryCodes(): Sql {
  return sql`update "galley_admin_second_factors" set "recovery_hashes" = ${slot(0)}
    where "user_id" = ${slot(1)} and "enabled_at" is not null returning "id"`;
}

/** Puts other recovery hashes in the place of known ones; `returning "id"`. Values: the new ones, administrator, those. */
export function compileUseRecoveryCode(): Sql {
  return sql`update "galley_admin_second_factors" set "recovery_hashes" = ${slot(0)}
    where "user_id" = ${slot(1)} and "recovery_hashes" = ${slot(2)} returning "id"`;
}
