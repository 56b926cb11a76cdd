/** `galley token revoke`: deletes an API token. */
import { UsageError } from '../../errors.ts';
import { revokeToken } from '../../users/sessions/tokens.ts';
import { type Command, readArguments } from '../command.ts';
import { changeProject } from '../in-project.ts';
import { requireToken } from './token.ts';

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
