/** Hashes of passwords that code has been given: written as a password, each is stored as it is. */
import { hashPassword } from '../../../content/validation/password-hashing.ts';
import { LruCache } from '../../../lru-cache.ts';

/** Of this process, with a cap. */
const given = new LruCache<string, true>(1000);

/** The hash of a password, for code. */
export async function giveHash(password: unknown): Promise<string> {
  const hash = await hashPassword(String(password));
  given.set(hash, true);
  return hash;
}

/** Whether a text is a hash that code has been given. */
export const isGivenHash = (text: string): boolean => given.get(text) === true;
