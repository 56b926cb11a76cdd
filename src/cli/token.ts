/** `galley token create`: makes an API token and prints its secret, once. */

import { grantableActions } from '../access/actions.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { ownActions } from '../project.ts';
import { namedActions } from '../users/roles/action-names.ts';
import {
  createToken,
  findToken,
  listTokenActions,
  listTokens,
  lockTokenNames,
  revokeToken,
  rotateToken,
  type StoredToken,
  TOKEN_TYPES,
  type TokenType,
} from '../users/sessions/tokens.ts';
import { type Command, integerFlag, readArguments, type Surroundings } from './command.ts';
import { changeProject, inProject } from './in-project.ts';
import { table } from './table.ts';

export const tokenCreateCommand: Command = {
  name: 'token create',
  summary: 'create an API token and print its secret',
  help: `galley token create --name N --type read-only|full-access|custom [--permission A]... [--lifespan DAYS] [--json] [DIR]

Makes an API token in the project in DIR (default: the working folder). Prints its secret, alone on stdout and this once only.

  --name N         name of the token, not taken by another
  --type T         read-only, full-access or custom
  --permission A   an action of a custom token, such as api::article.article.find; may be repeated
  --lifespan DAYS  days until it expires (default: never)
  --json           print the token as JSON, with its secret`,
  run,
};

async function run(args: readonly string[], { env, print, warn }: Surroundings): Promise<number> {
  const { flag, flags, switched, positionals } = readArguments(
    'token create',
    args,
    {
      name: { type: 'string' },
      type: { type: 'string' },
      permission: { type: 'string', multiple: true },
      lifespan: { type: 'string' },
      json: { type: 'boolean' },
    },
    ['DIR'],
  );
  const name = flag('name')?.trim();
  if (!name) throw new UsageError('galley token create needs --name');
  const type = tokenType(flag('type'));
  const words = flags('permission');
  if (words.length > 0 && type !== 'custom') {
    throw new UsageError(`--permission is for custom tokens: the rights of a ${type} token follow from its type`);
  }
  const lifespan = lifespanFlag(flag('lifespan')) ?? null;
  const { secret, json } = await changeProject(positionals[0], { env, warn, usesSecrets: true }, async (app, tx) => {
    const known = grantableActions(app.catalog, ownActions(app));
    const permissions = [...new Set(words.flatMap((word) => namedActions(word, known, app.catalog, 'permission')))];
    await lockTokenNames(tx);
    if (await findToken(tx, name)) throw new UsageError(takenName(name));
    const { secret } = await createToken(tx, app.config, { name, type, permissions, lifespan });
    return { secret, json: await jsonOfToken(tx, (await findToken(tx, name))!, secret) };
  });
  print(switched('json') ? json : secret);
  warn(`Created the ${type} token ${name}. Save its secret: it is not shown again.`);
  return 0;
}

function tokenType(text: string | undefined): TokenType {
  if (text === undefined) throw new UsageError(`galley token create needs --type: ${TOKEN_TYPES.join(', ')}`);
  const type = TOKEN_TYPES.find((known) => known === text);
  if (type) return type;
  const hint = nearest(text, TOKEN_TYPES);
  const told = hint === undefined ? `use ${TOKEN_TYPES.join(', ')}` : `did you mean ${hint}?`;
  throw new UsageError(`unknown token type ${text}: ${told}`);
}

const takenName = (name: string): string =>
  `a token named ${name} already exists: galley token rotate ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)} gives it a new secret`;

export const tokenListCommand: Command = {
  name: 'token list',
  summary: 'list the API tokens',
  help: `galley token list [--json] [DIR]

Lists the API tokens of the project in DIR (default: the working folder): id, name, type, when each expires and when it
was last used, to the hour. Secrets are not shown.

  --json  a JSON object a line, with the permissions of custom tokens`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('token list', args, { json: { type: 'boolean' } }, ['DIR']);
    const lines = await inProject(positionals[0], { env, warn }, async (_, db) => {
      const tokens = await listTokens(db);
      if (switched('json')) return Promise.all(tokens.map((token) => jsonOfToken(db, token)));
      return table(
        ['id', 'name', 'type', 'expires', 'last used'],
        tokens.map(({ id, name, type, expiresAt, lastUsedAt }) => [
          String(id),
          name,
          type,
          expiresAt === null ? 'never' : expiresAt <= Date.now() ? `${minute(expiresAt)} (expired)` : minute(expiresAt),
          lastUsedAt === null ? 'never' : minute(lastUsedAt),
        ]),
      );
    });
    for (const line of lines) print(line);
    return 0;
  },
};

