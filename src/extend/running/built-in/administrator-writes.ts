/** How code of a project makes administrators and changes them: by services and by `strapi.db.query('admin::user')`. */

import { SUPER_ADMIN } from '../../../access/administrator-rights.ts';
import { hashPassword, isTooLong } from '../../../content/validation/password-hashing.ts';
import { type AroundRows, beginRow, transactionOf } from '../../../content/writing/around-rows.ts';
import { deleteRows, selectRows, updateRows } from '../../../db/statements.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { validation } from '../../../errors.ts';
import { ADMIN_USER_UID } from '../../../schema/catalog.ts';
import { addressOf } from '../../../users/administrators/administrator-bodies.ts';
import {
  findAdministrator,
  findAdministratorByEmail,
  findRoleByCode,
  insertAdministrator,
  linkRoles,
  lockAdministrators,
  rolesOfAdministrator,
  updateAdministrator,
} from '../../../users/administrators/administrator-rows.ts';
import { endSessionsOfAdministrator } from '../../../users/administrators/administrator-sessions.ts';
import type { AmbientDatabase } from '../documents/ambient.ts';
import type { Params } from '../documents/lifecycles.ts';
import { rowIdOf } from '../row-id.ts';
import { unsupported } from '../strapi/guarded.ts';
import { isGivenHash } from './given-hashes.ts';

const ROLES_TABLE = 'admin_users_roles_lnk';
/** Texts of an administrator, with their columns. */
const TEXTS = {
  firstname: 'firstname',
  lastname: 'lastname',
  username: 'username',
  preferedLanguage: 'prefered_language',
} as const;
const FLAGS = { isActive: 'is_active', blocked: 'blocked' } as const;
/** Tokens are given to nobody here, but those that are stored may be taken away. */
const TOKENS = {
  registrationToken: 'registration_token',
  resetPasswordToken: 'reset_password_token',
  resetPasswordTokenExpiresAt: 'reset_password_token_expires_at',
} as const;
const VERBS = ['set', 'connect', 'disconnect', 'options'];

type Text = keyof typeof TEXTS;
type Flag = keyof typeof FLAGS;

/** What data says of an administrator, checked; what it does not say is left out. */
interface Said {
  readonly values: { readonly email?: string } & Partial<Record<Text, string | null> & Record<Flag, boolean>>;
  readonly hash: string | undefined;
  /** Ids of roles, from those that there are. */
  readonly roles: ((now: readonly number[]) => number[]) | undefined;
  /** Columns of tokens that are taken away. */
  readonly dropped: Readonly<Record<string, null>>;
}

export class AdministratorWrites {
  readonly #rooms: { readonly database: AmbientDatabase; readonly around: AroundRows | undefined };

  /** @param around code of the project around rows; undefined where it is told in another way. */
  constructor(database: AmbientDatabase, around: AroundRows | undefined) {
    this.#rooms = { database, around };
  }

  /**
   * Makes an administrator, and gives its row id.
   *
   * @throws ContentError 400 for what is wrong with the data, and for an address that is taken.
   */
  async create(given: Params): Promise<number> {
    if (typeof given['password'] !== 'string' || given['password'] === '')
      return unsupported('an administrator without a password');
    const said = await read(given);
    const { email, ...rest } = said.values;
    if (email === undefined) throw validation('email must be a valid email');
    const names = { firstname: null, lastname: null, username: null, preferedLanguage: null, ...rest };
    const data = { email, ...names, isActive: rest.isActive ?? false, blocked: rest.blocked ?? false };
    return this.#writing(async (tx) => {
      const roles = said.roles?.([]) ?? [];
      await requireRoles(tx, roles);
      await requireFree(tx, email);
      const told = { ...data, registrationToken: null, roles };
      const begun = await beginRow(this.#rooms.around, ADMIN_USER_UID, 'create', () => ({ data: told }));
      const id = await insertAdministrator(tx, { ...data, password: said.hash! }, roles);
      await begun.end(id);
      return id;
    });
  }

  /**
   * Changes an administrator; a new password ends its sessions. Gives whether it is there.
   *
   * @throws ContentError 400 as `create`, and for what would leave nobody with the role of all rights.
   */
  async update(id: number, given: Params): Promise<boolean> {
    const { values, hash, roles: rolesFrom, dropped } = await read(given);
    return this.#writing(async (tx) => {
      const row = await findAdministrator(tx, id);
      if (!row) return false;
      const now = await rolesOfAdministrator(tx, id);
      const roles = rolesFrom?.(now.map((role) => role.id));
      if (roles) await requireRoles(tx, roles);
      if (await isLastSuper(tx, id)) {
        const superRole = now.find(({ code }) => code === SUPER_ADMIN)!.id;
        if (values.isActive === false || values.blocked === true || roles?.includes(superRole) === false)
          throw validation('You must have at least one user with super admin role.');
      }
      if (values.email !== undefined) await requireFree(tx, values.email, id);
      const data = { ...values, ...(roles && { roles }) };
      const begun = await beginRow(this.#rooms.around, ADMIN_USER_UID, 'update', () => ({ where: { id }, data }));
      await updateAdministrator(tx, row, { ...columnsOf(tx, values), ...passwordColumns(hash), ...dropped });
      if (roles) await replaceRoles(tx, id, roles);
      await begun.end(id);
      if (hash !== undefined) await endSessionsOfAdministrator(tx, id);
      return true;
    });
  }

  #writing<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return transactionOf(this.#rooms, [ADMIN_USER_UID], async (tx) => {
      await lockAdministrators(tx);
      return work(tx);
    });
  }
}

