/** Passwords in a written row: hashed before the transaction begins, since a hash takes longer than all the rest. */
import type { WrittenRow } from '../../access/permitted.ts';
import { validation } from '../../errors.ts';
import { LruCache } from '../../lru-cache.ts';
import type { SchemaIndex } from '../../schema/schema-index.ts';
import { hashPassword } from './password-hashing.ts';
import { KeptHash } from './validate.ts';

/** Hashes of the passwords in a body, by password. They are computed before the transaction begins: hashing is slow. */
export type Hashes = ReadonlyMap<string, string>;

/** Passwords of one request, all operations of a batch together: a hash takes some 50 ms. */
export const MAX_PASSWORDS = 20;

/** Passwords in a row and in the components inside it, each once. */
export interface Passwords {
  /** Passwords in the body. */
  readonly written: ReadonlySet<string>;
  /** Defaults of the schema that a new row may take. */
  readonly defaults: ReadonlySet<string>;
  /** Hashes that are there already. */
  readonly kept?: ReadonlySet<string>;
}

/**
 * The passwords that a row may store.
 *
 * @param most how many the body may have.
 * @throws ContentError 400 for more.
 */
export function passwordsOf(index: SchemaIndex, row: WrittenRow, most: number = MAX_PASSWORDS): Passwords {
  const written = new Set<string>();
  const defaults = new Set<string>();
  const hashes = new Set<string>();
  collectPasswords(index, row, { written, defaults, kept: hashes });
  if (written.size > most) throw validation(`A request can have at most ${MAX_PASSWORDS} passwords`);
  return { written, defaults, kept: hashes };
}

/** Hashes each password. @param known hashes that exist already. */
export async function hashPasswords(
  { written, defaults, kept = new Set() }: Passwords,
  known?: Hashes,
): Promise<Hashes> {
  const hashes = new Map([...kept].map((hash) => [hash, hash]));
  for (const password of defaults) hashes.set(password, await hashOfDefault(password));
  for (const password of written) hashes.set(password, known?.get(password) ?? (await hashPassword(password)));
  return hashes;
}

/** A bounded cache of the hashes of defaults: a default is in the schema, and equal for all accounts that take it. */
const hashesOfDefaults = new LruCache<string, Promise<string>>(100);

function hashOfDefault(password: string): Promise<string> {
  const cached = hashesOfDefaults.get(password);
  if (cached) return cached;
  const hash = hashPassword(password);
  hashesOfDefaults.set(password, hash);
  // a hash that failed because too many passwords waited may succeed later
  hash.catch(() => hashesOfDefaults.delete(password));
  return hash;
}

type Collected = { readonly [Kind in keyof Passwords]-?: Set<string> };

function collectPasswords(index: SchemaIndex, row: WrittenRow, collected: Collected): void {
  for (const { name, default: value } of index.passwords(row.model.uid)) {
    const written = row.scalars.get(name);
    if (typeof written === 'string') collected.written.add(written);
    else if (written instanceof KeptHash) collected.kept.add(written.hash);
    else if (written === undefined && typeof value === 'string') collected.defaults.add(value);
  }
  for (const { entries } of row.components.values()) {
    for (const entry of entries ?? []) if (entry.kind === 'row') collectPasswords(index, entry.row, collected);
  }
}