/** A time for a person, in UTC: `2026-05-06 07:08`. */
const minute = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');

export const tokenRotateCommand: Command = {
  name: 'token rotate',
  summary: 'give an API token a new secret',
  help: `galley token rotate TOKEN [--lifespan DAYS] [--json] [DIR]

Gives the API token with this name or id another secret and prints it, alone on stdout, this once. The secret before is
refused from now on. Type and permissions stay.

  --lifespan DAYS  days until it expires, from now (default: it expires when it would have)
  --json           print the token as JSON, with its secret`,
  async run(args, { env, print, warn }) {
    const { flag, switched, positionals } = readArguments(
      'token rotate',
      args,
      { lifespan: { type: 'string' }, json: { type: 'boolean' } },
      ['TOKEN', 'DIR'],
    );
    const [word, dir] = positionals;
    if (word === undefined) throw new UsageError('galley token rotate needs a TOKEN; see galley token rotate --help');
    const lifespan = lifespanFlag(flag('lifespan'));
    const { token, secret, json } = await changeProject(dir, { env, warn, usesSecrets: true }, async (app, tx) => {
      const { id } = await requireToken(tx, word);
      const secret = await rotateToken(tx, app.config, id, lifespan);
      const token = (await listTokens(tx)).find((other) => other.id === id)!;
      return { token, secret, json: await jsonOfToken(tx, token, secret) };
    });
    print(switched('json') ? json : secret);
    warn(`The token ${token.name} has a new secret. Save it: it is not shown again. The old one no longer works.`);
    if (token.expiresAt !== null && token.expiresAt <= Date.now()) {
      warn('The token has expired: rotate it with --lifespan to renew it.');
    }
    return 0;
  },
};

export const tokenRevokeCommand: Command = {
  name: 'token revoke',
  summary: 'delete an API token',
  help: `galley token revoke TOKEN [DIR]

Deletes the API token with this name or id from the project in DIR (default: the working folder). Servers on the same
database refuse its secret at once.`,
  async run(args, { env, print, warn }) {
    const { positionals } = readArguments('token revoke', args, {}, ['TOKEN', 'DIR']);
    const [word, dir] = positionals;
    if (word === undefined) throw new UsageError('galley token revoke needs a TOKEN; see galley token revoke --help');
    const { id, name } = await changeProject(dir, { env, warn }, async (_, tx) => {
      const token = await requireToken(tx, word);
      await revokeToken(tx, token.id);
      return token;
    });
    print(`token ${id}, ${name}, is revoked`);
    return 0;
  },
};

export const DAY = 24 * 60 * 60 * 1000;
/** Ten thousand days: anything longer is not a lifespan. */
export const MOST_DAYS = 10_000;

/** The milliseconds of `--lifespan DAYS`; undefined when it was left out. */
export function lifespanFlag(text: string | undefined): number | undefined {
  const days = integerFlag('lifespan', text, 1, MOST_DAYS);
  return days === undefined ? undefined : days * DAY;
}

/**
 * The token that a name or a row id means.
 *
 * @throws UsageError for none, and for several.
 */
export async function requireToken(db: Queryable, word: string): Promise<StoredToken> {
  const tokens = await listTokens(db);
  const [token, other] = tokens.filter(({ id, name }) => name === word || String(id) === word);
  if (token && !other) return token;
  if (token) {
    const ids = tokens.filter(({ name }) => name === word).map(({ id }) => id);
    const meant = ids.length > 1 ? `use one of the ids ${ids.join(', ')}` : `it is the name of token ${ids[0]} as well`;
    throw new UsageError(`${word} matches several tokens: ${meant}`);
  }
  const hint = nearest(
    word,
    tokens.map(({ name }) => name),
  );
  throw new UsageError(`no token ${word}: ${hint === undefined ? 'see galley token list' : `did you mean ${hint}?`}`);
}

/** A token as JSON: times in ISO 8601, and never a secret, unless the one that was just made is given. */
export async function jsonOfToken(db: Queryable, token: StoredToken, secret?: string): Promise<string> {
  const time = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString());
  const { id, name, type, expiresAt, lastUsedAt, createdAt } = token;
  return JSON.stringify({
    id,
    name,
    type,
    permissions: type === 'custom' ? await listTokenActions(db, id) : [],
    expiresAt: time(expiresAt),
    lastUsedAt: time(lastUsedAt),
    createdAt: time(createdAt),
    ...(secret === undefined ? {} : { secret }),
  });
}
