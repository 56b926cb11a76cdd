/** The numbers of rows that depend on the secrets of a project. */
import { type Sql, sql } from '../fragment.ts';

/** The most rows that are counted. */
export const COUNTED = 1000;

const ROWS = {
  administrators: sql`"admin_users"`,
  siteUsers: sql`"up_users"`,
  tokens: sql`"strapi_api_tokens"`,
  encryptedTokens: sql`"strapi_api_tokens" where "encrypted_key" is not null`,
  encryptedFactors: sql`"galley_admin_second_factors" where "secret" like 'v1:%'`,
};

/** The number of rows of a kind, at most COUNTED + 1. */
export function compileCountDependents(kind: keyof typeof ROWS): Sql {
  return sql`select count(*) from (select 1 from ${ROWS[kind]} limit ${COUNTED + 1}) x`;
}
