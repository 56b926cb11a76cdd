/** How code of a project makes, changes and removes administrators: by services and by `strapi.db.query('admin::user')`. */
import { SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import { type AroundRows, beginRow, transactionOf } from '../../content/rows/around-rows.ts';
import { hashPassword, isTooLong } from '../../content/validation/password-hashing.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { validation } from '../../errors.ts';
import { ADMIN_USER_UID } from '../../schema/catalog.ts';
import { addressOf } from '../../users/administrators/administrator-bodies.ts';
import {
  findAdministrator,
  insertAdministrator,
  lockAdministrators,
  passwordColumns,
  replaceRoles,
  rolesOfAdministrator,
  updateAdministrator,
} from '../../users/administrators/administrator-rows.ts';
import {
  isAddressTaken,
  removeAdministrator,
  requireRoles,
  requireSuperLeft,
} from '../../users/administrators/administrator-rules.ts';
import { endSessionsOfAdministrator } from '../../users/administrators/administrator-sessions.ts';
import { unsupported } from '../guarded.ts';
import { rowIdOf } from '../row-id.ts';
import { isIssuedHash } from './account-hashes.ts';

/** Texts of an administrator, with their columns. */
const TEXTS = {
  firstname: 'firstname',
  lastname: 'lastname',
  username: 'username',
  preferedLanguage: 'prefered_language',
} as const;
const FLAGS = { isActive: 'is_active', blocked: 'blocked' } as const;
/** Galley issues no such tokens; stored ones may be removed. */
const TOKENS = {
  registrationToken: 'registration_token',
  resetPasswordToken: 'reset_password_token',
  resetPasswordTokenExpiresAt: 'reset_password_token_expires_at',
} as const;
const VERBS = ['set', 'connect', 'disconnect', 'options'];

type Written = Pick<Database, 'transaction'>;
/** Data of an administrator as code gives it. */
type AdministratorData = Readonly<Record<string, unknown>>;
type Text = keyof typeof TEXTS;
type Flag = keyof typeof FLAGS;

/** The checked values of an administrator that data contains. */
interface AdministratorValues {
  readonly values: { readonly email?: string } & Partial<Record<Text, string | null> & Record<Flag, boolean>>;
  readonly hash: string | undefined;
  /** Ids of roles, from those that there are. */
  readonly roles: ((now: readonly number[]) => number[]) | undefined;
  /** Columns of tokens that are taken away. */
  readonly dropped: Readonly<Record<string, null>>;
}

export class AdministratorWrites {
  readonly #runtime: { readonly database: Written; readonly around: AroundRows | undefined };

  /** @param around code of the project around rows; undefined if the caller runs it. */
  constructor(database: Written, around: AroundRows | undefined) {
    this.#runtime = { database, around };
  }

  /**
   * Creates an administrator, and returns its row id.
   *
   * @throws ContentError 400 for invalid data, and for an address that another administrator has.
   */
  async create(given: AdministratorData): Promise<number> {
    if (typeof given['password'] !== 'string' || given['password'] === '')
      return unsupported('an administrator without a password');
    const values = await read(given);
    const { email, ...rest } = values.values;
    if (email === undefined) throw validation('email must be a valid email');
    const names = { firstname: null, lastname: null, username: null, preferedLanguage: null, ...rest };
    const data = { email, ...names, isActive: rest.isActive ?? false, blocked: rest.blocked ?? false };
    return this.#writing(async (tx) => {
      const roles = values.roles?.([]) ?? [];
      await requireRoles(tx, roles);
      await requireFree(tx, email);
      const announced = { ...data, registrationToken: null, roles };
      const begun = await beginRow(this.#runtime.around, ADMIN_USER_UID, 'create', () => ({ data: announced }));
      const id = await insertAdministrator(tx, { ...data, password: values.hash! }, roles);
      await begun.end(id);
      return id;
    });
  }

  /**
   * Changes an administrator; a new password ends its sessions. Gives whether it is there.
   *
   * @throws ContentError 400 as `create`, and if no administrator would keep the role of all rights.
   */
  async update(id: number, given: AdministratorData): Promise<boolean> {
    const { values, hash, roles: rolesFrom, dropped } = await read(given);
    return this.#writing(async (tx) => {
      const row = await findAdministrator(tx, id);
      if (!row) return false;
      const now = await rolesOfAdministrator(tx, id);
      const roles = rolesFrom?.(now.map((role) => role.id));
      if (roles) await requireRoles(tx, roles);
      const superRole = now.find(({ code }) => code === SUPER_ADMIN)?.id;
      const leaves = superRole !== undefined && roles?.includes(superRole) === false;
      const leaving = leaves || values.isActive === false || values.blocked === true ? [id] : [];
      await requireSuperLeft(tx, leaving);
      if (values.email !== undefined) await requireFree(tx, values.email, id);
      const data = { ...values, ...(roles && { roles }) };
      const begun = await beginRow(this.#runtime.around, ADMIN_USER_UID, 'update', () => ({ where: { id }, data }));
      // listeners may have written administrators as well
      await requireSuperLeft(tx, leaving);
      const ofPassword = hash === undefined ? {} : passwordColumns(hash);
      await updateAdministrator(tx, row, { ...columnsOf(tx, values), ...ofPassword, ...dropped });
      if (roles) await replaceRoles(tx, row, roles);
      await begun.end(id);
      if (hash !== undefined) await endSessionsOfAdministrator(tx, id);
      return true;
    });
  }

  /**
   * Removes administrators with their tokens and sessions. Missing ones count as removed.
   *
   * @throws ContentError 400 if no super admin would remain; then none is removed.
   */
  async remove(ids: readonly number[]): Promise<void> {
    await this.#writing(async (tx) => {
      await requireSuperLeft(tx, ids);
      for (const id of ids) {
        const row = await findAdministrator(tx, id);
        if (!row) continue;
        const begun = await beginRow(this.#runtime.around, ADMIN_USER_UID, 'delete', () => ({ where: { id } }));
        // a listener may have written administrators as well
        await requireSuperLeft(tx, [id]);
        await removeAdministrator(tx, row);
        await begun.end(id);
      }
    });
  }

  #writing<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return transactionOf(this.#runtime, [ADMIN_USER_UID], async (tx) => {
      await lockAdministrators(tx);
      return work(tx);
    });
  }
}

