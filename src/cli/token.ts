/** `galley token create|list|rotate|revoke`: the API tokens of a project. */
import { grantableActions } from '../access/actions.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { UsageError } from '../errors.ts';
import { meant, nearest } from '../nearest.ts';
import { commandText } from '../own-files.ts';
import { ownActions } from '../project.ts';
import { namedActions } from '../users/roles/action-names.ts';
import {
  createToken,
  findToken,
  listTokenActions,
  listTokens,
  lockTokenNames,
  MOST_DAYS,
  revokeToken,
  rotateToken,
  type StoredToken,
  TOKEN_TYPES,
  type TokenType,
} from '../users/sessions/tokens.ts';
import {
  argumentCommand,
  type Command,
  integerFlag,
  missingArgument,
  readArguments,
  type Surroundings,
} from './command.ts';
import { changeProject } from './in-project.ts';
import { listCommand } from './lists.ts';

const tokenCreateCommand: Command = {
  name: 'token create',
  summary: 'create an API token and print its secret',
  help: `galley token create --name N --type read-only|full-access|custom [--permission A]... [--lifespan DAYS] [--json] [DIR]

Creates an API token in the project in DIR (default: the working folder). Its secret, which is not shown again, is the only
line on stdout.

  --name N         name of the token; no other token has it
  --type T         read-only, full-access or custom
  --permission A   an action of a custom token, such as api::article.article.find; may be repeated
  --lifespan DAYS  days until the token expires (default: never)
  --json           prints the token as JSON, with its secret`,
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
  if (!name) throw missingArgument('token create', '--name');
  const type = tokenType(flag('type'));
  const words = flags('permission');
  if (words.length > 0 && type !== 'custom') {
    throw new UsageError(`--permission is only for custom tokens: the type of a ${type} token decides its rights`);
  }
  const lifespan = lifespanFlag(flag('lifespan')) ?? null;
  const { secret, json } = await changeProject(positionals[0], { env, warn, usesSecrets: true }, async (app, tx) => {
    const actions = grantableActions(app.catalog, ownActions(app));
    const permissions = [...new Set(words.flatMap((word) => namedActions(word, actions, app.catalog, 'permission')))];
    await lockTokenNames(tx);
    if (await findToken(tx, name)) throw new UsageError(takenName(name, app.config.dir));
    const { secret } = await createToken(tx, app.config, { name, type, permissions, lifespan });
    return { secret, json: { ...(await shownToken(tx, (await findToken(tx, name))!)), secret } };
  });
  print(switched('json') ? JSON.stringify(json) : secret);
  warn(`Created the ${type} token ${name}. Save its secret: it is not shown again.`);
  return 0;
}

function tokenType(text: string | undefined): TokenType {
  if (text === undefined) throw new UsageError(`galley token create needs --type: ${TOKEN_TYPES.join(', ')}`);
  const type = TOKEN_TYPES.find((one) => one === text);
  if (type) return type;
  const hint = nearest(text, TOKEN_TYPES);
  throw new UsageError(
    `unknown token type ${text}: ${hint ? `did you mean ${hint}?` : `use ${TOKEN_TYPES.join(', ')}`}`,
  );
}

function takenName(name: string, dir: string): string {
  const word = /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
  return `a token named ${name} already exists; to give it a new secret, run ${commandText(`token rotate ${word}`, dir)}`;
}

const tokenListCommand = listCommand({
  name: 'token list',
  summary: 'list the API tokens',
  about: `Lists the API tokens of the project in DIR (default: the working folder): id, name, type, when each expires and when a
client last used it, to the hour. The JSON has the permissions of custom tokens. Secrets are not shown.`,
  read: async (_, db) => Promise.all((await listTokens(db)).map((token) => shownToken(db, token))),
  heads: ['id', 'name', 'type', 'expires', 'last used'],
  cells: ({ id, name, type, expiresAt, lastUsedAt }) => [
    String(id),
    name,
    type,
    `${minute(expiresAt)}${expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? ' (expired)' : ''}`,
    minute(lastUsedAt),
  ],
});

/** A time for a person, in UTC: `2026-05-06 07:08`. */
const minute = (time: string | null): string => time?.slice(0, 16).replace('T', ' ') ?? 'never';

