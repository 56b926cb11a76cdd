/** `galley admin role create|delete`: creates and deletes roles of administrators. */
import { createRole, deletionProblem } from '../../../content/roles/role-changes.ts';
import { deleteRole, lockRoles } from '../../../content/roles/role-rows.ts';
import { counted } from '../../../counted.ts';
import { UsageError } from '../../../errors.ts';
import { commandText } from '../../../own-files.ts';
import { lockAdministrators } from '../../../users/administrators/administrator-rows.ts';
import { argumentCommand, type Command, missingArgument, readArguments } from '../../command.ts';
import { changeProject } from '../../in-project.ts';
import { asUsage, roleOf } from './permission-words.ts';

const adminRoleCreateCommand: Command = {
  name: 'admin role create',
  summary: 'create a role for administrators',
  help: `galley admin role create CODE [--name N] [--description D] [DIR]

Creates a role for administrators of the project in DIR (default: the working folder). The role has no permissions until
galley admin role grant. Commands use its CODE, which has letters, digits, - and _.

  --name N         name that people see (default: CODE)
  --description D  purpose of the role`,
  async run(args, surroundings) {
    const text = { type: 'string' } as const;
    const options = { name: text, description: text };
    const { flag, positionals } = readArguments('admin role create', args, options, ['CODE', 'DIR']);
    const [code, dir] = positionals;
    if (code === undefined) throw missingArgument('admin role create', 'a CODE');
    const role = { code, name: flag('name') ?? code, description: flag('description') ?? '' };
    const grant = await changeProject(dir, surroundings, async ({ config }, tx) => {
      await asUsage(() => createRole(tx, role));
      return commandText(`admin role grant ${code} --type TYPE`, config.dir);
    });
    surroundings.print(`created the role ${code}, without permissions; to grant some, run ${grant}`);
    return 0;
  },
};

const adminRoleDeleteCommand = argumentCommand({
  name: 'admin role delete',
  summary: 'delete a role of administrators',
  argument: 'ROLE',
  about: `Deletes a role of administrators and its permissions from the project in DIR (default: the working folder). ROLE is a code
or a name that galley admin role list prints. A role that an administrator has cannot be deleted, and neither can Super
Admin; Editor and Author can.`,
  run: async (word, dir, surroundings) => {
    const { code } = await changeProject(dir, surroundings, async ({ config }, tx) => {
      await lockRoles(tx);
      await lockAdministrators(tx);
      const role = await roleOf(tx, word);
      const { administrators } = role;
      const problem = deletionProblem(role);
      if (problem === 'super') throw new UsageError(`the role ${role.name} cannot be deleted`, 1);
      if (problem === 'used') {
        const have = `${counted(administrators, 'administrator')} ${administrators === 1 ? 'has' : 'have'}`;
        const list = commandText('admin list', config.dir);
        throw new UsageError(`${have} the role ${role.code}; give them another role first (${list} names them)`, 1);
      }
      await deleteRole(tx, role);
      return role;
    });
    surroundings.print(`deleted the role ${code}`);
    return 0;
  },
});

export const roleCreateCommands: readonly Command[] = [adminRoleCreateCommand, adminRoleDeleteCommand];
