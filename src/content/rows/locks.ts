/**
 * The locks that a write holds until its transaction ends, so that two writers of the same document, single type or
 * unique value run one after the other. Engines that allow one writer at a time take no locks.
 */
import type { WrittenRow } from '../../access/permitted.ts';
import type { Lock } from '../../db/interface/transaction.ts';
import { validation } from '../../errors.ts';
import { isExclusive } from '../../plan/link-place.ts';
import { type ContentType, FILE_UID, type Model, type RelationAttribute } from '../../schema/catalog.ts';
import type { WriteContext } from './write-context.ts';

/**
 * Keys per kind. A transaction may lock any number of documents, and an engine's lock table is bounded, for all
 * transactions together. Two things that share a key only wait a little more often.
 */
const KEYS = 1024;

/**
 * Kinds of locks, in the order in which a write takes them. A transaction waits for a lock that follows all locks it
 * holds, and gives way for any other (`Transaction.lock`).
 */
const KINDS = ['single', 'document', 'locale', 'value', 'list'] as const;
type Kind = (typeof KINDS)[number];

/** The key of one object among those of its kind. */
function keyOf(kind: Kind, name: string): string {
  return `galley ${KINDS.indexOf(kind)} ${kind} ${name}`;
}

/** The same for kinds of which there are many things: one of a few keys. */
function sharedKeyOf(kind: Kind, name: string): string {
  // FNV-1a
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return keyOf(kind, String((hash >>> 0) % KEYS));
}

/** A document. Documents that link to it lock it shared, so that it is neither published nor removed meanwhile. */
export function documentLock(uid: string, documentId: string, shared = false): Lock {
  return { key: sharedKeyOf('document', `${uid} ${documentId}`), shared };
}

/** The document of a single type, which may not be there yet. */
export function singleLock(type: ContentType): Lock {
  return { key: keyOf('single', type.uid), shared: false };
}

/** A value that only one document may have. */
export function valueLock(model: Model, column: string, locale: string | null, value: unknown): Lock {
  return { key: sharedKeyOf('value', `${model.uid} ${column} ${locale} ${value}`), shared: false };
}

/** The list of all links to one row, in that row's order. A writer that adds a link to the list locks it. */
export function listLock(table: string, target: string, row: number): Lock {
  return { key: sharedKeyOf('list', `${table} ${target} ${row}`), shared: false };
}

/** A locale: shared by writers that create versions in it, exclusive for its removal. */
export function localeLock(code: string, shared: boolean): Lock {
  return { key: keyOf('locale', code), shared };
}

/**
 * Ensures that a locale exists until the transaction ends.
 *
 * @throws ContentError 400 if it no longer exists.
 */
export async function requireLocale({ tables, tx }: WriteContext, code: string): Promise<void> {
  await tx.lock(() => [localeLock(code, true)], false);
  const [row] = await tables.select('i18n_locale', ['id'], { code });
  if (!row) throw validation(`Locale "${code}" not found`);
}

/** The documents and files that a body names by document id, those in its components included. */
export function locksOfLinks(row: WrittenRow): Lock[] {
  const locks: Lock[] = [];
  for (const [name, edit] of row.relations) {
    const attribute = row.model.attributes.get(name) as RelationAttribute;
    const entries = edit.kind === 'set' ? edit.entries : [...edit.connect, ...edit.disconnect];
    for (const { documentId, type } of entries) {
      if (documentId === undefined) continue;
      // an exclusive link is taken from another document, so the two writers take turns
      locks.push(documentLock(attribute.target ?? type!, documentId, !isExclusive(attribute)));
    }
  }
  for (const entries of row.media.values()) {
    for (const { documentId } of entries) {
      if (documentId !== undefined) locks.push(documentLock(FILE_UID, documentId, true));
    }
  }
  for (const { entries } of row.components.values()) {
    for (const entry of entries ?? []) if (entry.kind === 'row') locks.push(...locksOfLinks(entry.row));
  }
  return locks;
}
