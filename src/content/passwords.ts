/** Passwords in a written row: hashed before the transaction begins, since a hash takes longer than all the rest. */
import bcrypt from 'bcryptjs';
import type { WrittenRow } from '../access/permitted-write.ts';
import type { Hashes } from './row-content.ts';

/** Rounds of password hashes, as the reference's. */
const HASH_ROUNDS = 10;

/** The hash of each password in a row and in the components inside it. */
export async function hashPasswords(row: WrittenRow): Promise<Hashes> {
  const hashes = new Map<string, string>();
  for (const password of passwordsOf(row)) hashes.set(password, await bcrypt.hash(password, HASH_ROUNDS));
  return hashes;
}

function passwordsOf(row: WrittenRow): Set<string> {
  const passwords = new Set<string>();
  for (const [name, value] of row.scalars) {
    if (row.model.attributes.get(name)?.type === 'password' && typeof value === 'string') passwords.add(value);
  }
  for (const { entries } of row.components.values()) {
    for (const entry of entries ?? []) {
      if (entry.kind === 'row') for (const password of passwordsOf(entry.row)) passwords.add(password);
    }
  }
  return passwords;
}
