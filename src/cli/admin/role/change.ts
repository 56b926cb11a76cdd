/** `galley admin role grant|revoke`: changes the permissions of a role of administrators. */
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
import { commandText } from '../../../own-files.ts';
import { type Command, missingArgument, readArguments, type Surroundings } from '../../command.ts';
import { changeProject } from '../../in-project.ts';
import { type PartNames, type PermissionWords, permissionsOf, refuseSuperAdmin, roleOf } from './permission-words.ts';

const FLAGS: PartNames = {
  types: '--type',
  actions: '--action',
  fields: '--field',
  locales: '--locale',
  conditions: '--condition',
};

const ACTIONS = `  --type T       a type, by its uid or its name, such as article
  --action A     create, read, update, delete or publish (default: all of them); or an action without a type, such as
                 plugin::upload.read for the media library`;

const adminRoleGrantCommand: Command = {
  name: 'admin role grant',
  summary: 'grant permissions to a role of administrators',
  help: `galley admin role grant ROLE --type T... [--action A...] [--field F...] [--locale L...] [--condition C...] [DIR]

Grants permissions to a role of administrators in the project in DIR (default: the working folder), and prints them. They
take effect at once, also in running servers. ROLE is a code or a name that galley admin role list prints. Every flag may
be repeated.

${ACTIONS}
  --field F      a field; seo.metaTitle is one inside a component, and the name of a component stands for all its fields
  --locale L     the code of a locale
  --condition C  is-creator: only entries that the administrator created; has-same-role-as-creator: only entries that an
                 administrator with one of the same roles created

Without --field, --locale and --condition the permission covers all entries, fields and locales, also those that are added
later. A list of fields or locales does not grow. If the role already has the permission, the flags that you leave out
change nothing. With one of these three flags and without --action, the command extends the actions that the role has on
the type; a role that has none receives all of them.`,
  run: (args, surroundings) => run('admin role grant', args, surroundings),
};

const adminRoleRevokeCommand: Command = {
  name: 'admin role revoke',
  summary: 'revoke permissions from a role of administrators',
  help: `galley admin role revoke ROLE --type T... [--action A...] [--field F...|--locale L...] [--condition C...] [DIR]

Revokes permissions from a role of administrators in the project in DIR (default: the working folder), and prints them. The
change takes effect at once, also in running servers. ROLE is a code or a name that galley admin role list prints. Every
flag may be repeated.

${ACTIONS}
  --field F      only these fields; the name of a component stands for all its fields
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
    throw missingArgument(name, 'a ROLE and --type');
  }
  const isGrant = name === 'admin role grant';
  if (!isGrant && words.fields.length > 0 && words.locales.length > 0) {
    throw new UsageError(
      'use --field or --locale, not both: a permission covers all of its fields in all of its locales',
    );
  }
  const { role, change, unseen, folder } = await changeProject(dir, surroundings, async ({ catalog, config }, tx) => {
    const role = await roleOf(tx, word);
    refuseSuperAdmin(role);
    const permittable = await Permittable.read(catalog, tx);
    const wanted = permissionsOf(permittable, words, FLAGS);
    const change = await changeRolePermissions(tx, permittable, role, (held) =>
      isGrant
        ? extending(held, wanted, words).reduce((granted, one) => withGrant(permittable, granted, one), held)
        : wanted.reduce(withoutGrant, held),
    );
    const has = await heldPermissions(tx, permittable, role);
    const seen = new Set(has.filter(({ action }) => operationOf(action) === 'read').map(({ subject }) => subject));
    const unseen = [...new Set(has.map(({ subject }) => subject))].filter((uid) => uid !== null && !seen.has(uid));
    return { role, change, unseen: unseen as string[], folder: config.dir };
  });
  for (const line of changeLines(role, change)) print(line);
  if (change.granted.length + change.revoked.length === 0) print('nothing has changed');
  for (const uid of unseen) {
    const command = commandText(`admin role grant ${role.code} --type ${uid} --action read`, folder);
    warn(`note: ${role.code} cannot use its permissions on ${uid} without read; to grant that, run ${command}`);
  }
  return 0;
}

/**
 * The permissions to grant. Fields, locales or conditions without actions extend the actions that the role has on a type,
 * or all actions if the role has none.
 *
 * @throws UsageError if none of the actions that the role has on a type can be extended.
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
    throw new UsageError(
      `the role may only ${names} ${subject}, an action without fields: name an action with --action`,
    );
  });
}

/** One line for each grant and each revocation. */
export function changeLines({ code }: Pick<StoredRole, 'code'>, { granted, revoked }: PermissionChange): string[] {
  return [
    ...granted.map((text) => `granted to ${code}: ${text}`),
    ...revoked.map((text) => `revoked from ${code}: ${text}`),
  ];
}

export const roleChangeCommands: readonly Command[] = [adminRoleGrantCommand, adminRoleRevokeCommand];
