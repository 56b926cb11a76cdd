/** Document ids of the form that Strapi 5 gives them: a letter and 23 of `[a-z0-9]`. */
import { randomFillSync } from 'node:crypto';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALPHABET = `${LETTERS}0123456789`;
const LENGTH = 24;
/** Random bytes asked for at once: each call of the generator costs more than the bytes. */
const POOL = 4096;
const pool = Buffer.alloc(POOL);
let used = POOL;

function nextByte(): number {
  if (used === POOL) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++]!;
}

/** A new document id: a letter and 23 letters or digits, cryptographically random and without bias. */
export function createDocumentId(): string {
  let id = '';
  while (id.length < LENGTH) {
    const alphabet = id === '' ? LETTERS : ALPHABET;
    // Bytes beyond the largest multiple of the alphabet's size would favour its first letters.
    const limit = 256 - (256 % alphabet.length);
    const byte = nextByte();
    if (byte < limit) id += alphabet[byte % alphabet.length];
  }
  return id;
}
