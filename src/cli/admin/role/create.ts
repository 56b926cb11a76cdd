/** `galley admin role create|delete`: roles of administrators. */
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
import { lockAdministrators } from '../../../users/administrators/administrator-rows.ts';
import { type Command, readArguments } from '../../command.ts';
import { changeProject } from '../../in-project.ts';
import { roleAmong, roleOf } from './words.ts';

/** A word that needs no quotes anywhere. */
export const ROLE_CODE = /^[\w-]{1,255}$/;

export const adminRoleCreateCommand: Command = {
  name: 'admin role create',
  summary: 'create a role for administrators',
  help: `galley admin role create CODE [--name N] [--description D] [DIR]

Creates a role that administrators can have, in the project in DIR (default: the working folder). It may do nothing yet:
galley admin role grant gives it permissions. CODE is what commands name it by, of letters, digits, - and _.

  --name N         what people call it (default: CODE)
  --description D  what it is for`,
  async run(args, surroundings) {
    const text = { type: 'string' } as const;
    const options = { name: text, description: text };
    const { flag, positionals } = readArguments('admin role create', args, options, ['CODE', 'DIR']);
    const [code, dir] = positionals;
    if (code === undefined)
      throw new UsageError('galley admin role create needs a CODE; see galley admin role create --help');
    const role = { code, name: flag('name') ?? code, description: flag('description') ?? '' };
    await changeProject(dir, surroundings, (_, tx) => createRole(tx, role));
    surroundings.print(`created the role ${code}: galley admin role grant ${code} --type … permits it something`);
    return 0;
  },
};

/**
 * Creates a role without permissions and gives its row id.
 *
 * @throws UsageError for a code or a name that cannot be one, or is taken.
 */
export async function createRole(
  tx: Transaction,
  role: { readonly code: string; readonly name: string; readonly description: string },
): Promise<number> {
  const { code, name } = role;
  if (!ROLE_CODE.test(code)) throw new UsageError(`${code} cannot be the code of a role: letters, digits, - and _ can`);
  checkTexts(role);
  await lockRoles(tx);
  const roles = await listStoredRoles(tx);
  const taken = roleAmong(roles, code) ?? roleAmong(roles, name);
  if (taken) throw new UsageError(`there is a role ${taken.code} (${taken.name}) already`);
  return insertRole(tx, role);
}

/**
 * Gives a role another name and description.
 *
 * @throws UsageError for a name that cannot be one, or is another role's.
 */
export async function renameRole(tx: Transaction, role: StoredRole): Promise<void> {
  checkTexts(role);
  const taken = roleAmong(
    (await listStoredRoles(tx)).filter(({ id }) => id !== role.id),
    role.name,
  );
  if (taken) throw new UsageError(`there is a role ${taken.code} (${taken.name}) already`);
  await updateRole(tx, role);
}

function checkTexts({ name, description }: Pick<StoredRole, 'name' | 'description'>): void {
  if (!isLine(name) || name.trim() === '') throw new UsageError('the name of a role is a line of 1 to 255 characters');
  if (!isLine(description)) throw new UsageError('the description of a role is a line of at most 255 characters');
}

/** Whether a text column takes a text, and a terminal shows it in one line. */
const isLine = (text: string): boolean => text.length <= 255 && !/\p{Cc}/u.test(text) && text.isWellFormed();

export const adminRoleDeleteCommand: Command = {
  name: 'admin role delete',
  summary: 'delete a role of administrators',
  help: `galley admin role delete ROLE [DIR]

Deletes a role of the project in DIR (default: the working folder) with its permissions. A role that an administrator has
is not deleted, and, as in Strapi, neither is Super Admin; Editor and Author may be. ROLE is a code or a name of
galley admin role list.`,
  async run(args, surroundings) {
    const { positionals } = readArguments('admin role delete', args, {}, ['ROLE', 'DIR']);
    const [word, dir] = positionals;
    if (word === undefined)
      throw new UsageError('galley admin role delete needs a ROLE; see galley admin role delete --help');
    const { code } = await changeProject(dir, surroundings, async (_, tx) => {
      await lockRoles(tx);
      await lockAdministrators(tx);
      const role = await roleOf(tx, word);
      const { administrators } = role;
      if (role.code === SUPER_ADMIN) throw new UsageError(`the role ${role.name} cannot be deleted`, 1);
      if (administrators > 0) {
        const have = `${counted(administrators, 'administrator')} ${administrators === 1 ? 'has' : 'have'}`;
        throw new UsageError(`${have} the role ${role.code}; see galley admin list. Give them another role first`, 1);
      }
      await deleteRole(tx, role.id);
      return role;
    });
    surroundings.print(`deleted the role ${code}`);
    return 0;
  },
};
