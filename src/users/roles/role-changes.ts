/** `/users-permissions/roles`: reads and changes roles with their grants (docs/reference/accounts.md). */
import { grantableActions } from '../../access/actions.ts';
import type { Views } from '../../access/views.ts';
import type { Writer } from '../../content/documents/writer.ts';
import type { Reader } from '../../content/reading/reader.ts';
import {
  type AroundRows,
  beginRow,
  readRows,
  type StartedWrite,
  transactionOf,
} from '../../content/rows/around-rows.ts';
import { recordRowChange } from '../../content/rows/changes.ts';
import { MAX_ROW_ID } from '../../content/rows/document-rows.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { execute, query, selectRows, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { type ContentError, notFound, refusal, validation } from '../../errors.ts';
import {
  at,
  because,
  below,
  Failures,
  type Place,
  REQUIRED,
  type Sentence,
  validationFailure,
} from '../../failures.ts';
import { isObject, textOrNull } from '../../plain-values.ts';
import { everything } from '../../query/page.ts';
import { reason } from '../../reasons.ts';
import { type Catalog, type ContentType, PERMISSION_UID, ROLE_UID, USER_UID } from '../../schema/catalog.ts';
import {
  compileCountByRole,
  compileDeleteSharedAccounts,
  compileGrantsOfRoles,
  compileLastAccountOrder,
  compileLockRole,
  compileMoveAccounts,
  compileRenameRole,
} from '../../sql/accounts/roles.ts';
import { type Body, bodyOf } from '../accounts/account-bodies.ts';
import { readSettings } from '../accounts/account-settings.ts';
import { type ActionTree, actionTree } from './action-names.ts';
import { createRole, grantedActions, setRoleGrants } from './roles.ts';

export interface RolesContext {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly views: Views;
  /** Actions of the project's own routes. */
  readonly actions: readonly string[];
  /** The project's hooks for rows of roles and grants; undefined without code. */
  readonly around?: AroundRows | undefined;
}

const roleNotFound = () => notFound('Role not found');

/** The most roles that administrators can create. */
export const MOST_ROLES = 200;

/** A role of accounts as administrators see it. */
export interface SiteRole {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  readonly description: string | null;
  /** The number of its accounts. */
  readonly accounts: number;
  /** Whether it cannot be deleted, because the server needs it. */
  readonly isNeeded: boolean;
  /** The granted actions, sorted. */
  readonly actions: readonly string[];
}

export class Roles {
  readonly #context: RolesContext;
  readonly #type: ContentType;
  readonly #actions: ReadonlySet<string>;

  constructor(context: RolesContext) {
    this.#context = context;
    this.#type = context.catalog.contentTypes.get(ROLE_UID)!;
    this.#actions = grantableActions(context.catalog, context.actions);
  }

  /** The names of all actions that can be granted. */
  get grantable(): ReadonlySet<string> {
    return this.#actions;
  }

