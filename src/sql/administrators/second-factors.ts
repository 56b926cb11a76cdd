/** Second factors, rows of `galley_admin_second_factors`, as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

/** Begins anew with a secret, unless the second factor is on; `returning "id"`. Values: administrator, secret. */
export function compileOfferSecret(): Sql {
  return sql`insert into "galley_admin_second_factors" ("user_id", "secret") values (${slot(0)}, ${slot(1)})
    on conflict ("user_id") do update set "secret" = excluded."secret", "last_step" = null, "recovery_hashes" = null
    where "galley_admin_second_factors"."enabled_at" is null returning "id"`;
}

/** Turns a second factor on that is not; `returning "id"`. Values: now, step, recovery hashes, administrator, secret. */
export function compileEnableSecondFactor(): Sql {
  return sql`update "galley_admin_second_factors" set "enabled_at" = ${slot(0)}, "last_step" = ${slot(1)},
      "recovery_hashes" = ${slot(2)}
    where "user_id" = ${slot(3)} and "secret" = ${slot(4)} and "enabled_at" is null returning "id"`;
}

/** Uses up a step of time, unless it or a later one has been used; `returning "id"`. Values: step, administrator. */
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
