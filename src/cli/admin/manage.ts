/** `galley admin list|set-role|reset-password|block|unblock|delete`: the commands for existing administrators. */
import { SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError, UsageError } from '../../errors.ts';
import { meant } from '../../nearest.ts';
import { commandText } from '../../own-files.ts';
import { addressOf } from '../../users/administrators/administrator-bodies.ts';
import {
  type AdministratorRow,
  findAdministratorByEmail,
  listAdministrators,
  lockAdministrators,
  replaceRoles,
  rolesOfAdministrator,
  setPassword,
  subjectOf,
  updateAdministrator,
} from '../../users/administrators/administrator-rows.ts';
import {
  blockAdministrator,
  removeAdministrator,
  requireActiveSuperLeft,
  unblockAdministrator,
} from '../../users/administrators/administrator-rules.ts';
import { endSessionsOfAdministrator } from '../../users/administrators/administrator-sessions.ts';
import { dropSecondFactor } from '../../users/administrators/second-factors.ts';
import { argumentCommand, type Command, missingArgument, readArguments } from '../command.ts';
import { changeProject } from '../in-project.ts';
import { listCommand } from '../lists.ts';
import { askForPassword } from '../prompts.ts';
import { roleOf } from './role/permission-words.ts';

const adminSetRoleCommand: Command = {
  name: 'admin set-role',
  summary: 'give an administrator other roles',
  help: `galley admin set-role EMAIL --role ROLE... [DIR]

Gives an administrator of the project in DIR (default: the working folder) exactly these roles, from the next request on.
The last super admin who can sign in keeps that role.

  --role ROLE  code or name of a role, such as editor or author; may be repeated`,
  async run(args, surroundings) {
    const flags = { role: { type: 'string', multiple: true } } as const;
    const parsed = readArguments('admin set-role', args, flags, ['EMAIL', 'DIR']);
    const [address, dir] = parsed.positionals;
    const words = parsed.flags('role');
    if (address === undefined || words.length === 0) throw missingArgument('admin set-role', 'an EMAIL and --role');
    const { email, names } = await changeProject(dir, surroundings, async ({ config }, tx) => {
      await lockAdministrators(tx);
      const administrator = await administratorOf(tx, address, config.dir);
      const roles = [];
      for (const word of words) roles.push(await roleOf(tx, word));
      if (!roles.some(({ code }) => code === SUPER_ADMIN)) await keepSuperAdmin(tx, administrator.id);
      await replaceRoles(tx, administrator, [...new Set(roles.map(({ id }) => id))]);
      await updateAdministrator(tx, administrator, {});
      return { email: administrator.email, names: roles.map(({ name }) => name) };
    });
    surroundings.print(`${email} now has the ${names.length === 1 ? 'role' : 'roles'} ${names.join(', ')}.`);
    return 0;
  },
};

const adminBlockCommand = changing({
  verb: 'block',
  summary: 'keep an administrator from signing in',
  about: `Ends all sessions of an administrator at once. The person cannot sign in until galley admin unblock, and links that
were sent to the person no longer work. The last super admin who can sign in cannot be blocked.`,
  report: ({ email }) => `Blocked ${email}, and ended all sessions.`,
  change: async (tx, administrator) => {
    await keepSuperAdmin(tx, administrator.id);
    await blockAdministrator(tx, administrator);
  },
});

const adminUnblockCommand = changing({
  verb: 'unblock',
  summary: 'let a blocked administrator sign in again',
  about:
    'Lets a blocked administrator, or one who was deactivated in Strapi, sign in again with the same password and roles.',
  report: ({ email, password }, dir) =>
    password === null
      ? `Unblocked ${email}, who has no password yet. To create a new link, run ${commandText(`admin invite ${email} --role ROLE`, dir)}`
      : `Unblocked ${email}.`,
  change: unblockAdministrator,
});

const adminDeleteCommand = changing({
  verb: 'delete',
  summary: 'delete an administrator',
  about: `Deletes an administrator with the sessions, the second factor and the tokens of that account. The content that the person
wrote stays. The last super admin who can sign in cannot be deleted.`,
  report: ({ email }) => `Deleted ${email}.`,
  change: async (tx, administrator) => {
    await keepSuperAdmin(tx, administrator.id);
    await removeAdministrator(tx, administrator);
  },
});

interface Change {
  readonly verb: string;
  readonly summary: string;
  /** The help after the usage. */
  readonly about: string;
  /** The line that is printed after the change. */
  readonly report: (administrator: AdministratorRow, dir: string) => string;
  readonly change: (tx: Transaction, administrator: AdministratorRow) => Promise<void>;
}