  /** These roles with the project's hooks for their rows and grants. */
  within(around: AroundRows): Roles {
    return new Roles({ ...this.#context, around });
  }

  /** All actions of the project, none of them enabled. */
  actions(): ActionTree {
    return actionTree(this.#actions);
  }

  /** The records of all roles, with the number of their accounts as `nb_users`. */
  async list(): Promise<{ readonly id: number; readonly nb_users: number }[]> {
    const { reader, database, views } = this.#context;
    const { data } = await reader.list(this.#type, views.full, { sort: 'id' }, { page: everything });
    const rows = await query(database, compileCountByRole());
    const counts = new Map(rows.map(([role, count]) => [Number(role), Number(count)]));
    const roles = JSON.parse(data) as { id: number }[];
    return roles.map((role) => ({ ...role, nb_users: counts.get(role.id) ?? 0 }));
  }

  /**
   * The record of a role with all actions, of which granted ones are enabled.
   *
   * @throws ContentError 404 for no such role.
   */
  async one(id: number): Promise<object> {
    const { reader, database, views } = this.#context;
    const found = await reader.one(this.#type, views.full, {}, { kind: 'row', id });
    if (found === undefined) throw roleNotFound();
    const granted = await grantedActions(database, id);
    return { ...(JSON.parse(found.data) as object), permissions: actionTree(this.#actions, granted) };
  }

  /** All roles with their grants, in the order of creation. */
  async siteRoles(db: Queryable = this.#context.database): Promise<SiteRole[]> {
    const rows = await selectRows(db, 'up_roles', ['id', 'type', 'name', 'description'], {}, ['id']);
    const accounts = new Map((await query(db, compileCountByRole())).map(([id, count]) => [Number(id), Number(count)]));
    const grants = Map.groupBy(await query(db, compileGrantsOfRoles()), ([id]) => Number(id));
    const { defaultRole } = await readSettings(db);
    return rows.map(([key, type, name, description]) => {
      const id = Number(key);
      return {
        id,
        type: String(type ?? ''),
        name: String(name ?? ''),
        description: textOrNull(description),
        accounts: accounts.get(id) ?? 0,
        isNeeded: isNeeded(type, defaultRole),
        actions: [...new Set((grants.get(id) ?? []).map(([, action]) => String(action)))].sort(),
      };
    });
  }

  /** A role with its grants. @throws ContentError 404 for no such role. */
  async siteRole(id: number | undefined, db: Queryable = this.#context.database): Promise<SiteRole> {
    const role = (await this.siteRoles(db)).find((one) => one.id === id);
    if (!role) throw roleNotFound();
    return role;
  }

  /**
   * Creates a role of an administrator and returns its id. Its type is its name in snake case.
   *
   * @param raw `name`, `description`, and `actions`, a list.
   * @throws ContentError 400 for a wrong body, an existing role of that name, and one role too many.
   */
  async add(raw: unknown): Promise<number> {
    const { name, description = null, actions } = parseSiteRole(raw, this.#actions);
    if (name === undefined) throw failure('name', REQUIRED);
    const type = snakeCase(name);
    if (type === '') throw failure('name', 'name must contain a letter or a digit');
    return this.#insert({ type, name, description, actions }, 'name', async (tx) => {
      const roles = await selectRows(tx, 'up_roles', ['id'], {});
      if (roles.length >= MOST_ROLES) throw refusal(`there are ${MOST_ROLES} roles already`);
    });
  }

  /**
   * Changes name, description and grants of a role for an administrator, as `update`.
   *
   * @param raw `name`, `description`, and `actions`, a list; missing values stay.
   * @param requireUnchanged throws if the role, which is locked, is not the one that the administrator has seen.
   */
  async edit(
    id: number | undefined,
    raw: unknown,
    requireUnchanged: (role: SiteRole) => Promise<void> | void,
  ): Promise<void> {
    await this.#change(id, async (tx, granted) => {
      await requireUnchanged(await this.siteRole(id, tx));
      return parseSiteRole(raw, new Set([...this.#actions, ...granted]));
    });
  }

  /**
   * Creates a role and returns its id. The default `type` is its name in snake case.
   *
   * @throws ContentError 400 for a wrong body, and an existing type.
   */
  async create(raw: unknown): Promise<number> {
    const { name, description = null, type: defined, actions } = parseRole(raw, this.#actions);
    if (name === undefined) throw failure('name', REQUIRED);
    const type = defined ?? snakeCase(name);
    if (type === '') throw failure('type', 'type must be defined where the name has neither letters nor digits');
    return this.#insert({ type, name, description, actions }, 'type');
  }

  /**
   * @param place the value of the body that determines the type.
   * @param check throws if the role may not be created.
   */
  #insert(
    { actions, ...role }: Pick<RoleChange, 'actions'> & Parameters<typeof createRole>[2],
    place: string,
    check?: (tx: Transaction) => Promise<void>,
  ): Promise<number> {
    const { around } = this.#context;
    return transactionOf(this.#context, HOOKED_TYPES, async (tx) => {
      await check?.(tx);
      const id = await createRole(tx, this.#type, role, around);
      if (id === undefined) throw failure(place, because('This attribute must be unique', 'unique'));
      await setRoleGrants(tx, id, actions ?? [], around);
      return id;
    });
  }

  /**
   * Changes name, description and grants of a role; missing values stay. It may keep grants that the project no longer
   * has.
   *
   * @throws ContentError 404 for no such role, 400 for a wrong body.
   */
  async update(id: number, raw: unknown): Promise<void> {
    requireBody(raw);
    await this.#change(id, (_, granted) => parseRole(raw, new Set([...this.#actions, ...granted])));
  }

  /** @param changeOf the change of the locked role, from its granted actions. */
  async #change(
    id: number | undefined,
    changeOf: (tx: Transaction, granted: ReadonlySet<string>) => RoleChange | Promise<RoleChange>,
  ): Promise<void> {
    const { around } = this.#context;
    await transactionOf(this.#context, HOOKED_TYPES, async (tx) => {
      if (id === undefined || id > MAX_ROW_ID) throw roleNotFound();
      const [found] = await execute(tx, compileLockRole(), [id]);
      if (!found) throw roleNotFound();
      const granted = await grantedActions(tx, id);
      const { name, description, actions } = await changeOf(tx, granted);
      const fields = Object.keys(defined({ name, description }));
      recordRowChange(tx, ROLE_UID, String(found[0]), 'updated', id, { name: name ?? String(found[1]), fields });
      const begun = await beginRow(around, ROLE_UID, 'update', () => ({
        where: { id },
        data: defined({ name, description }),
      }));
      await execute(tx, compileRenameRole(), [name ?? null, tx.dialect.encodeTime(Date.now()), id]);
      if (description !== undefined) await updateRows(tx, 'up_roles', { description }, { id });
      await begun.end(id);
      if (actions) await setRoleGrants(tx, id, actions, around);
    });
  }

  /** Replaces the grants of a role by the enabled ones. @throws ContentError as `update`. */
  async grant(id: number, permissions: unknown): Promise<void> {
    const { around } = this.#context;
    await transactionOf(this.#context, HOOKED_TYPES, async (tx) => {
      const [found] = id > MAX_ROW_ID ? [] : await execute(tx, compileLockRole(), [id]);
      if (!found) throw roleNotFound();
      const granted = await grantedActions(tx, id);
      const { actions = [] } = parseRole({ permissions }, new Set([...this.#actions, ...granted]));
      await setRoleGrants(tx, id, actions, around);
    });
  }

  /**
   * Deletes a role; its accounts get the role `public`, as in the reference.
   *
   * @throws ContentError 404 for no such role, 400 for a role that the server needs.
   */
  async remove(id: number): Promise<void> {
    const { writer, views, around } = this.#context;
    await transactionOf(this.#context, [...HOOKED_TYPES, USER_UID], async (tx) => {
      const rows = await selectRows(tx, 'up_roles', ['id', 'type', 'document_id'], {});
      const [, type, documentId] = rows.find(([roleId]) => Number(roleId) === id) ?? [];
      if (documentId === undefined) throw roleNotFound();
      const { defaultRole } = await readSettings(tx);
      if (isNeeded(type, defaultRole)) throw refusal(`Cannot delete ${type} role`, reason('role'));
      const open = rows.find(([, other]) => other === 'public');
      if (open) await moveAccounts(tx, id, Number(open[0]), around);
      await setRoleGrants(tx, id, [], around);
      const begun = await beginRow(around, ROLE_UID, 'delete', () => ({ where: { id } }));
      const removal = { type: this.#type, viewer: views.full, documentId: String(documentId), locales: undefined };
      await writer.deleteIn(tx, removal);
      await begun.end(id);
    });
  }
}

/** Whether the server needs a role of a type. @param defaultRole the type of the role of new accounts. */
const isNeeded = (type: unknown, defaultRole: string): boolean =>
  ['public', 'authenticated', defaultRole].includes(String(type));

/** Types whose hooks run when a role is written. */
const HOOKED_TYPES: readonly string[] = [ROLE_UID, PERMISSION_UID];

/** The values that are not undefined. */
const defined = (values: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Moves the accounts of a role to another one, after its own. @param around hooks for each. */
async function moveAccounts(tx: Transaction, from: number, to: number, around?: AroundRows): Promise<void> {
  const moved: { readonly id: number; readonly begun: StartedWrite }[] = [];
  if (around?.isListening(USER_UID)) {
    for (const [user] of await selectRows(tx, 'up_users_role_lnk', ['user_id'], { role_id: from }, ['id'])) {
      const id = Number(user);
      const announced = { where: { id }, data: { role: to } };
      moved.push({ id, begun: await beginRow(around, USER_UID, 'update', () => announced) });
    }
  }
  await execute(tx, compileDeleteSharedAccounts(), [from, to]);
  const [last] = await query(tx, compileLastAccountOrder(), [to]);
  await execute(tx, compileMoveAccounts(), [to, Number(last![0]), from]);
  for (const { id, begun } of moved) await begun.end(id);
}

const failure = (key: string, sentence: Sentence): ContentError => validationFailure(at(key), sentence);

/** `Éditeur en chef 2` → `editeur_en_chef_2`. */
function snakeCase(name: string): string {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/\p{L}+|\p{N}+/gu) ?? []).join('_').slice(0, 255);
}

/** Changes of a role; undefined values stay. */
export interface RoleChange {
  readonly name: string | undefined;
  readonly description: string | null | undefined;
  readonly type: string | undefined;
  /** All actions to grant. */
  readonly actions: ReadonlySet<string> | undefined;
}

const LONGEST = 255;

/** @throws ContentError 400 for an empty body. */
function requireBody(raw: unknown): void {
  if (raw === undefined || raw === null || Object.keys(raw as object).length === 0) {
    throw validation('Request body cannot be empty');
  }
}

/**
 * Parses a body; unknown keys are ignored, as in the reference.
 *
 * @param known the actions that can be granted.
 * @throws ContentError 400 for an empty body, and with the path of each wrong value.
 */
function parseRole(raw: unknown, known: ReadonlySet<string>): RoleChange {
  requireBody(raw);
  const body = bodyOf(raw);
  const failures = new Failures();
  const name = textAt(body, 'name', failures);
  const type = textAt(body, 'type', failures);
  const isCleared = body['description'] === null || body['description'] === '';
  const description = isCleared ? null : textAt(body, 'description', failures);
  const { permissions } = body;
  const actions = permissions === undefined ? undefined : enabledActions(permissions, known, failures);
  failures.throwAny();
  return { name, type, description, actions };
}

/**
 * Parses the body of an administrator.
 *
 * @param known the actions that can be granted.
 * @throws ContentError 400 with the path of each wrong value.
 */
function parseSiteRole(raw: unknown, known: ReadonlySet<string>): RoleChange {
  requireBody(raw);
  const body = bodyOf(raw);
  const failures = new Failures();
  const name = textAt(body, 'name', failures);
  const isCleared = body['description'] === null || body['description'] === '';
  const description = isCleared ? null : textAt(body, 'description', failures);
  const { actions: list } = body;
  if (list !== undefined && !(Array.isArray(list) && list.length <= known.size)) {
    failures.add(at('actions'), 'actions must be a list of actions');
  }
  const actions = new Set<string>();
  for (const [index, action] of (Array.isArray(list) ? list.slice(0, known.size) : []).entries()) {
    if (typeof action !== 'string') failures.addWrongType(at('actions', index), 'string', action);
    else if (known.has(action)) actions.add(action);
    else failures.add(at('actions', index), `There is no action ${action}`);
  }
  failures.throwAny();
  return { name: name?.trim(), description, type: undefined, actions: list === undefined ? undefined : actions };
}

function textAt(body: Body, key: string, failures: Failures): string | undefined {
  const value = body[key];
  if (value === undefined) return undefined;
  const isText = typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST;
  if (isText && !value.includes('\0') && value.isWellFormed()) return value;
  failures.add(at(key), `${key} must be a string of 1 to ${LONGEST} characters`, value);
  return undefined;
}

/** The enabled leaves of `{owner: {controllers: {controller: {action: {enabled}}}}}`. */
function enabledActions(permissions: unknown, known: ReadonlySet<string>, failures: Failures): Set<string> {
  const actions = new Set<string>();
  for (const [owner, ownerPlace, { controllers }] of entriesOf(permissions, at('permissions'), failures)) {
    for (const [controller, place, names] of entriesOf(controllers ?? {}, below(ownerPlace, 'controllers'), failures)) {
      for (const [name, here, state] of entriesOf(names, place, failures)) {
        if (state['enabled'] === undefined || state['enabled'] === false) continue;
        const action = `${owner}.${controller}.${name}`;
        if (state['enabled'] !== true) {
          failures.add(below(here, 'enabled'), 'enabled must be true or false', state['enabled']);
        } else if (!known.has(action)) failures.add(here, `There is no action ${action}`);
        else actions.add(action);
      }
    }
  }
  return actions;
}

const mustBeObject = (label: string): string => `${label} must be an object`;

/** The entries of an object of objects with their places. */
function entriesOf(value: unknown, place: Place, failures: Failures): [string, Place, Body][] {
  if (!isObject(value)) {
    failures.add(place, mustBeObject);
    return [];
  }
  return Object.entries(value).flatMap(([key, item]): [string, Place, Body][] => {
    const here = below(place, key);
    if (isObject(item)) return [[key, here, item]];
    failures.add(here, mustBeObject);
    return [];
  });
}

/** A list of roles, and the numbers of their accounts, that the server reads with project code around it. */
export async function listedRoles<T extends { readonly id: number }>(
  around: AroundRows | undefined,
  read: () => Promise<T[]>,
  accountsOf: (role: T) => number,
): Promise<T[]> {
  const found = (roles: readonly T[]) => roles.map(({ id }) => id);
  const roles = await readRows(around, ROLE_UID, 'findMany', () => ({ params: { sort: ['name'] }, found }), read);
  for (const role of roles) {
    const params = { where: { role: { id: role.id } } };
    await readRows(
      around,
      USER_UID,
      'count',
      () => ({ params, found: Number }),
      async () => accountsOf(role),
    );
  }
  return roles;
}

/** A role that the server reads, with project code around it. */
export function oneRole<T>(around: AroundRows | undefined, id: number | undefined, read: () => Promise<T>): Promise<T> {
  const announced = () => ({
    params: { where: { id }, populate: ['permissions'] },
    found: () => (id === undefined ? [] : [id]),
  });
  return readRows(around, ROLE_UID, 'findOne', announced, read);
}
