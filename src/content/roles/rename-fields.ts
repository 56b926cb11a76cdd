/** Renames types and attributes in stored permissions, so that roles permit the same after the change. */
import { jsonOf, selectRows, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { isObject } from '../../plain-values.ts';
import type { Catalog, Model } from '../../schema/catalog.ts';
import type { FormerNames } from '../../schema/editing/places.ts';
import { ROLE_RECORDS_TABLE } from '../../sql/administrators/accounts.ts';
import { listRolePermissions, lockRoles, updatePermission } from './role-rows.ts';

/** Tables with actions of the content API: `api::article.article.find`. */
const ACTION_TABLES = ['up_permissions', 'strapi_api_token_permissions', 'galley_permissions'];

/**
 * Renames in the permissions of administrators, accounts and tokens.
 *
 * @param before the catalog with the former names.
 */
export async function renameInPermissions(tx: Transaction, before: Catalog, names: FormerNames): Promise<void> {
  const renaming = new Renaming(before, names);
  await lockRoles(tx);
  for (const { id, subject, properties } of await listRolePermissions(tx)) {
    if (subject === null) continue;
    const fields = isObject(properties) ? properties['fields'] : undefined;
    const renamed = renaming.fields(subject, fields);
    if (renamed !== fields) await updatePermission(tx, id, { ...(properties as object), fields: renamed });
    const now = renaming.uid(subject);
    if (now !== subject) await updateRows(tx, 'admin_permissions', { subject: now }, { id });
  }
  await renameInRecords(tx, renaming);
  if (names.types.size > 0) await renameActions(tx, renaming);
}

/** The records of the last alignment: an attribute that is new to them would be given to roles once more. */
async function renameInRecords(tx: Transaction, renaming: Renaming): Promise<void> {
  for (const [id, uid, text] of await selectRows(tx, ROLE_RECORDS_TABLE, ['id', 'subject', 'record'], {})) {
    const subject = String(uid);
    const record = jsonOf(text);
    if (!isObject(record)) continue;
    const permissions = Object.entries(isObject(record['permissions']) ? record['permissions'] : {});
    const renamed = {
      ...record,
      fields: renaming.fields(subject, record['fields']),
      permissions: Object.fromEntries(
        permissions.map(([key, one]) => {
          return [key, isObject(one) ? { ...one, fields: renaming.fields(subject, one['fields']) } : one];
        }),
      ),
    };
    const changed = { subject: renaming.uid(subject), record: JSON.stringify(renamed) };
    if (changed.record !== JSON.stringify(record) || changed.subject !== subject) {
      await updateRows(tx, ROLE_RECORDS_TABLE, changed, { id: Number(id) });
    }
  }
}

async function renameActions(tx: Transaction, renaming: Renaming): Promise<void> {
  for (const table of ACTION_TABLES) {
    for (const [id, text] of await selectRows(tx, table, ['id', 'action'], {})) {
      const action = String(text);
      const end = action.lastIndexOf('.');
      const now = `${renaming.uid(action.slice(0, end))}${action.slice(end)}`;
      if (now !== action) await updateRows(tx, table, { action: now }, { id: Number(id) });
    }
  }
}

class Renaming {
  readonly #before: Catalog;
  readonly #types: ReadonlyMap<string, string>;
  readonly #attributes: ReadonlyMap<string, ReadonlyMap<string, string>>;

  constructor(before: Catalog, { types, attributes }: FormerNames) {
    this.#before = before;
    this.#types = new Map(Array.from(types, ([now, former]) => [former, now]));
    this.#attributes = new Map(
      Array.from(attributes, ([uid, all]) => [
        types.get(uid) ?? uid,
        new Map(Array.from(all, ([now, former]) => [former, now])),
      ]),
    );
  }

  uid(former: string): string {
    return this.#types.get(former) ?? former;
  }

  /** A list of dotted names with the new ones; the same list if none has changed. */
  fields(uid: string, fields: unknown): unknown {
    if (!Array.isArray(fields) || this.#attributes.size === 0) return fields;
    const renamed = fields.map((field) =>
      typeof field === 'string' ? this.#path(uid, field.split('.')).join('.') : field,
    );
    return renamed.some((field, i) => field !== fields[i]) ? renamed : fields;
  }

  #path(uid: string, [name, ...rest]: readonly string[]): string[] {
    const model: Model | undefined = this.#before.contentTypes.get(uid) ?? this.#before.components.get(uid);
    const attribute = model?.attributes.get(name!);
    const now = this.#attributes.get(uid)?.get(name!) ?? name!;
    if (rest.length === 0) return [now];
    return [now, ...(attribute?.type === 'component' ? this.#path(attribute.component, rest) : rest)];
  }
}
