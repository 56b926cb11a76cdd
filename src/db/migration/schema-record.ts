/** The record of the schemas to which the content of a database belongs, and what the reference records of them. */
import { objectOrEmpty } from '../../plain-values.ts';
import type { SchemaRecord } from '../../schema/built-in.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { readEntry, readSetting, storeEntry, storeSetting } from '../interface/core-store.ts';
import type { Queryable } from '../interface/queryable.ts';
import type { Transaction } from '../interface/transaction.ts';

/** The core-store entry of Galley's record. */
const RECORD = 'galley_schemas';
/** The core-store entry in which the reference records content types at each start. */
const REFERENCE_RECORD = 'strapi_content_types_schema';

/**
 * The schemas to which the content of a database belongs; undefined if neither program has recorded any.
 *
 * @param now the schemas of now: the reference records no components.
 */
export async function readRecord(
  db: Queryable,
  existing: { has(table: string): boolean },
  now: SchemaRecord,
): Promise<SchemaRecord | undefined> {
  if (!existing.has(CORE_STORE_TABLE)) return undefined;
  const text = await readEntry(db, RECORD);
  if (text !== undefined) return JSON.parse(text) as SchemaRecord;
  const reference = Object.entries(await readSetting(db, REFERENCE_RECORD)).filter(([uid]) => uid.startsWith('api::'));
  if (reference.length === 0) return undefined;
  const components = Object.entries(now).filter(([uid]) => !uid.includes('::'));
  return Object.fromEntries([...components, ...reference.map(([uid, raw]) => [uid, objectOrEmpty(raw)])]);
}

/** Stores the record. The caller holds the lock of the schema. */
export const storeRecord = (tx: Transaction, record: SchemaRecord): Promise<void> =>
  storeEntry(tx, RECORD, JSON.stringify(record), 'object');

/**
 * Changes what the reference has recorded of content types, so that it does not switch drafts and locales at its next start
 * which are switched already. The caller holds the lock of the schema.
 *
 * @param types the former uids by those of now.
 */
export async function updateReferenceRecord(
  tx: Transaction,
  { contentTypes }: Catalog,
  types: ReadonlyMap<string, string>,
): Promise<void> {
  const recorded = await readSetting(tx, REFERENCE_RECORD);
  const changed = [...contentTypes.values()].flatMap(({ uid, draftAndPublish, localized }): [string, object][] => {
    const raw = recorded[types.get(uid) ?? uid];
    if (raw === undefined) return [];
    const { options, pluginOptions, ...rest } = objectOrEmpty(raw);
    const others = objectOrEmpty(pluginOptions);
    const i18n = { ...objectOrEmpty(others['i18n']), localized };
    return [
      [uid, { ...rest, options: { ...objectOrEmpty(options), draftAndPublish }, pluginOptions: { ...others, i18n } }],
    ];
  });
  if (changed.length === 0) return;
  const left = Object.entries(recorded).filter(([uid]) => ![...types.values()].includes(uid));
  await storeSetting(tx, REFERENCE_RECORD, Object.fromEntries([...left, ...changed]) as typeof recorded);
}
