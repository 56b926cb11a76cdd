/** `galley admin role list|show`: the roles of administrators, and their permissions. */
import { operationOf, SUPER_ADMIN } from '../../../access/administrators/administrator-rights.ts';
import {
  type HeldPermission,
  heldPermissions,
  Permittable,
  seenTypes,
} from '../../../content/roles/role-permissions.ts';
import { listStoredRoles } from '../../../content/roles/role-rows.ts';
import { counted } from '../../../counted.ts';
import { commandText } from '../../../own-files.ts';
import { type Command, missingArgument, readArguments } from '../../command.ts';
import { inProject } from '../../in-project.ts';
import { listing, table } from '../../lists.ts';
import { roleOf, shortCondition } from './permission-words.ts';

const adminRoleListCommand: Command = {
  name: 'admin role list',
  summary: 'list the roles of administrators',
  help: `galley admin role list [--json] [DIR]

Lists the roles of administrators in the project in DIR (default: the working folder): code, name, how many administrators
have each role, and of how many types it sees entries.

  --json  prints one JSON object per line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('admin role list', args, { json: { type: 'boolean' } }, ['DIR']);
    const { roles, types } = await inProject(positionals[0], { env, warn }, async ({ catalog }, db) => {
      const permittable = await Permittable.read(catalog, db);
      const roles = [];
      for (const role of await listStoredRoles(db)) {
        const { code, name, description, administrators } = role;
        const sees = await seenTypes(db, permittable, role);
        roles.push({ code, name, description, administrators, sees });
      }
      return { roles, types: permittable.types.length };
    });
    const lines = listing(roles, switched('json'), {
      heads: ['code', 'name', 'administrators', 'sees'],
      cells: ({ code, name, administrators, sees }) => [
        code,
        name,
        String(administrators),
        `${sees.length} of ${counted(types, 'type')}`,
      ],
    });
    for (const line of lines) print(line);
    return 0;
  },
};

const adminRoleShowCommand: Command = {
  name: 'admin role show',
  summary: 'show the permissions of a role of administrators',
  help: `galley admin role show ROLE [--json] [DIR]

Shows the permissions of a role of administrators in the project in DIR (default: the working folder): one action per line,
with its fields, locales and conditions. ROLE is a code or a name that galley admin role list prints.

  --json  prints one JSON object per line`,
  async run(args, { env, print, warn }) {
    const options = { json: { type: 'boolean' } } as const;
    const { switched, positionals } = readArguments('admin role show', args, options, ['ROLE', 'DIR']);
    const [word, dir] = positionals;
    if (word === undefined) throw missingArgument('admin role show', 'a ROLE');
    const { role, held, permittable, folder } = await inProject(dir, { env, warn }, async ({ catalog, config }, db) => {
      const role = await roleOf(db, word);
      const permittable = await Permittable.read(catalog, db);
      return { role, permittable, held: await heldPermissions(db, permittable, role), folder: config.dir };
    });
    const { code, name, administrators, description } = role;
    const isSuper = code === SUPER_ADMIN;
    if (switched('json')) {
      for (const { action, subject, fields, locales, conditions } of isSuper ? [] : held) {
        print(JSON.stringify({ action, subject, fields, locales, conditions }));
      }
      return 0;
    }
    const about = description === '' ? '' : ` ${description}`;
    print(`${code} (${name}), ${counted(administrators, 'administrator')}.${about}`);
    if (isSuper) print('It always has every permission.');
    else if (held.length === 0)
      print(
        `It has no permissions yet; to grant some, run ${commandText(`admin role grant ${code} --type TYPE`, folder)}`,
      );
    else
      for (const line of table(['type', 'action', 'fields', 'locales', 'conditions'], cells(permittable, held)))
        print(line);
    return 0;
  },
};

function cells(permittable: Permittable, held: readonly HeldPermission[]): string[][] {
  return held.map(({ action, subject, fields, locales, conditions, restricted }) => [
    subject ?? '-',
    operationOf(action) ?? action,
    shown(fields, permittable.fieldsOf(action, subject), restricted.fields),
    shown(locales, permittable.localesOf(subject), restricted.locales),
    conditions.map(shortCondition).join(' or ') || '-',
  ]);
}

/** A list of names, or of the missing ones if those are fewer; `-` if the action has no such names. */
function shown(names: readonly string[] | null, all: readonly string[] | null, isRestricted: boolean): string {
  if (names === null || all === null) return '-';
  const missing = all.filter((name) => !names.includes(name));
  if (!isRestricted) return 'all';
  if (names.length === 0) return 'none';
  return missing.length > 0 && missing.length < names.length ? `all but ${missing.join(', ')}` : names.join(', ');
}

export const roleListCommands: readonly Command[] = [adminRoleListCommand, adminRoleShowCommand];
