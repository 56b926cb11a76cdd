/** `galley role list|create|grant|revoke`: the roles of users, and their permissions. */
import { grantableActions } from '../access/actions.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { UsageError } from '../errors.ts';
import { meant } from '../nearest.ts';
import { commandText } from '../own-files.ts';
import { ownActions } from '../project.ts';
import { ROLE_UID } from '../schema/catalog.ts';
import { namedActions } from '../users/roles/action-names.ts';
import { changeRoleGrants, createRole, grantedActions, listRoles, type Role } from '../users/roles/roles.ts';
import { type Command, missingArgument, readArguments, type Surroundings } from './command.ts';
import { changeProject, inProject } from './in-project.ts';
import { confirmPublicWrites, PUBLIC, publicWrites } from './public-writes.ts';

const roleListCommand: Command = {
  name: 'role list',
  summary: 'list the roles of users with their permissions',
  help: `galley role list [--json] [DIR]

Lists the roles of users in the project in DIR (default: the working folder): type, name, and one action per line.

  --json  prints one JSON object per line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('role list', args, { json: { type: 'boolean' } }, ['DIR']);
    const roles = await inProject(positionals[0], { env, warn }, async (_, db) => {
      const roles: { type: string; name: string; actions: string[] }[] = [];
      for (const { id, type, name } of await listRoles(db)) {
        roles.push({ type, name, actions: [...(await grantedActions(db, id))].sort() });
      }
      return roles;
    });
    for (const role of roles) {
      if (switched('json')) print(JSON.stringify(role));
      else for (const line of [`${role.type} (${role.name})`, ...role.actions.map((each) => `  ${each}`)]) print(line);
    }
    return 0;
  },
};

/** A type needs no quotes in a shell or a file. */
const TYPE = /^[\w-]{1,255}$/;

const roleCreateCommand: Command = {
  name: 'role create',
  summary: 'create a role for accounts',
  help: `galley role create ROLE [--name N] [DIR]

Creates a role of users without permissions in the project in DIR (default: the working folder). ROLE is its type, which
galley role grant and src/galley use: letters, digits, - and _. The administration app and PUT /api/users/:id give
accounts a role.

  --name N  name that people see (default: ROLE)`,
  async run(args, { env, print, warn }) {
    const { flag, positionals } = readArguments('role create', args, { name: { type: 'string' } }, ['ROLE', 'DIR']);
    const [type, dir] = positionals;
    if (type === undefined) throw missingArgument('role create', 'a ROLE');
    if (!TYPE.test(type)) throw new UsageError(`${type} is not a valid type of a role: use letters, digits, - and _`);
    const name = flag('name') ?? type;
    const id = await changeProject(dir, { env, warn }, ({ catalog }, tx) =>
      createRole(tx, catalog.contentTypes.get(ROLE_UID)!, { type, name, description: null }),
    );
    if (id === undefined) throw new UsageError(`a role ${type} already exists`);
    print(`created the role ${type}`);
    return 0;
  },
};

const YES = `
  --yes       grants the role public actions that write without asking; needed if the command runs without a terminal`;

const roleGrantCommand = changing('grant', 'grant actions to a role', (has, actions) => [...has, ...actions]);
const roleRevokeCommand = changing('revoke', 'revoke actions from a role', (has, actions) =>
  [...has].filter((action) => !actions.includes(action)),
);

function changing(
  verb: 'grant' | 'revoke',
  summary: string,
  change: (has: ReadonlySet<string>, actions: readonly string[]) => readonly string[],
): Command {
  const name = `role ${verb}`;
  return {
    name,
    summary,
    help: `galley ${name} ROLE --action A...${verb === 'grant' ? ' [--yes]' : ''} [DIR]

${verb === 'grant' ? 'Grants actions to a role of users' : 'Revokes actions from a role of users'}, and prints them. ROLE is its type: public is everyone who is not signed in,
authenticated every account without another role.

  --action A  an action such as api::article.article.find, or api::article.article.* for all of a type; may be
              repeated${verb === 'grant' ? YES : ''}`,
    run: (args, surroundings) => run(name, args, surroundings, change),
  };
}

async function run(
  name: string,
  args: readonly string[],
  surroundings: Surroundings,
  change: (has: ReadonlySet<string>, actions: readonly string[]) => readonly string[],
): Promise<number> {
  const action = { type: 'string', multiple: true } as const;
  const options = name === 'role grant' ? { action, yes: { type: 'boolean' } as const } : { action };
  const { flags, switched, positionals } = readArguments(name, args, options, ['ROLE', 'DIR']);
  const [type, dir] = positionals;
  const words = flags('action');
  if (type === undefined || words.length === 0) {
    throw missingArgument(name, 'a ROLE and --action');
  }
  const { added, removed } = await inProject(dir, surroundings, async (app, db) => {
    const grantable = grantableActions(app.catalog, ownActions(app));
    const actions = words.flatMap((word) => namedActions(word, grantable, app.catalog));
    const { id } = await roleOf(db, type, app.config.dir);
    const before = await grantedActions(db, id);
    const wanted = change(before, actions);
    if (type === PUBLIC) {
      // before the transaction, so that no other writer waits for the user
      const opened = wanted.filter((one) => !before.has(one));
      await confirmPublicWrites(publicWrites(app, opened), switched('yes'), surroundings);
    }
    return app.database.transaction((tx) => changeRoleGrants(tx, id, (granted) => change(granted, actions)));
  });
  const { print } = surroundings;
  for (const action of added) print(`granted to ${type}: ${action}`);
  for (const action of removed) print(`revoked from ${type}: ${action}`);
  if (added.length + removed.length === 0) print('nothing has changed');
  return 0;
}

async function roleOf(db: Queryable, type: string, dir: string): Promise<Role> {
  const roles = await listRoles(db);
  const role = roles.find((one) => one.type === type);
  if (role) return role;
  const types = roles.map((one) => one.type);
  const near = meant(type, types);
  if (near) throw new UsageError(`unknown role ${type}${near}`);
  const create = commandText(`role create ${type}`, dir);
  throw new UsageError(`unknown role ${type}: there are ${types.join(', ')}; to create it, run ${create}`);
}

export const roleCommands: readonly Command[] = [
  roleListCommand,
  roleCreateCommand,
  roleGrantCommand,
  roleRevokeCommand,
];
