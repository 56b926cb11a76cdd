/** API tokens, rows of `strapi_api_tokens`, as SQL. Slots are in the order of the values named. */
import { type Sql, slot, sql } from '../fragment.ts';

const COLUMNS = sql`select "id", "name", "type", "access_key", "encrypted_key", "expires_at", "last_used_at",
  "created_at" from "strapi_api_tokens"`;
/** Rows that are older than the column have no kind. Tokens of the other kind are for the reference's panel. */
const CONTENT_API = sql`("kind" is null or "kind" = 'content-api')`;

/** All content API tokens, the oldest first. */
export function compileTokens(): Sql {
  return sql`${COLUMNS} where ${CONTENT_API} order by "id"`;
}

/**
 * All content API tokens, the oldest first, each with its description and the id and names of the administrator who
 * created it.
 */
export function compileDescribedTokens(): Sql {
  return sql`select t."id", t."name", t."type", t."access_key", t."encrypted_key", t."expires_at", t."last_used_at",
        t."created_at", t."description", u."id", u."firstname", u."lastname", u."username"
      from "strapi_api_tokens" t left join "admin_users" u on u."id" = t."created_by_id"
      where t."kind" is null or t."kind" = 'content-api' order by t."id"`;
}

/** The content API tokens with a name, the oldest first. Value: the name. */
export function compileTokensNamed(): Sql {
  return sql`${COLUMNS} where "name" = ${slot(0)} and ${CONTENT_API} order by "id"`;
}

/** The content API tokens with an access key. Value: the access key. */
export function compileTokensOfKey(): Sql {
  return sql`${COLUMNS} where "access_key" = ${slot(0)} and ${CONTENT_API}`;
}

/** The actions granted to a custom token. Value: the token. */
export function compileTokenActions(): Sql {
  return sql`select p."action" from "strapi_api_token_permissions" p
        join "strapi_api_token_permissions_token_lnk" l on l."api_token_permission_id" = p."id"
        where l."api_token_id" = ${slot(0)}
        union select "action" from "galley_permissions" where "token_id" = ${slot(0)}`;
}

/** The token and the action of each grant of a token. */
export function compileGrantsOfTokens(): Sql {
  return sql`select l."api_token_id", p."action" from "strapi_api_token_permissions" p
        join "strapi_api_token_permissions_token_lnk" l on l."api_token_permission_id" = p."id"
        union select "token_id", "action" from "galley_permissions" where "token_id" is not null`;
}

/** `id` and `action` of the rows of `strapi_api_token_permissions` of a token. Value: the token. */
export function compileTokenPermissions(): Sql {
  return sql`select p."id", p."action" from "strapi_api_token_permissions" p
        join "strapi_api_token_permissions_token_lnk" l on l."api_token_permission_id" = p."id"
        where l."api_token_id" = ${slot(0)} order by p."id"`;
}

/** The next order of a grant in a token. Value: the token. */
export function compileNextTokenGrantOrder(): Sql {
  return sql`select coalesce(max("api_token_permission_ord"), 0) + 1 from "strapi_api_token_permissions_token_lnk"
        where "api_token_id" = ${slot(0)}`;
}

/** Replaces the secret of a token; `returning "document_id"`. Values: access key, encrypted key, now, token. */
export function compileSetSecret(): Sql {
  return sql`update "strapi_api_tokens" set "access_key" = ${slot(0)}, "encrypted_key" = ${slot(1)},
      "updated_at" = ${slot(2)} where "id" = ${slot(3)} returning "document_id", "name"`;
}

/** Deletes a token; `returning "document_id", "name"`. Value: the token. */
export function compileDeleteToken(): Sql {
  return sql`delete from "strapi_api_tokens" where "id" = ${slot(0)} returning "document_id", "name"`;
}

/**
 * Sets when a token was last used, unless that is set to a time between two already: another process may have written
 * it. Values: now, token, the earlier time.
 */
export function compileSetLastUsed(): Sql {
  return sql`update "strapi_api_tokens" set "last_used_at" = ${slot(0)}
                where "id" = ${slot(1)} and ("last_used_at" is null or not "last_used_at" between ${slot(2)} and ${slot(0)})`;
}
