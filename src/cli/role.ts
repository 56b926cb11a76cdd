/** `galley role list|create|grant|revoke`: the roles of users, and what they may do. */
import { grantableActions } from '../access/actions.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { ownActions } from '../project.ts';
import { ROLE_UID } from '../schema/catalog.ts';
import { namedActions } from '../users/roles/action-names.ts';
import { changeRoleGrants, grantedActions, listRoles, makeRole, type Role } from '../users/roles/roles.ts';
import { type Command, readArguments, type Surroundings } from './command.ts';
import { changeProject, inProject } from './in-project.ts';
import { confirmPublicWrites, PUBLIC, publicWrites } from './public-writes.ts';

export const roleListCommand: Command = {
  name: 'role list',
  summary: 'list the roles of users with what they may do',
  help: `galley role list [--json] [DIR]

Lists the roles of the project in DIR (default: the working folder): type, name, and an action a line.

  --json  a JSON object a line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('role list', args, { json: { type: 'boolean' } }, ['DIR']);
    const roles = await inProject(positionals[0], { env, warn }, async (_, db) => {
      const found: { type: string; name: string; actions: string[] }[] = [];
      for (const { id, type, name } of await listRoles(db)) {
        found.push({ type, name, actions: [...(await grantedActions(db, id))].sort() });
      }
      return found;
    });
    for (const role of roles) {
      if (switched('json')) print(JSON.stringify(role));
      else for (const line of [`${role.type} (${role.name})`, ...role.actions.map((each) => `  ${each}`)]) print(line);
    }
    return 0;
  },
};

/** What a role may be called by: a word that needs no quotes anywhere. */
const TYPE = /^[\w-]{1,255}$/;

export const roleCreateCommand: Command = {
  name: 'role create',
  summary: 'make a role, which accounts can have',
  help: `galley role create ROLE [--name N] [DIR]

Makes a role of users that may do nothing yet, in the project in DIR (default: the working folder). ROLE is its type: what
galley role grant and src/galley call it by, of letters, digits, - and _. Accounts are given it in the administration
app, or by PUT /api/users/:id.

  --name N  what people call it (default: its type)`,
  async run(args, { env, print, warn }) {
    const { flag, positionals } = readArguments('role create', args, { name: { type: 'string' } }, ['ROLE', 'DIR']);
    const [type, dir] = positionals;
    if (type === undefined) throw new UsageError('galley role create needs a ROLE; see galley role create --help');
    if (!TYPE.test(type)) throw new UsageError(`${type} cannot be the type of a role: letters, digits, - and _ can`);
    const name = flag('name') ?? type;
    const id = await changeProject(dir, { env, warn }, ({ catalog }, tx) =>
      makeRole(tx, catalog.contentTypes.get(ROLE_UID)!, { type, name, description: null }),
    );
    if (id === undefined) throw new UsageError(`there is a role ${type} already`);
    print(`made the role ${type}`);
    return 0;
  },
};

const YES = `
  --yes       grants everyone (public) actions that write, without asking: outside of a terminal such a grant needs it`;

export const roleGrantCommand = changing('grant', 'permit a role actions', (has, actions) => [...has, ...actions]);
export const roleRevokeCommand = changing('revoke', 'take actions from a role', (has, actions) =>
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

${verb === 'grant' ? 'Permits a role further actions.' : 'Takes actions from a role.'} ROLE is its type: public is everybody who does not sign in,
authenticated every account that has no other role. Prints what has changed.

  --action A  such as api::article.article.find, or api::article.article.* for all of a type; may be repeated${verb === 'grant' ? YES : ''}`,
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
    throw new UsageError(`galley ${name} needs a ROLE and --action; see galley ${name} --help`);
  }
  const { added, removed } = await inProject(dir, surroundings, async (app, db) => {
    const known = grantableActions(app.catalog, ownActions(app));
    const actions = words.flatMap((word) => namedActions(word, known, app.catalog));
    const { id } = await roleOf(db, type);
    const before = await grantedActions(db, id);
    const wanted = change(before, actions);
    if (type === PUBLIC) {
      // asked before the transaction, so that no other writer waits for the answer
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

async function roleOf(tx: Queryable, type: string): Promise<Role> {
  const roles = await listRoles(tx);
  const role = roles.find((one) => one.type === type);
  if (role) return role;
  const types = roles.map((one) => one.type);
  const hint = nearest(type, types);
  const known = hint === undefined ? `there are ${types.join(', ')}` : `did you mean ${hint}?`;
  throw new UsageError(`unknown role ${type}: ${known}; galley role create makes another`);
}
