/** `galley admin role grant|revoke`: what administrators of a role may do. */

import { operationOf } from '../../../access/administrators/administrator-rights.ts';
import {
  changeRolePermissions,
  type HeldPermission,
  heldPermissions,
  type PermissionChange,
  Permittable,
  type WantedPermission,
  withGrant,
  withoutGrant,
} from '../../../content/roles/role-permissions.ts';
import type { StoredRole } from '../../../content/roles/role-rows.ts';
import { UsageError } from '../../../errors.ts';
import { type Command, readArguments, type Surroundings } from '../../command.ts';
import { changeProject } from '../../in-project.ts';
import { type PartNames, type PermissionWords, permissionsOf, refuseSuperAdmin, roleOf } from './words.ts';

const FLAGS: PartNames = {
  types: '--type',
  actions: '--action',
  fields: '--field',
  locales: '--locale',
  conditions: '--condition',
};

const ACTIONS = `  --type T       a type: its uid, or its name such as article
  --action A     create, read, update, delete or publish (default: all of them); or an action that is about no type,
                 such as plugin::upload.read for the library of files`;

export const adminRoleGrantCommand: Command = {
  name: 'admin role grant',
  summary: 'permit administrators of a role more',
  help: `galley admin role grant ROLE --type T... [--action A...] [--field F...] [--locale L...] [--condition C...] [DIR]

Permits administrators of a role more, in the project in DIR (default: the working folder), and prints what was granted.
It takes effect at once, in running servers as well. ROLE is a code or a name of galley admin role list. Every flag may be
repeated.

${ACTIONS}
  --field F      a field, with a dot inside a component: seo.metaTitle. A component stands for all of its fields
  --locale L     the code of a locale
  --condition C  is-creator: only entries that the administrator created; has-same-role-as-creator: only entries that
                 somebody with one of the same roles created

Without --field, --locale and --condition all entries with all fields, in all locales, also those that are added later. A
list of fields or locales stays as it is when one is added. If the role has the permission already, what is left out of
the three stays as it is. With one of the three and without --action, a role that has permissions on the type receives no
other actions: those that it has are extended.`,
  run: (args, surroundings) => run('admin role grant', args, surroundings),
};

export const adminRoleRevokeCommand: Command = {
  name: 'admin role revoke',
  summary: 'take permissions from administrators of a role',
  help: `galley admin role revoke ROLE --type T... [--action A...] [--field F...|--locale L...] [--condition C...] [DIR]

Takes permissions from administrators of a role, in the project in DIR (default: the working folder), and prints what was
revoked. It takes effect at once, in running servers as well. ROLE is a code or a name of galley admin role list. Every
flag may be repeated.

${ACTIONS}
  --field F      only these fields; a component stands for all of its fields
  --locale L     only these locales
  --condition C  only permissions with this condition`,
  run: (args, surroundings) => run('admin role revoke', args, surroundings),
};

async function run(name: string, args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { print, warn } = surroundings;
  const many = { type: 'string', multiple: true } as const;
  const options = { type: many, action: many, field: many, locale: many, condition: many };
  const { flags, positionals } = readArguments(name, args, options, ['ROLE', 'DIR']);
  const [word, dir] = positionals;
  const words = {
    types: flags('type'),
    actions: flags('action'),
    fields: flags('field'),
    locales: flags('locale'),
    conditions: flags('condition'),
  };
  if (word === undefined || words.types.length + words.actions.length === 0) {
    throw new UsageError(`galley ${name} needs a ROLE and --type; see galley ${name} --help`);
  }
  const isGrant = name === 'admin role grant';
  if (!isGrant && words.fields.length > 0 && words.locales.length > 0) {
    throw new UsageError('a permission is for all of its fields in all of its locales: revoke --field or --locale');
  }
  const { role, change, unseen } = await changeProject(dir, surroundings, async ({ catalog }, tx) => {
    const role = await roleOf(tx, word);
    refuseSuperAdmin(role);
    const permittable = await Permittable.read(catalog, tx);
    const wanted = permissionsOf(permittable, words, FLAGS);
    const change = await changeRolePermissions(tx, permittable, role, (held) =>
      isGrant
        ? extending(held, wanted, words).reduce((left, one) => withGrant(permittable, left, one), held)
        : wanted.reduce(withoutGrant, held),
    );
    const has = await heldPermissions(tx, permittable, role);
    const seen = new Set(has.filter(({ action }) => operationOf(action) === 'read').map(({ subject }) => subject));
    const unseen = [...new Set(has.map(({ subject }) => subject))].filter((uid) => uid !== null && !seen.has(uid));
    return { role, change, unseen: unseen as string[] };
  });
  for (const line of changeLines(role, change)) print(line);
  if (change.granted.length + change.revoked.length === 0) print('nothing has changed');
  for (const uid of unseen) {
    const command = `galley admin role grant ${role.code} --type ${uid} --action read`;
    warn(`note: without read ${role.code} sees nothing of ${uid}, and can do nothing with it: ${command}`);
  }
  return 0;
}

/**
 * The permissions to be granted. Fields, locales or conditions without actions extend the actions that the role has on a
 * type; where it has none, they are for all actions.
 *
 * @throws UsageError where none of the actions that the role has on a type can be extended.
 */
function extending(
  held: readonly HeldPermission[],
  wanted: readonly WantedPermission[],
  { actions, fields, locales, conditions }: PermissionWords,
): readonly WantedPermission[] {
  if (actions.length > 0 || fields.length + locales.length + conditions.length === 0) return wanted;
  return [...Map.groupBy(wanted, ({ subject }) => subject)].flatMap(([subject, all]) => {
    const own = held.filter((one) => one.subject === subject);
    if (own.length === 0) return all;
    const extended = all.filter(({ action }) => own.some((one) => one.action === action));
    if (extended.length > 0) return extended;
    const names = own.map(({ action }) => operationOf(action)).join(', ');
    throw new UsageError(`the role may only ${names} ${subject}, which has no fields: name an action with --action`);
  });
}

/** A line for each grant and each revocation. */
export function changeLines({ code }: Pick<StoredRole, 'code'>, { granted, revoked }: PermissionChange): string[] {
  return [
    ...granted.map((text) => `granted to ${code}: ${text}`),
    ...revoked.map((text) => `revoked from ${code}: ${text}`),
  ];
}