/** A command that takes an EMAIL and DIR, and changes that administrator. */
function changing({ verb, summary, about, report, change }: Change): Command {
  return argumentCommand({
    name: `admin ${verb}`,
    summary,
    argument: 'EMAIL',
    about: `${about}\n\n  DIR  the folder of the project (default: the working folder)`,
    run: async (address, dir, surroundings) => {
      const line = await changeProject(dir, surroundings, async ({ config }, tx) => {
        await lockAdministrators(tx);
        const administrator = await administratorOf(tx, address, config.dir);
        await change(tx, administrator);
        return report(administrator, config.dir);
      });
      surroundings.print(line);
      return 0;
    },
  });
}

const adminListCommand = listCommand({
  name: 'admin list',
  summary: 'list the administrators',
  about: `Lists the administrators of the project in DIR (default: the working folder): id, address, name, roles, whether they can
sign in, and whether they have a second factor.`,
  read: async (_, db) => {
    const administrators = [];
    for (const row of await listAdministrators(db)) {
      const roles = (await rolesOfAdministrator(db, row.id)).map(({ code }) => code);
      const { id, email, firstname, lastname, isOpen, hasSecondFactor: secondFactor } = row;
      administrators.push({ id, email, firstname, lastname, roles, maySignIn: isOpen, secondFactor });
    }
    return administrators;
  },
  heads: ['id', 'email', 'name', 'roles', 'can sign in', 'second factor'],
  cells: ({ id, email, firstname, lastname, roles, maySignIn, secondFactor }) => {
    const name = [firstname, lastname].filter((part) => part !== null).join(' ');
    return [String(id), email, name, roles.join(', '), maySignIn ? 'yes' : 'no', secondFactor ? 'yes' : 'no'];
  },
});

const adminResetPasswordCommand: Command = {
  name: 'admin reset-password',
  summary: 'set the password of an administrator',
  help: `galley admin reset-password --email E [--drop-second-factor] [DIR]

Sets the password of an administrator of the project in DIR (default: the working folder), and ends all sessions of that
account. The command reads the password from the terminal or from standard input, as galley admin create does.

  --email E             address that the administrator signs in with
  --drop-second-factor  turns off the second factor, for a person who has lost the device and the recovery codes`,
  async run(args, surroundings) {
    const flags = { email: { type: 'string' }, 'drop-second-factor': { type: 'boolean' } } as const;
    const { flag, switched, positionals } = readArguments('admin reset-password', args, flags, ['DIR']);
    const address = flag('email');
    if (!address) throw missingArgument('admin reset-password', '--email');
    const password = await askForPassword(surroundings);
    const { email, isOpen } = await changeProject(positionals[0], surroundings, async ({ config }, tx) => {
      const administrator = await administratorOf(tx, address, config.dir);
      await setPassword(tx, administrator, password);
      await endSessionsOfAdministrator(tx, administrator.id);
      if (switched('drop-second-factor')) {
        await dropSecondFactor(tx, administrator.id);
        tx.recordAction({ action: 'admin.second-factor.disable', ...subjectOf(administrator) });
      }
      return administrator;
    });
    surroundings.print(`Set the password of ${email}.`);
    if (!isOpen) surroundings.warn(`${email} is blocked or not active, and cannot sign in yet.`);
    return 0;
  },
};

/** The administrator with an address. @throws UsageError if no administrator has it. */
async function administratorOf(db: Queryable, address: string, dir: string): Promise<AdministratorRow> {
  const administrator = await findAdministratorByEmail(db, addressOf(address) ?? address);
  if (administrator) return administrator;
  const addresses = (await listAdministrators(db)).map(({ email }) => email);
  throw new UsageError(
    `no administrator ${address}${meant(address, addresses) || `; see ${commandText('admin list', dir)}`}`,
  );
}

/** @throws UsageError if no other super admin could sign in. */
async function keepSuperAdmin(db: Queryable, id: number): Promise<void> {
  try {
    await requireActiveSuperLeft(db, id);
  } catch (error) {
    throw error instanceof ContentError ? new UsageError(error.message, 1) : error;
  }
}

export const administratorCommands: readonly Command[] = [
  adminListCommand,
  adminSetRoleCommand,
  adminResetPasswordCommand,
  adminBlockCommand,
  adminUnblockCommand,
  adminDeleteCommand,
];
