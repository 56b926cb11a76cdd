/** `galley token create`: makes an API token and prints its secret, once. */
import { openProject } from '../app.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../schema/nearest.ts';
import { grantableActions } from '../users/actions.ts';
import { createToken, findToken, TOKEN_TYPES, type TokenType } from '../users/tokens.ts';
import { type Command, integerFlag, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';

export const DAY = 24 * 60 * 60 * 1000;
/** Ten thousand days: a time beyond is no lifespan. */
export const MOST_DAYS = 10_000;

export const tokenCreateCommand: Command = {
  name: 'token create',
  summary: 'make an API token and print its secret',
  help: `galley token create --name N --type read-only|full-access|custom [--permission A]... [--lifespan DAYS] [DIR]

Makes an API token in the project in DIR (default: the working folder). Its secret, alone on stdout, is told this once.

  --name N         name of the token, not taken by another
  --type T         read-only, full-access or custom
  --permission A   an action of a custom token, such as api::article.article.find; may be repeated
  --lifespan DAYS  days until it expires (default: never)`,
  run,
};

async function run(args: readonly string[], { env, print, warn }: Surroundings): Promise<number> {
  const { flag, flags, positionals } = readArguments(
    'token create',
    args,
    {
      name: { type: 'string' },
      type: { type: 'string' },
      permission: { type: 'string', multiple: true },
      lifespan: { type: 'string' },
    },
    ['DIR'],
  );
  const name = flag('name')?.trim();
  if (!name) throw new UsageError('galley token create needs --name');
  const type = tokenType(flag('type'));
  const permissions = flags('permission');
  if (permissions.length > 0 && type !== 'custom') {
    throw new UsageError(`--permission is for custom tokens: a ${type} token has its rights by its type`);
  }
  const days = integerFlag('lifespan', flag('lifespan'), 1, MOST_DAYS);
  const app = await openProject(positionals[0] ?? WORKING_FOLDER, { env });
  try {
    for (const action of permissions) requireAction(action, grantableActions(app.catalog));
    const lifespan = days === undefined ? null : days * DAY;
    const { secret } = await app.database.transaction(async (tx) => {
      const store = { executor: tx, dialect: app.database.dialect };
      if (await findToken(store, name)) throw new UsageError(`there is a token named ${name} already`);
      return createToken(store, app.config, { name, type, permissions, lifespan });
    });
    print(secret);
    warn(`The ${type} token ${name} is made. Keep its secret: it is not shown again.`);
    return 0;
  } finally {
    await app.close();
  }
}

function tokenType(text: string | undefined): TokenType {
  if (text === undefined) throw new UsageError(`galley token create needs --type: ${TOKEN_TYPES.join(', ')}`);
  const type = TOKEN_TYPES.find((known) => known === text);
  if (type) return type;
  const hint = nearest(text, TOKEN_TYPES);
  const told = hint === undefined ? `use ${TOKEN_TYPES.join(', ')}` : `did you mean ${hint}?`;
  throw new UsageError(`unknown token type ${text}: ${told}`);
}

function requireAction(action: string, known: ReadonlySet<string>): void {
  if (known.has(action)) return;
  const hint = nearest(action, known);
  throw new UsageError(`unknown permission ${action}${hint === undefined ? '' : `: did you mean ${hint}?`}`);
}
