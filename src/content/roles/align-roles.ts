/** Aligns the roles of administrators with the schema and the locales (access/administrators/role-alignment.ts). */
import {
  type Alignment,
  type AlignmentState,
  align,
  type Restriction,
  receiptSentences,
  type TypeRecord,
  type TypeShape,
} from '../../access/administrators/role-alignment.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { insertRow, jsonOf, selectRows, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { ROLE_RECORDS_TABLE } from '../../sql/administrators/accounts.ts';
import { insertPermission, listRolePermissions, lockRoles, updatePermission } from './role-rows.ts';

/** The subject of the row that contains the receivers of new types. */
const RECEIVERS = '';

/**
 * Grants every role the permissions that it should receive since the last alignment. Writes nothing if nothing has
 * changed, and may run in several processes at once.
 *
 * @param types the types of the schema (`typeShapes`).
 * @returns a sentence for each role and type that has received something.
 */
export async function alignRoles(database: Database, types: ReadonlyMap<string, TypeShape>): Promise<string[]> {
  const state = await readState(database, types);
  if (changedRecords(state, align(state)).length === 0) return [];
  return database.transaction((tx) => alignRolesIn(tx, types));
}

/**
 * The same in a transaction.
 *
 * @param types undefined if the schema has not changed: the types of the last alignment.
 * @param restrictions of permissions that an operator has just written, by row id.
 */
export async function alignRolesIn(
  tx: Transaction,
  types?: ReadonlyMap<string, TypeShape>,
  restrictions: ReadonlyMap<number, Restriction> = new Map(),
): Promise<string[]> {
  await lockRoles(tx);
  const state = { ...(await readState(tx, types)), restrictions };
  const alignment = align(state);
  for (const { id, properties } of alignment.updates) await updatePermission(tx, id, properties);
  for (const permission of alignment.inserts) await insertPermission(tx, permission);
  // the row ids of new permissions belong to the record
  const { records, receivers } = alignment;
  const permissions = await listRolePermissions(tx);
  const aligned = { ...alignment, records: align({ ...state, records, receivers, permissions }).records };
  for (const [subject, record] of changedRecords(state, aligned)) {
    if (state.stored.has(subject)) await updateRows(tx, ROLE_RECORDS_TABLE, { record }, { subject });
    else await insertRow(tx, ROLE_RECORDS_TABLE, { subject, record });
  }
  return receiptSentences(alignment.receipts);
}

/** The permissions, by row id, with a fixed list of fields or locales, to which nothing is added. */
export async function readRestrictions(db: Queryable): Promise<ReadonlyMap<number, Restriction>> {
  const rows = await selectRows(db, ROLE_RECORDS_TABLE, ['subject', 'record'], {});
  const records = rows.flatMap(([subject, record]) => (subject === RECEIVERS ? [] : [jsonOf(record) as TypeRecord]));
  return new Map(
    records.flatMap(({ permissions }) =>
      Object.entries(permissions).map(([id, { fields, locales }]): [number, Restriction] => [
        Number(id),
        { fields: fields.length > 0, locales: locales.length > 0 },
      ]),
    ),
  );
}

interface StoredState extends AlignmentState {
  /** The text of each record. */
  readonly stored: ReadonlyMap<string, string>;
}

async function readState(db: Queryable, types?: ReadonlyMap<string, TypeShape>): Promise<StoredState> {
  const rows = await selectRows(db, ROLE_RECORDS_TABLE, ['subject', 'record'], {});
  const stored = new Map(rows.map(([subject, record]) => [String(subject), String(record)]));
  const receivers = stored.get(RECEIVERS);
  const records = new Map(
    [...stored].filter(([subject]) => subject !== RECEIVERS).map(([uid, text]) => [uid, jsonOf(text) as TypeRecord]),
  );
  const locales = await selectRows(db, 'i18n_locale', ['code'], {}, ['code']);
  return {
    types: types ?? recordedTypes(records),
    locales: locales.map(([code]) => String(code)),
    records,
    receivers: receivers === undefined ? undefined : (jsonOf(receivers) as number[]),
    permissions: await listRolePermissions(db),
    stored,
  };
}

const recordedTypes = (records: ReadonlyMap<string, TypeRecord>): ReadonlyMap<string, TypeShape> =>
  new Map(
    Array.from(records, ([uid, { fields, locales }]) => [
      uid,
      { fields, localized: locales !== null, isOffered: false },
    ]),
  );

/** The records that differ from the stored ones, as text. */
function changedRecords({ stored }: StoredState, { records, receivers }: Pick<Alignment, 'records' | 'receivers'>) {
  const wanted: (readonly [string, unknown])[] = [[RECEIVERS, receivers], ...records];
  const texts = wanted.map(([subject, record]): [string, string] => [subject, JSON.stringify(record)]);
  return texts.filter(([subject, text]) => stored.get(subject) !== text);
}