const tokenRotateCommand: Command = {
  name: 'token rotate',
  summary: 'give an API token a new secret',
  help: `galley token rotate TOKEN [--lifespan DAYS] [--json] [DIR]

Replaces the secret of the API token with this name or id. The new secret, which is not shown again, is the only line on
stdout. The old one no longer works. Type and permissions stay.

  --lifespan DAYS  days until the token expires, from now (default: unchanged)
  --json           prints the token as JSON, with its secret`,
  async run(args, { env, print, warn }) {
    const { flag, switched, positionals } = readArguments(
      'token rotate',
      args,
      { lifespan: { type: 'string' }, json: { type: 'boolean' } },
      ['TOKEN', 'DIR'],
    );
    const [word, dir] = positionals;
    if (word === undefined) throw missingArgument('token rotate', 'a TOKEN');
    const lifespan = lifespanFlag(flag('lifespan'));
    const { token, secret, json } = await changeProject(dir, { env, warn, usesSecrets: true }, async (app, tx) => {
      const { id } = await requireToken(tx, word, app.config.dir);
      const secret = await rotateToken(tx, app.config, id, lifespan);
      const token = (await listTokens(tx)).find((other) => other.id === id)!;
      return { token, secret, json: { ...(await shownToken(tx, token)), secret } };
    });
    print(switched('json') ? JSON.stringify(json) : secret);
    warn(`The token ${token.name} has a new secret. Save it: it is not shown again. The old one no longer works.`);
    if (token.expiresAt !== null && token.expiresAt <= Date.now()) {
      warn('The token has expired. To renew it, rotate it with --lifespan.');
    }
    return 0;
  },
};

const tokenRevokeCommand = argumentCommand({
  name: 'token revoke',
  summary: 'delete an API token',
  argument: 'TOKEN',
  about: `Deletes the API token with this name or id from the project in DIR (default: the working folder). Running servers refuse
its secret at once.`,
  run: async (word, dir, { env, print, warn }) => {
    const { id, name } = await changeProject(dir, { env, warn }, async ({ config }, tx) => {
      const token = await requireToken(tx, word, config.dir);
      await revokeToken(tx, token.id);
      return token;
    });
    print(`revoked the token ${name} (id ${id})`);
    return 0;
  },
});

export const DAY = 24 * 60 * 60 * 1000;

/** The milliseconds of `--lifespan DAYS`; undefined without the flag. */
function lifespanFlag(text: string | undefined): number | undefined {
  const days = integerFlag('lifespan', text, 1, MOST_DAYS);
  return days === undefined ? undefined : days * DAY;
}

/**
 * The token with a name or a row id.
 *
 * @throws UsageError if no token matches, and if several do.
 */
async function requireToken(db: Queryable, word: string, dir: string): Promise<StoredToken> {
  const tokens = await listTokens(db);
  const [token, other] = tokens.filter(({ id, name }) => name === word || String(id) === word);
  if (token && !other) return token;
  if (token) {
    const ids = tokens.filter(({ name }) => name === word).map(({ id }) => id);
    const hint = ids.length > 1 ? `use one of the ids ${ids.join(', ')}` : `it is also the name of token ${ids[0]}`;
    throw new UsageError(`${word} matches several tokens: ${hint}`);
  }
  const names = tokens.map(({ name }) => name);
  throw new UsageError(`no token ${word}${meant(word, names) || `; see ${commandText('token list', dir)}`}`);
}

/** A token as commands print it as JSON: without its secret, and with times in ISO 8601. */
async function shownToken(db: Queryable, token: StoredToken) {
  const time = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString());
  const { id, name, type, expiresAt, lastUsedAt, createdAt } = token;
  return {
    id,
    name,
    type,
    permissions: type === 'custom' ? await listTokenActions(db, id) : [],
    expiresAt: time(expiresAt),
    lastUsedAt: time(lastUsedAt),
    createdAt: time(createdAt),
  };
}

export const tokenCommands: readonly Command[] = [
  tokenCreateCommand,
  tokenListCommand,
  tokenRotateCommand,
  tokenRevokeCommand,
];