/** Whether somebody alone has the role of all rights. */
export async function isLastSuper(db: Parameters<typeof findRoleByCode>[0], id: number): Promise<boolean> {
  const role = await findRoleByCode(db, SUPER_ADMIN);
  if (!role) return false;
  const users = await selectRows(db, ROLES_TABLE, ['user_id'], { role_id: role.id });
  return users.length === 1 && Number(users[0]![0]) === id;
}

async function read(given: Params): Promise<Said> {
  const { password, roles, email } = given;
  for (const name of keysOf(TOKENS)) if (given[name] != null) unsupported(`${name} of an administrator`);
  const dropped = keysOf(TOKENS).flatMap((name) => (given[name] === null ? [[TOKENS[name], null]] : []));
  const address = email === undefined ? undefined : addressOf(String(email));
  if (email !== undefined && address === undefined) throw validation('email must be a valid email');
  const texts = keysOf(TEXTS).flatMap((name) => (name in given ? [[name, textOf(given, name)]] : []));
  const flags = keysOf(FLAGS).flatMap((name) => (given[name] == null ? [] : [[name, flagOf(given, name)]]));
  return {
    values: { ...(address && { email: address }), ...Object.fromEntries([...texts, ...flags]) },
    hash: password === undefined ? undefined : await hashOf(password),
    roles: roles === undefined ? undefined : rolesFrom(roles),
    dropped: Object.fromEntries(dropped),
  };
}

const keysOf = <T extends object>(names: T): (keyof T & string)[] => Object.keys(names) as (keyof T & string)[];

async function hashOf(password: unknown): Promise<string> {
  if (typeof password !== 'string' || password === '') throw validation('password must be a text');
  if (isGivenHash(password)) return password;
  if (isTooLong(password)) throw validation('password is too long');
  return hashPassword(password);
}

function textOf(data: Params, name: string): string | null {
  const value: unknown = data[name] ?? null;
  if (value !== null && (typeof value !== 'string' || value.length > 255)) throw validation(`${name} must be a text`);
  return value;
}

function flagOf(data: Params, name: string): boolean {
  if (typeof data[name] !== 'boolean') throw validation(`${name} must be true or false`);
  return data[name];
}

/** Roles by a list, which replaces those that there are, or by `set`, `connect` and `disconnect`. */
function rolesFrom(value: unknown): Said['roles'] {
  const isNamed = typeof value === 'object' && value !== null && !Array.isArray(value) && !('id' in value);
  const named: Params = isNamed ? (value as Params) : { set: value };
  if (Object.keys(named).some((name) => !VERBS.includes(name))) throw validation('roles must be ids');
  const replaced = named['set'] === undefined ? undefined : idsOf(named['set']);
  const [added, taken] = [idsOf(named['connect']), new Set(idsOf(named['disconnect']))];
  return (now) => [...new Set([...(replaced ?? now), ...added])].filter((id) => !taken.has(id));
}

const idsOf = (roles: unknown): number[] => [roles ?? []].flat().map(idOf);

/** The id of a row that is named by it, or by an object that has it. */
function idOf(role: unknown): number {
  const id = rowIdOf(typeof role === 'object' && role !== null ? (role as { id?: unknown }).id : role);
  if (id === undefined) throw validation('roles must be ids');
  return id;
}

async function requireRoles(tx: Transaction, named: readonly number[]): Promise<void> {
  const known = new Set((await selectRows(tx, 'admin_roles', ['id'], {})).map(([id]) => Number(id)));
  if (named.some((id) => !known.has(id))) throw validation('Some of the roles do not exist');
}

async function requireFree(tx: Transaction, email: string, id?: number): Promise<void> {
  const found = await findAdministratorByEmail(tx, email);
  if (found && found.id !== id) throw validation('Email already taken');
}

/** A new password makes void what was sent to set another one. */
const passwordColumns = (hash: string | undefined) =>
  hash === undefined ? {} : { password: hash, reset_password_token: null, reset_password_token_expires_at: null };

function columnsOf({ dialect }: Transaction, values: Said['values']) {
  const { email } = values;
  const texts = keysOf(TEXTS).flatMap((name) => (name in values ? [[TEXTS[name], values[name]!]] : []));
  const flags = keysOf(FLAGS).flatMap((name) =>
    values[name] === undefined ? [] : [[FLAGS[name], dialect.encode(values[name], 'boolean')]],
  );
  return { ...(email && { email }), ...Object.fromEntries([...texts, ...flags]) };
}

/** Gives somebody other roles. Those that stay keep their place among the people who have them. */
async function replaceRoles(tx: Transaction, id: number, roles: readonly number[]): Promise<void> {
  const now = (await selectRows(tx, ROLES_TABLE, ['role_id'], { user_id: id })).map(([role]) => Number(role));
  for (const role of now) if (!roles.includes(role)) await deleteRows(tx, ROLES_TABLE, { user_id: id, role_id: role });
  const kept = roles.filter((role) => now.includes(role));
  const added = roles.filter((role) => !now.includes(role));
  for (const [index, role] of kept.entries())
    await updateRows(tx, ROLES_TABLE, { role_ord: index + 1 }, { user_id: id, role_id: role });
  await linkRoles(tx, id, added, kept.length);
}
