/**
 * Passwords in data that listeners are told of: they are shown hashes, as in the reference. What is written are the
 * passwords themselves, which have to be checked, and are hashed when they are stored.
 */
import { hashPassword, isTooLong } from '../../../content/validation/password-hashing.ts';
import { MAX_PASSWORDS } from '../../../content/validation/passwords.ts';
import type { Attribute, Catalog, Model } from '../../../schema/catalog.ts';
import { isGivenHash } from '../accounts/account-hash.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

export class ToldPasswords {
  readonly #catalog: Catalog;
  readonly #hashes = new Map<unknown, string>();
  readonly #passwords = new Map<unknown, string>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** Data with hashes in the places of its passwords, those of components included. */
  async hidden(model: Model, data: Params): Promise<Params> {
    const found: unknown[] = [];
    this.#inPlaces(model, data, (value) => found.push(value));
    for (const value of found) await this.#hash(value);
    return this.#inPlaces(model, data, (value) => this.#hashes.get(value) ?? value);
  }

  /**
   * Data as listeners have left it, with the passwords in the places of the hashes that they were shown, where these are
   * passwords still: what listeners keep elsewhere stays a hash.
   */
  restored(model: Model, data: Params): Params {
    return this.#passwords.size === 0
      ? data
      : this.#inPlaces(model, data, (value) => this.#passwords.get(value) ?? value);
  }

  /** What no password can be is refused when it is written, and so are too many: both stay as they are. */
  async #hash(value: unknown): Promise<void> {
    if (typeof value !== 'string' || value === '' || isTooLong(value) || isGivenHash(value)) return;
    if (this.#hashes.has(value) || this.#hashes.size >= MAX_PASSWORDS) return;
    const hash = await hashPassword(value);
    this.#hashes.set(value, hash);
    this.#passwords.set(hash, value);
  }

  /** Data with other values in the places of its passwords. */
  #inPlaces(model: Model, data: Params, of: (value: unknown) => unknown): Params {
    const left = { ...data };
    for (const [name, value] of Object.entries(data)) {
      const attribute = model.attributes.get(name);
      const inEntry = (entry: unknown): unknown => {
        const component = this.#componentOf(attribute, entry);
        return component ? this.#inPlaces(component, entry as Params, of) : entry;
      };
      if (attribute?.type === 'password') left[name] = of(value);
      else if (attribute?.type === 'component' || attribute?.type === 'dynamiczone')
        left[name] = Array.isArray(value) ? value.map(inEntry) : inEntry(value);
    }
    return left;
  }

  /** The component of an entry; undefined for any other value. */
  #componentOf(attribute: Attribute | undefined, entry: unknown): Model | undefined {
    if (!isPlain(entry)) return undefined;
    if (attribute?.type === 'component') return this.#catalog.components.get(attribute.component);
    return attribute?.type === 'dynamiczone' ? this.#catalog.components.get(String(entry['__component'])) : undefined;
  }
}
