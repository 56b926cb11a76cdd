/**
 * The locks that a write takes until its transaction ends, so that two writers of one thing take turns: on the document
 * and those that it links to, a single type, a unique value. Engines where writers take turns anyway take none.
 */
import type { WrittenRow } from '../../access/permitted-write.ts';
import type { Lock } from '../../db/interface/transaction.ts';
import { validation } from '../../errors.ts';
import { isExclusive } from '../../plan/link-place.ts';
import { type ContentType, FILE_UID, type Model, type RelationAttribute } from '../../schema/catalog.ts';
import type { WriteContext } from './write-context.ts';

/**
 * Keys of each kind. A transaction may name any number of documents, and an engine's lock table is bounded, for all
 * transactions together: what shares a key only waits a little more often.
 */
const KEYS = 1024;

/**
 * What is locked, in the order in which a write takes the locks. A transaction waits for a lock that comes behind all
 * those that it has, and gives way for any other (`Transaction.lock`).
 */
const KINDS = ['single', 'document', 'locale', 'value', 'list'] as const;
type Kind = (typeof KINDS)[number];

/** The key of a thing among those of its kind. */
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

/** A document. Locked shared by those that link to it: meanwhile it is neither published nor removed. */
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

/** The list of all links to one row, in the order of that row's side: locked by whoever adds a link to it. */
export function listLock(table: string, target: string, row: number): Lock {
  return { key: sharedKeyOf('list', `${table} ${target} ${row}`), shared: false };
}

/** A locale: shared by those that make versions in it, exclusive for whoever removes it. */
export function localeLock(code: string, shared: boolean): Lock {
  return { key: keyOf('locale', code), shared };
}

/**
 * Makes sure that a locale is there, and stays until the transaction ends.
 *
 * @throws ContentError 400 for one that is gone.
 */
export async function requireLocale({ tables, tx }: WriteContext, code: string): Promise<void> {
  await tx.lock(() => [localeLock(code, true)], false);
  const [row] = await tables.select('i18n_locale', ['id'], { code });
  if (!row) throw validation(`Locale "${code}" not found`);
}

/** The documents and files that a body links to by document id, those of its components included. */
export function locksOfLinks(row: WrittenRow): Lock[] {
  const locks: Lock[] = [];
  for (const [name, edit] of row.relations) {
    const attribute = row.model.attributes.get(name) as RelationAttribute;
    const entries = edit.kind === 'set' ? edit.entries : [...edit.connect, ...edit.disconnect];
    for (const { documentId, type } of entries) {
      if (documentId === undefined) continue;
      // what may be linked from one source only is taken from another: the two writers take turns at it
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
