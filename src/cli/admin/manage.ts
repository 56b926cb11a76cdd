/** `galley admin set-role|block|unblock|delete`: changes who may do what, and who may sign in. */
import { SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ContentError, UsageError } from '../../errors.ts';
import { meant, nearest } from '../../nearest.ts';
import { addressOf } from '../../users/administrators/administrator-bodies.ts';
import {
  type AdministratorRow,
  findAdministratorByEmail,
  listAdministrators,
  lockAdministrators,
  replaceRoles,
  rolesOfAdministrator,
  setPassword,
  updateAdministrator,
} from '../../users/administrators/administrator-rows.ts';
import { removeAdministrator, requireActiveSuperLeft } from '../../users/administrators/administrator-rules.ts';
import { endSessionsOfAdministrator } from '../../users/administrators/administrator-sessions.ts';
import { dropSecondFactor } from '../../users/administrators/second-factors.ts';
import { type Command, readArguments } from '../command.ts';
import { changeProject, inProject } from '../in-project.ts';
import { askForPassword } from '../prompts.ts';
import { table } from '../table.ts';
import { roleOf } from './role/words.ts';

export const adminSetRoleCommand: Command = {
  name: 'admin set-role',
  summary: 'give an administrator other roles',
  help: `galley admin set-role EMAIL --role ROLE... [DIR]

Gives an administrator of the project in DIR (default: the working folder) exactly these roles, from the next request on.
The last super admin who can sign in keeps that role.

  --role ROLE  a role of galley admin role list, such as editor or author; may be repeated`,
  async run(args, surroundings) {
    const flags = { role: { type: 'string', multiple: true } } as const;
    const parsed = readArguments('admin set-role', args, flags, ['EMAIL', 'DIR']);
    const [given, dir] = parsed.positionals;
    const words = parsed.flags('role');
    if (given === undefined || words.length === 0) {
      throw new UsageError('galley admin set-role needs an EMAIL and --role; see galley admin set-role --help');
    }
    const { email, names } = await changeProject(dir, surroundings, async (_, tx) => {
      await lockAdministrators(tx);
      const administrator = await administratorOf(tx, given);
      const roles = [];
      for (const word of words) roles.push(await roleOf(tx, word));
      if (!roles.some(({ code }) => code === SUPER_ADMIN)) await keepSuperAdmin(tx, administrator.id);
      await replaceRoles(tx, administrator.id, [...new Set(roles.map(({ id }) => id))]);
      await updateAdministrator(tx, administrator, {});
      return { email: administrator.email, names: roles.map(({ name }) => name) };
    });
    surroundings.print(`${email} has the role ${names.join(', ')} now.`);
    return 0;
  },
};

export const adminBlockCommand = changing({
  verb: 'block',
  summary: 'keep an administrator from signing in',
  does: `Ends all sessions of an administrator at once, and keeps the person from signing in until galley admin unblock. Links
that were sent to the person are void. The last super admin who can sign in cannot be blocked.`,
  done: (email) => `Blocked ${email}: all sessions have ended.`,
  change: async (tx, administrator) => {
    await keepSuperAdmin(tx, administrator.id);
    const blocked = tx.dialect.encode(true, 'boolean');
    const links = { registration_token: null, reset_password_token: null, reset_password_token_expires_at: null };
    await updateAdministrator(tx, administrator, { blocked, ...links });
    await endSessionsOfAdministrator(tx, administrator.id);
  },
});

export const adminUnblockCommand = changing({
  verb: 'unblock',
  summary: 'let a blocked administrator sign in again',
  does: 'Lets an administrator sign in again, with the same password and roles: one who is blocked, or was deactivated in Strapi.',
  done: (email, { password }) =>
    password === null
      ? `Unblocked ${email}, who has no password yet: galley admin invite sends a new link.`
      : `Unblocked ${email}.`,
  change: (tx, administrator) => {
    // without a password an administrator becomes active by accepting an invitation
    const active = administrator.password === null ? {} : { is_active: tx.dialect.encode(true, 'boolean') };
    return updateAdministrator(tx, administrator, { blocked: tx.dialect.encode(false, 'boolean'), ...active });
  },
});

export const adminDeleteCommand = changing({
  verb: 'delete',
  summary: 'delete an administrator',
  does: `Deletes an administrator with its sessions, its second factor and its own tokens. What the person has written stays. The
last super admin who can sign in cannot be deleted.`,
  done: (email) => `Deleted ${email}.`,
  change: async (tx, administrator) => {
    await keepSuperAdmin(tx, administrator.id);
    await removeAdministrator(tx, administrator);
  },
});

interface Change {
  readonly verb: string;
  readonly summary: string;
  /** What it does, for its help. */
  readonly does: string;
  /** What is printed when it is done. */
  readonly done: (email: string, administrator: AdministratorRow) => string;
  readonly change: (tx: Transaction, administrator: AdministratorRow) => Promise<void>;
}

