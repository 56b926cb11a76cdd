/** `galley admin role list|show`: the roles of administrators, and what each may do. */
import { operationOf, SUPER_ADMIN } from '../../../access/administrators/administrator-rights.ts';
import {
  type HeldPermission,
  heldPermissions,
  Permittable,
  seenTypes,
} from '../../../content/roles/role-permissions.ts';
import { listStoredRoles } from '../../../content/roles/role-rows.ts';
import { counted } from '../../../counted.ts';
import { UsageError } from '../../../errors.ts';
import { type Command, readArguments } from '../../command.ts';
import { inProject } from '../../in-project.ts';
import { listing, table } from '../../table.ts';
import { roleOf, shortCondition } from './words.ts';

export const adminRoleListCommand: Command = {
  name: 'admin role list',
  summary: 'list the roles of administrators',
  help: `galley admin role list [--json] [DIR]

Lists the roles that administrators of the project in DIR (default: the working folder) can have: code, name, how many
administrators have it, and of how many types it sees entries.

  --json  a JSON object a line`,
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

export const adminRoleShowCommand: Command = {
  name: 'admin role show',
  summary: 'show what administrators of a role may do',
  help: `galley admin role show ROLE [--json] [DIR]

Shows what administrators of a role of the project in DIR (default: the working folder) may do: an action a line, with
its fields, locales and conditions. ROLE is a code or a name of galley admin role list.

  --json  a JSON object a line`,
  async run(args, { env, print, warn }) {
    const options = { json: { type: 'boolean' } } as const;
    const { switched, positionals } = readArguments('admin role show', args, options, ['ROLE', 'DIR']);
    const [word, dir] = positionals;
    if (word === undefined)
      throw new UsageError('galley admin role show needs a ROLE; see galley admin role show --help');
    const { role, held, permittable } = await inProject(dir, { env, warn }, async ({ catalog }, db) => {
      const role = await roleOf(db, word);
      const permittable = await Permittable.read(catalog, db);
      return { role, permittable, held: await heldPermissions(db, permittable, role) };
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
    else if (held.length === 0) print(`It may do nothing yet: galley admin role grant ${code} --type …`);
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

/** Names as the shorter of what is there and what is not; `-` where there can be none. */
function shown(names: readonly string[] | null, all: readonly string[] | null, isRestricted: boolean): string {
  if (names === null || all === null) return '-';
  const missing = all.filter((name) => !names.includes(name));
  if (!isRestricted) return 'all';
  if (names.length === 0) return 'none';
  return missing.length > 0 && missing.length < names.length ? `all but ${missing.join(', ')}` : names.join(', ');
}
