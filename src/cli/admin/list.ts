/** `galley admin list`: the administrators of a project. */
import { listAdministrators, rolesOfAdministrator } from '../../users/administrators/administrator-rows.ts';
import { type Command, readArguments } from '../command.ts';
import { inProject } from '../in-project.ts';
import { table } from '../table.ts';

export const adminListCommand: Command = {
  name: 'admin list',
  summary: 'list the administrators',
  help: `galley admin list [--json] [DIR]

Lists the administrators of the project in DIR (default: the working folder): id, address, name, roles, whether they may
sign in, and whether they have a second factor.

  --json  a JSON object a line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('admin list', args, { json: { type: 'boolean' } }, ['DIR']);
    const lines = await inProject(positionals[0], { env, warn }, async (_, db) => {
      const found = [];
      for (const row of await listAdministrators(db)) {
        const roles = (await rolesOfAdministrator(db, row.id)).map(({ code }) => code);
        const { id, email, firstname, lastname, isOpen, hasSecondFactor: secondFactor } = row;
        found.push({ id, email, firstname, lastname, roles, maySignIn: isOpen, secondFactor });
      }
      if (switched('json')) return found.map((one) => JSON.stringify(one));
      return table(
        ['id', 'email', 'name', 'roles', 'may sign in', 'second factor'],
        found.map(({ id, email, firstname, lastname, roles, maySignIn, secondFactor }) => {
          const name = [firstname, lastname].filter((part) => part !== null).join(' ');
          return [String(id), email, name, roles.join(', '), maySignIn ? 'yes' : 'no', secondFactor ? 'yes' : 'no'];
        }),
      );
    });
    for (const line of lines) print(line);
    return 0;
  },
};
