/** `/users-permissions/roles`: the roles with their grants, shown and changed (docs/reference/accounts.md). */
import type { Views } from '../../access/views.ts';
import type { Reader } from '../../content/reading/reader.ts';
import { recordRowChange } from '../../content/writing/changes.ts';
import { MAX_ROW_ID } from '../../content/writing/rows/row-ids.ts';
import type { Writer } from '../../content/writing/writer.ts';
import type { Database } from '../../db/database.ts';
import { execute, query, selectRows, updateRows } from '../../db/statements.ts';
import type { Transaction } from '../../db/transaction.ts';
import { type ContentError, notFound, refusal } from '../../errors.ts';
import { at, validationFailure } from '../../failures.ts';
import { everything } from '../../query/page.ts';
import { type Catalog, type ContentType, ROLE_UID } from '../../schema/catalog.ts';
import {
  compileCountByRole,
  compileDeleteSharedAccounts,
  compileLastAccountOrder,
  compileLockRole,
  compileMoveAccounts,
  compileRenameRole,
} from '../../sql/accounts/roles.ts';
import { readSettings } from '../accounts/account-settings.ts';
import { type ActionTree, actionTree, grantableActions } from './actions.ts';
import { requireBody, wantedRole } from './role-bodies.ts';
import { grantedActions, makeRole, setRoleGrants } from './roles.ts';

export interface RolesContext {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly views: Views;
  /** Actions of the project's own routes. */
  readonly actions: readonly string[];
}

const roleNotFound = () => notFound('Role not found');

export class Roles {
  readonly #context: RolesContext;
  readonly #type: ContentType;
  readonly #actions: ReadonlySet<string>;

  constructor(context: RolesContext) {
    this.#context = context;
    this.#type = context.catalog.contentTypes.get(ROLE_UID)!;
    this.#actions = grantableActions(context.catalog, context.actions);
  }

  /** The names of all actions that may be granted. */
  get grantable(): ReadonlySet<string> {
    return this.#actions;
  }

  /** All actions of the project, none of them enabled. */
  actions(): ActionTree {
    return actionTree(this.#actions);
  }

  /** The records of all roles, with the number of their accounts as `nb_users`. */
  async list(): Promise<object[]> {
    const { reader, database, views } = this.#context;
    const { data } = await reader.list(this.#type, views.full, { sort: 'id' }, { page: everything });
    const rows = await query(database, compileCountByRole());
    const counts = new Map(rows.map(([role, count]) => [Number(role), Number(count)]));
    const roles = JSON.parse(data) as { id: number }[];
    return roles.map((role) => ({ ...role, nb_users: counts.get(role.id) ?? 0 }));
  }

  /**
   * The record of a role with all actions, those that it is granted enabled.
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

  /**
   * Makes a role, and gives its id. Without a `type` its name in snake case is that.
   *
   * @throws ContentError 400 for a body that is wrong, and for a type that another role has.
   */
  async create(raw: unknown): Promise<number> {
    const { name, description = null, type: given, actions } = wantedRole(raw, this.#actions);
    if (name === undefined) throw failure('name', 'name is a required field');
    const type = given ?? snakeCase(name);
    if (type === '') throw failure('type', 'type must be given where the name has neither letters nor digits');
    return this.#context.database.transaction(async (tx) => {
      const id = await makeRole(tx, this.#type, { type, name, description });
      if (id === undefined) throw failure('type', 'This attribute must be unique');
      await setRoleGrants(tx, id, actions ?? []);
      return id;
    });
  }

  /**
   * Changes the name, description and grants of a role: what the body does not mention stays. Grants that it has and
   * the project no longer knows may be kept.
   *
   * @throws ContentError 404 for no such role, 400 for a body that is wrong.
   */
  async update(id: number, raw: unknown): Promise<void> {
    requireBody(raw);
    await this.#context.database.transaction(async (tx) => {
      if (id > MAX_ROW_ID) throw roleNotFound();
      const [found] = await execute(tx, compileLockRole(), [id]);
      if (!found) throw roleNotFound();
      recordRowChange(tx, ROLE_UID, String(found[0]), 'updated', id);
      const granted = await grantedActions(tx, id);
      const { name, description, actions } = wantedRole(raw, new Set([...this.#actions, ...granted]));
      await execute(tx, compileRenameRole(), [name ?? null, tx.dialect.encodeTime(Date.now()), id]);
      if (description !== undefined) await updateRows(tx, 'up_roles', { description }, { id });
      if (actions) await setRoleGrants(tx, id, actions);
    });
  }

  /**
   * Deletes a role; its accounts get the role `public`, as in the reference.
   *
   * @throws ContentError 404 for no such role, 400 for one that the server itself relies on.
   */
  async remove(id: number): Promise<void> {
    const { writer, views } = this.#context;
    await this.#context.database.transaction(async (tx) => {
      const rows = await selectRows(tx, 'up_roles', ['id', 'type', 'document_id'], {});
      const [, type, documentId] = rows.find(([roleId]) => Number(roleId) === id) ?? [];
      if (documentId === undefined) throw roleNotFound();
      const { defaultRole } = await readSettings(tx);
      if (['public', 'authenticated', defaultRole].includes(String(type))) {
        throw refusal(`Cannot delete ${type} role`);
      }
      const open = rows.find(([, other]) => other === 'public');
      if (open) await moveAccounts(tx, id, Number(open[0]));
      await setRoleGrants(tx, id, []);
      const removal = { type: this.#type, viewer: views.full, documentId: String(documentId), locales: undefined };
      await writer.deleteIn(tx, removal);
    });
  }
}

/** Gives the accounts of a role another one, behind those that have it. */
async function moveAccounts(tx: Transaction, from: number, to: number): Promise<void> {
  await execute(tx, compileDeleteSharedAccounts(), [from, to]);
  const [last] = await query(tx, compileLastAccountOrder(), [to]);
  await execute(tx, compileMoveAccounts(), [to, Number(last![0]), from]);
}

const failure = (key: string, message: string): ContentError => validationFailure(at(key), message);

/** `Éditeur en chef 2` → `editeur_en_chef_2`. */
function snakeCase(name: string): string {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/\p{L}+|\p{N}+/gu) ?? []).join('_').slice(0, 255);
}
