/** `galley admin role create|delete`: creates and deletes roles of administrators. */
import { SUPER_ADMIN } from '../../../access/administrators/administrator-rights.ts';
import {
  deleteRole,
  insertRole,
  listStoredRoles,
  lockRoles,
  type StoredRole,
  updateRole,
} from '../../../content/roles/role-rows.ts';
import { counted } from '../../../counted.ts';
import type { Transaction } from '../../../db/interface/transaction.ts';
import { UsageError } from '../../../errors.ts';
import { commandText } from '../../../own-files.ts';
import { lockAdministrators } from '../../../users/administrators/administrator-rows.ts';
import { argumentCommand, type Command, missingArgument, readArguments } from '../../command.ts';
import { changeProject } from '../../in-project.ts';
import { roleAmong, roleOf } from './permission-words.ts';

/** A code needs no quotes in a shell or a file. */
export const ROLE_CODE = /^[\w-]{1,255}$/;

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
      await createRole(tx, role);
      return commandText(`admin role grant ${code} --type TYPE`, config.dir);
    });
    surroundings.print(`created the role ${code}, without permissions; to grant some, run ${grant}`);
    return 0;
  },
};

/**
 * Creates a role without permissions, and returns its row id.
 *
 * @throws UsageError for an invalid code or name, and for one that another role has.
 */
export async function createRole(
  tx: Transaction,
  role: { readonly code: string; readonly name: string; readonly description: string },
): Promise<number> {
  const { code, name } = role;
  if (!ROLE_CODE.test(code))
    throw new UsageError(`${code} is not a valid code of a role: use letters, digits, - and _`);
  checkTexts(role);
  await lockRoles(tx);
  const roles = await listStoredRoles(tx);
  const taken = roleAmong(roles, code) ?? roleAmong(roles, name);
  if (taken) throw new UsageError(`a role ${taken.code} (${taken.name}) already exists`);
  return insertRole(tx, role);
}

/**
 * Changes the name and the description of a role.
 *
 * @throws UsageError for an invalid name, and for one that another role has.
 */
export async function renameRole(tx: Transaction, role: StoredRole): Promise<void> {
  checkTexts(role);
  const taken = roleAmong(
    (await listStoredRoles(tx)).filter(({ id }) => id !== role.id),
    role.name,
  );
  if (taken) throw new UsageError(`a role ${taken.code} (${taken.name}) already exists`);
  await updateRole(tx, role);
}

function checkTexts({ name, description }: Pick<StoredRole, 'name' | 'description'>): void {
  if (!isLine(name) || name.trim() === '')
    throw new UsageError('the name of a role must be one line of 1 to 255 characters');
  if (!isLine(description))
    throw new UsageError('the description of a role must be one line of at most 255 characters');
}

/** Whether a text fits a text column and one line of a terminal. */
const isLine = (text: string): boolean => text.length <= 255 && !/\p{Cc}/u.test(text) && text.isWellFormed();

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
      if (role.code === SUPER_ADMIN) throw new UsageError(`the role ${role.name} cannot be deleted`, 1);
      if (administrators > 0) {
        const have = `${counted(administrators, 'administrator')} ${administrators === 1 ? 'has' : 'have'}`;
        const list = commandText('admin list', config.dir);
        throw new UsageError(`${have} the role ${role.code}; give them another role first (${list} names them)`, 1);
      }
      await deleteRole(tx, role.id);
      return role;
    });
    surroundings.print(`deleted the role ${code}`);
    return 0;
  },
});

export const roleCreateCommands: readonly Command[] = [adminRoleCreateCommand, adminRoleDeleteCommand];
