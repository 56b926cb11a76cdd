/** Document ids (behaviour-storage.md, "Columns": a letter and 23 of `[a-z0-9]`). */
import { randomBytes } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABET = `${LETTERS}0123456789`;
const LENGTH = 24;

/** A new document id: a letter and 23 letters or digits, cryptographically random and without bias. */
export function createDocumentId(): string {
  let id = '';
  while (id.length < LENGTH) {
    const alphabet = id === '' ? LETTERS : ALPHABET;
    // Bytes beyond the largest multiple of the alphabet's size would favour its first letters.
    const limit = 256 - (256 % alphabet.length);
    for (const byte of randomBytes(id === '' ? 4 : 32)) {
      if (byte >= limit) continue;
      id += alphabet[byte % alphabet.length];
      if (id.length === LENGTH || id.length === 1) break;
    }
  }
  return id;
}
