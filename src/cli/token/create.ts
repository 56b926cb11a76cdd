/** `galley token create`: makes an API token and prints its secret, once. */
import { UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { grantableActions, namedActions } from '../../users/roles/actions.ts';
import { createToken, findToken, lockTokenNames, TOKEN_TYPES, type TokenType } from '../../users/sessions/tokens.ts';
import { type Command, readArguments, type Surroundings } from '../command.ts';
import { changeProject } from '../in-project.ts';
import { jsonOfToken, lifespanFlag } from './token.ts';

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
    const known = grantableActions(app.catalog, app.code.actions);
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
