/** `galley token list`: the API tokens of a project, without their secrets. */
import { listTokens } from '../../users/sessions/tokens.ts';
import { type Command, readArguments } from '../command.ts';
import { inProject } from '../in-project.ts';
import { table } from '../table.ts';
import { jsonOfToken } from './token.ts';

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