/** A command that takes the address of an administrator and nothing else. */
function changing({ verb, summary, does, done, change }: Change): Command {
  const name = `admin ${verb}`;
  return {
    name,
    summary,
    help: `galley ${name} EMAIL [DIR]

${does}

  DIR  the folder of the project (default: the working folder)`,
    async run(args, surroundings) {
      const { positionals } = readArguments(name, args, {}, ['EMAIL', 'DIR']);
      const [given, dir] = positionals;
      if (given === undefined) throw new UsageError(`galley ${name} needs an EMAIL; see galley ${name} --help`);
      const administrator = await changeProject(dir, surroundings, async (_, tx) => {
        await lockAdministrators(tx);
        const found = await administratorOf(tx, given);
        await change(tx, found);
        return found;
      });
      surroundings.print(done(administrator.email, administrator));
      return 0;
    },
  };
}

export const adminListCommand: Command = {
  name: 'admin list',
  summary: 'list the administrators',
  help: `galley admin list [--json] [DIR]

Lists the administrators of the project in DIR (default: the working folder): id, address, name, roles, whether they may
sign in, and whether they have a second factor.

  --json  a JSON object a line`,
  async run(args, { env, print, warn }) {
    const { switched, positionals } = readArguments('admin list', args, { json: { type: 'boolean' } }, ['DIR']);
    const lines = await inProject(positionals[0], { env, warn }, async (_, db) => {
      const found = [];
      for (const row of await listAdministrators(db)) {
        const roles = (await rolesOfAdministrator(db, row.id)).map(({ code }) => code);
        const { id, email, firstname, lastname, isOpen, hasSecondFactor: secondFactor } = row;
        found.push({ id, email, firstname, lastname, roles, maySignIn: isOpen, secondFactor });
      }
      if (switched('json')) return found.map((one) => JSON.stringify(one));
      return table(
        ['id', 'email', 'name', 'roles', 'may sign in', 'second factor'],
        found.map(({ id, email, firstname, lastname, roles, maySignIn, secondFactor }) => {
          const name = [firstname, lastname].filter((part) => part !== null).join(' ');
          return [String(id), email, name, roles.join(', '), maySignIn ? 'yes' : 'no', secondFactor ? 'yes' : 'no'];
        }),
      );
    });
    for (const line of lines) print(line);
    return 0;
  },
};

export const adminResetPasswordCommand: Command = {
  name: 'admin reset-password',
  summary: 'set the password of an administrator',
  help: `galley admin reset-password --email E [--drop-second-factor] [DIR]

Sets the password of an administrator of the project in DIR (default: the working folder), and ends all sessions of that
account. The password is asked for at the terminal, or read from standard input, as by galley admin create.

  --email E             address that the administrator signs in with
  --drop-second-factor  turns off the second factor, for somebody who has lost the device and the recovery codes`,
  async run(args, surroundings) {
    const flags = { email: { type: 'string' }, 'drop-second-factor': { type: 'boolean' } } as const;
    const { flag, switched, positionals } = readArguments('admin reset-password', args, flags, ['DIR']);
    const given = flag('email');
    if (!given) throw new UsageError('galley admin reset-password needs --email');
    const password = await askForPassword(surroundings);
    const found = await changeProject(positionals[0], surroundings, async (_, tx) => {
      const administrator = await findAdministratorByEmail(tx, addressOf(given) ?? given);
      if (!administrator) {
        const addresses = (await listAdministrators(tx)).map(({ email }) => email);
        throw new UsageError(`no administrator ${given}${meant(given, addresses) || ': see galley admin list'}`);
      }
      await setPassword(tx, administrator, password);
      await endSessionsOfAdministrator(tx, administrator.id);
      if (switched('drop-second-factor')) await dropSecondFactor(tx, administrator.id);
      return administrator;
    });
    const { email, isOpen } = found;
    surroundings.print(`Set the password of ${email}.`);
    if (!isOpen) surroundings.warn(`${email} is blocked or not active, and still cannot sign in.`);
    return 0;
  },
};

/** The administrator of an address. @throws UsageError where there is none. */
export async function administratorOf(db: Queryable, email: string): Promise<AdministratorRow> {
  const found = await findAdministratorByEmail(db, addressOf(email) ?? email);
  if (found) return found;
  const hint = nearest(
    email,
    (await listAdministrators(db)).map((one) => one.email),
  );
  throw new UsageError(`no administrator ${email}: ${hint ? `did you mean ${hint}?` : 'see galley admin list'}`);
}

/** @throws UsageError where no other administrator with all rights could sign in. */
export async function keepSuperAdmin(db: Queryable, id: number): Promise<void> {
  try {
    await requireActiveSuperLeft(db, id);
  } catch (error) {
    throw error instanceof ContentError ? new UsageError(error.message, 1) : error;
  }
}
