/** `galley token rotate`: gives an API token another secret. */
import { UsageError } from '../../errors.ts';
import { listTokens, rotateToken } from '../../users/sessions/tokens.ts';
import { type Command, readArguments } from '../command.ts';
import { changeProject } from '../in-project.ts';
import { jsonOfToken, lifespanFlag, requireToken } from './token.ts';

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
