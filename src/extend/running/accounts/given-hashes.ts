/** Hashes of passwords that code has been given: written as a password, each is stored as it is. */
import { hashPassword } from '../../../content/validation/password-hashing.ts';
import { LruCache } from '../../../lru-cache.ts';

/** Of this process, with a cap. */
const given = new LruCache<string, true>(1000);

/**
 * The hash of a password, for code.
 *
 * @throws TypeError for what is no text: a setting that is missing must not become a password.
 */
export async function giveHash(password: unknown): Promise<string> {
  if (typeof password !== 'string' || password === '')
    throw new TypeError('a password to be hashed must be a text that is not empty');
  const hash = await hashPassword(password);
  given.set(hash, true);
  return hash;
}

/** Whether a text is a hash that code has been given. */
export const isGivenHash = (text: string): boolean => given.get(text) === true;