async function requireFree(tx: Transaction, email: string, id?: number): Promise<void> {
  if (await isAddressTaken(tx, email, id)) throw validation('Email already taken');
}

async function read(data: AdministratorData): Promise<AdministratorValues> {
  const { password, roles, email } = data;
  for (const name of keysOf(TOKENS)) if (data[name] != null) unsupported(`${name} of an administrator`);
  const dropped = keysOf(TOKENS).flatMap((name) => (data[name] === null ? [[TOKENS[name], null]] : []));
  const address = email === undefined ? undefined : addressOf(String(email));
  if (email !== undefined && address === undefined) throw validation('email must be a valid email');
  const texts = keysOf(TEXTS).flatMap((name) => (name in data ? [[name, textOf(data, name)]] : []));
  const flags = keysOf(FLAGS).flatMap((name) => (data[name] == null ? [] : [[name, flagOf(data, name)]]));
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
  if (isIssuedHash(password)) return password;
  if (isTooLong(password)) throw validation('password is too long');
  return hashPassword(password);
}

function textOf(data: AdministratorData, name: string): string | null {
  const value: unknown = data[name] ?? null;
  if (value !== null && (typeof value !== 'string' || value.length > 255)) throw validation(`${name} must be a text`);
  return value;
}

function flagOf(data: AdministratorData, name: string): boolean {
  if (typeof data[name] !== 'boolean') throw validation(`${name} must be true or false`);
  return data[name];
}

/** Roles by a list, which replaces those that there are, or by `set`, `connect` and `disconnect`. */
function rolesFrom(value: unknown): AdministratorValues['roles'] {
  const isNamed = typeof value === 'object' && value !== null && !Array.isArray(value) && !('id' in value);
  const named: AdministratorData = isNamed ? (value as AdministratorData) : { set: value };
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

function columnsOf({ dialect }: Transaction, values: AdministratorValues['values']) {
  const { email } = values;
  const texts = keysOf(TEXTS).flatMap((name) => (name in values ? [[TEXTS[name], values[name]!]] : []));
  const flags = keysOf(FLAGS).flatMap((name) =>
    values[name] === undefined ? [] : [[FLAGS[name], dialect.encode(values[name], 'boolean')]],
  );
  return { ...(email && { email }), ...Object.fromEntries([...texts, ...flags]) };
}
