/** How many rows depend on the secrets of a project, as SQL. */
import { type Sql, sql } from '../fragment.ts';

/** Rows that are counted at most. */
export const COUNTED = 1000;

/** The number of administrators, at most one more than are counted. */
export function compileCountAdministrators(): Sql {
  return sql`select count(*) from (select 1 from "admin_users" limit ${COUNTED + 1}) x`;
}

/** The same of accounts of the site's API. */
export function compileCountSiteUsers(): Sql {
  return sql`select count(*) from (select 1 from "up_users" limit ${COUNTED + 1}) x`;
}

/** The same of API tokens. */
export function compileCountTokens(): Sql {
  return sql`select count(*) from (select 1 from "strapi_api_tokens" limit ${COUNTED + 1}) x`;
}

/** The same of API tokens with an encrypted copy of their secret. */
export function compileCountEncryptedTokens(): Sql {
  return sql`select count(*) from
    (select 1 from "strapi_api_tokens" where "encrypted_key" is not null limit ${COUNTED + 1}) x`;
}

/** The same of second factors whose secret is encrypted. */
export function compileCountEncryptedFactors(): Sql {
  return sql`select count(*) from
    (select 1 from "galley_admin_second_factors" where "secret" like 'v1:%' limit ${COUNTED + 1}) x`;
}
