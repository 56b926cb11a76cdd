/**
 * Passwords in data that listeners are told of: they are shown hashes, as in the reference. What is written are the
 * passwords themselves, which have to be checked, and are hashed when they are stored.
 */
import { hashPassword, isTooLong } from '../../../content/validation/password-hashing.ts';
import { MAX_PASSWORDS } from '../../../content/validation/passwords.ts';
import type { Catalog, Model } from '../../../schema/catalog.ts';
import { isGivenHash } from '../accounts/given-hashes.ts';
import { mapped } from './known-data.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

export class ToldPasswords {
  readonly #catalog: Catalog;
  readonly #hashes = new Map<string, string>();
  readonly #passwords = new Map<string, string>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Data with hashes in the places of its passwords, those of components included. */
  async hidden(model: Model, data: Params): Promise<Params> {
    const left = { ...data };
    for (const { name, type, ...attribute } of model.attributes.values()) {
      const value: unknown = data[name];
      if (type === 'password') left[name] = await this.#hash(value);
      else if (type === 'component' || type === 'dynamiczone') {
        const uid = 'component' in attribute ? attribute.component : undefined;
        const entries = [value].flat().map((entry) => this.#hiddenEntry(uid, entry));
        left[name] = Array.isArray(value) ? await Promise.all(entries) : await entries[0];
      }
      if (!(name in data)) delete left[name];
    }
    return left;
  }

  #hiddenEntry(uid: string | undefined, entry: unknown): Promise<unknown> | unknown {
    const model = isPlain(entry) ? this.#catalog.components.get(uid ?? String(entry['__component'])) : undefined;
    return model ? this.hidden(model, entry as Params) : entry;
  }

  /** What no password can be is refused when it is written, and so are too many. */
  async #hash(value: unknown): Promise<unknown> {
    if (typeof value !== 'string' || value === '' || isTooLong(value) || isGivenHash(value)) return value;
    const known = this.#hashes.get(value);
    if (known !== undefined || this.#hashes.size >= MAX_PASSWORDS) return known ?? value;
    const hash = await hashPassword(value);
    this.#hashes.set(value, hash);
    this.#passwords.set(hash, value);
    return hash;
  }

  /** Data as listeners have left it, with the passwords in the places of the hashes that they were shown. */
  restored<T>(data: T): T {
    if (this.#passwords.size === 0) return data;
    return mapped(data, (value) => this.#passwords.get(value as string) ?? value) as T;
  }
}
