/** The numbers of rows that depend on the secrets of a project. */
import { type Sql, sql } from '../fragment.ts';

/** The most rows that are counted. */
export const COUNTED = 1000;

/** The number of administrators, at most COUNTED + 1. */
export function compileCountAdministrators(): Sql {
  return sql`select count(*) from (select 1 from "admin_users" limit ${COUNTED + 1}) x`;
}

/** The number of accounts of the site's API, at most COUNTED + 1. */
export function compileCountSiteUsers(): Sql {
  return sql`select count(*) from (select 1 from "up_users" limit ${COUNTED + 1}) x`;
}

/** The number of API tokens, at most COUNTED + 1. */
export function compileCountTokens(): Sql {
  return sql`select count(*) from (select 1 from "strapi_api_tokens" limit ${COUNTED + 1}) x`;
}

/** The number of API tokens with an encrypted copy of their secret, at most COUNTED + 1. */
export function compileCountEncryptedTokens(): Sql {
  return sql`select count(*) from
    (select 1 from "strapi_api_tokens" where "encrypted_key" is not null limit ${COUNTED + 1}) x`;
}

/** The number of second factors with an encrypted secret, at most COUNTED + 1. */
export function compileCountEncryptedFactors(): Sql {
  return sql`select count(*) from
    (select 1 from "galley_admin_second_factors" where "secret" like 'v1:%' limit ${COUNTED + 1}) x`;
}
