/**
 * Decides which missing secrets a start creates. A new project gets its own. If the database already has API tokens or
 * users, their secrets are lost, and replacing them silently would sign everyone out and refuse every token.
 */
import { existsSync } from 'node:fs';
import { readEnvFile } from './config/environment.ts';
import type { MissingSecrets, SecretName } from './config/load.ts';
import { counted, listed } from './counted.ts';
import { query } from './db/interface/statements.ts';
import { UsageError } from './errors.ts';
import { lookIntoDatabase, type OpenDatabase } from './open-database.ts';
import { programText } from './own-files.ts';
import { COUNTED, compileCountDependents } from './sql/accounts/secret-dependents.ts';
import type { Sql } from './sql/fragment.ts';

/** Rows of a database that depend on its secrets. */
interface Dependents {
  readonly tokens: number;
  readonly administrators: number;
  readonly siteUsers: number;
  /** Encrypted secrets of tokens and second factors, which need `ENCRYPTION_KEY`. */
  readonly encryptedTokens: number;
  readonly encryptedFactors: number;
}

/** Secrets that a project needs to be served. */
const REQUIRED: readonly SecretName[] = ['API_TOKEN_SALT', 'JWT_SECRET'];

/** Returns the missing secrets of a new project. @throws UsageError if the database depends on missing secrets. */
export async function secretsOfNewProject(missing: MissingSecrets): Promise<readonly SecretName[]> {
  const dependents = await dependentsOf(missing);
  // read again, since another start may have created them
  const stored = readEnvFile(missing.envFile);
  const lost = lostSecrets(missing, dependents).filter((name) => !stored[name]);
  if (dependents && lost.length > 0) throw new UsageError(refusal(missing, lost, dependents));
  return missing.names.filter((name) => REQUIRED.includes(name));
}

/**
 * As `secretsOfNewProject`, for commands that do not need secrets: if the database depends on them, none are created.
 */
export async function secretsIfNew(missing: MissingSecrets): Promise<readonly SecretName[]> {
  const dependents = await dependentsOf(missing);
  if (lostSecrets(missing, dependents).length > 0) return [];
  return missing.names.filter((name) => REQUIRED.includes(name));
}

/** Returns all missing secrets, whatever depends on them. @param warn receives what stops working. */
export async function secretsInPlaceOfLost(
  missing: MissingSecrets,
  warn: (line: string) => void,
): Promise<readonly SecretName[]> {
  const dependents = await dependentsOf(missing);
  const lost = lostSecrets(missing, dependents);
  if (dependents && lost.length > 0) warn(`warning: new secrets: ${costOf(lost, dependents)}`);
  return missing.names.filter((name) => REQUIRED.includes(name) || lost.includes(name));
}

/** Missing secrets that the database depends on. */
function lostSecrets({ names }: MissingSecrets, dependents: Dependents | undefined): SecretName[] {
  if (!dependents) return [];
  const { tokens, administrators, siteUsers, encryptedTokens, encryptedFactors } = dependents;
  const isUsed = tokens + administrators + siteUsers > 0;
  const required = isUsed ? names.filter((name) => REQUIRED.includes(name)) : [];
  // tokens work without the copies of their secrets, so a missing key alone is no reason to refuse
  const isKeyLost = encryptedFactors > 0 || (required.length > 0 && encryptedTokens > 0);
  return isKeyLost ? names.filter((name) => name === 'ENCRYPTION_KEY' || required.includes(name)) : required;
}

const COUNTED_TABLES = ['strapi_api_tokens', 'admin_users', 'up_users', 'galley_admin_second_factors'] as const;
type CountedTable = (typeof COUNTED_TABLES)[number];

/** Undefined if there is no database yet. */
function dependentsOf({ config }: MissingSecrets): Promise<Dependents | undefined> {
  return lookIntoDatabase(config.database, async ({ database, schema }: OpenDatabase) => {
    const tables = await schema.introspect(database, COUNTED_TABLES);
    const count = async (table: CountedTable, column: string, statement: Sql): Promise<number> => {
      const isThere = tables.get(table)?.columns.some(({ name }) => name === column);
      return isThere ? Number((await query(database, statement))[0]![0]) : 0;
    };
    return {
      tokens: await count('strapi_api_tokens', 'id', compileCountDependents('tokens')),
      administrators: await count('admin_users', 'id', compileCountDependents('administrators')),
      siteUsers: await count('up_users', 'id', compileCountDependents('siteUsers')),
      encryptedTokens: await count('strapi_api_tokens', 'encrypted_key', compileCountDependents('encryptedTokens')),
      encryptedFactors: await count(
        'galley_admin_second_factors',
        'secret',
        compileCountDependents('encryptedFactors'),
      ),
    };
  });
}

function refusal({ envFile }: MissingSecrets, lost: readonly SecretName[], dependents: Dependents): string {
  const { tokens, administrators, siteUsers } = dependents;
  const users = [
    [tokens, 'API token'],
    [administrators, 'administrator'],
    [siteUsers, 'site user'],
  ] as const;
  const has = listed(users.flatMap(([count, noun]) => (count > 0 ? [countedOf(count, noun)] : [])));
  const [are, them] = lost.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const absent = existsSync(envFile) ? '' : ' (there is no such file)';
  return [
    `${listed(lost)} ${are} missing, and the database already has ${has}`,
    `neither the environment nor ${envFile}${absent} sets ${them}`,
    `copy the .env of the machine where the database was created to ${envFile}, or set ${listed(lost)} as it does`,
    'this protects tokens and sign-ins: servers of this database with other secrets would reject those of each other',
    `if that .env is lost, ${programText()} start --new-secrets creates new secrets; then ${costOf(lost, dependents)}`,
    'nothing was changed',
  ].join('\n');
}

/** What stops working with new secrets. */
function costOf(lost: readonly SecretName[], dependents: Dependents): string {
  const { tokens, siteUsers, encryptedTokens, encryptedFactors } = dependents;
  const costs = lost.flatMap((name) => {
    if (name === 'API_TOKEN_SALT') {
      return tokens > 0
        ? [`the API tokens (${upTo(tokens)}) stop working until ${programText()} token rotate replaces each`]
        : [];
    }
    if (name === 'JWT_SECRET') {
      return siteUsers > 0 ? [`the site users (${upTo(siteUsers)}) must sign in again`] : [];
    }
    return [
      ...(encryptedTokens > 0 ? [`the secrets of API tokens (${upTo(encryptedTokens)}) cannot be shown again`] : []),
      ...(encryptedFactors > 0
        ? [
            `administrators with a second factor (${upTo(encryptedFactors)}) need a recovery code to sign in, and must set it up again`,
          ]
        : []),
    ];
  });
  return costs.length > 0 ? costs.join('; ') : 'nothing in this database stops working';
}

const upTo = (count: number): string => (count > COUNTED ? `more than ${COUNTED}` : String(count));

const countedOf = (count: number, noun: string): string =>
  count > COUNTED ? `more than ${counted(COUNTED, noun)}` : counted(count, noun);
