/**
 * Passwords in data that listeners are told of: they are shown hashes, as in the reference. What is written are the
 * passwords themselves, which have to be checked, and are hashed when they are stored.
 */
import { hashPassword, isTooLong } from '../../../content/validation/password-hashing.ts';
import { MAX_PASSWORDS } from '../../../content/validation/passwords.ts';
import type { Attribute, Catalog, Model } from '../../../schema/catalog.ts';
import { isGivenHash } from '../accounts/given-hashes.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

const hasEntries = (attribute: Attribute | undefined): boolean =>
  attribute?.type === 'component' || attribute?.type === 'dynamiczone';

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
    for (const [name, value] of Object.entries(data)) {
      const attribute = model.attributes.get(name);
      if (attribute?.type === 'password') left[name] = await this.#hash(value);
      else if (Array.isArray(value) && hasEntries(attribute)) {
        left[name] = await Promise.all(value.map((entry) => this.#hiddenEntry(attribute, entry)));
      } else left[name] = await this.#hiddenEntry(attribute, value);
    }
    return left;
  }

  async #hiddenEntry(attribute: Attribute | undefined, entry: unknown): Promise<unknown> {
    const model = this.#modelOf(attribute, entry);
    return model ? this.hidden(model, entry as Params) : entry;
  }

  /** The component of an entry; undefined for any other value. */
  #modelOf(attribute: Attribute | undefined, entry: unknown): Model | undefined {
    if (!isPlain(entry)) return undefined;
    if (attribute?.type === 'component') return this.#catalog.components.get(attribute.component);
    return attribute?.type === 'dynamiczone' ? this.#catalog.components.get(String(entry['__component'])) : undefined;
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

  /**
   * Data as listeners have left it, with the passwords in the places of the hashes that they were shown, where these are
   * passwords still: what listeners keep elsewhere stays a hash.
   */
  restored(model: Model, data: Params): Params {
    if (this.#passwords.size === 0) return data;
    const left = { ...data };
    for (const [name, value] of Object.entries(data)) {
      const attribute = model.attributes.get(name);
      if (attribute?.type === 'password') left[name] = this.#passwords.get(value as string) ?? value;
      else if (Array.isArray(value) && hasEntries(attribute)) {
        left[name] = value.map((entry) => this.#restoredEntry(attribute, entry));
      } else left[name] = this.#restoredEntry(attribute, value);
    }
    return left;
  }

  #restoredEntry(attribute: Attribute | undefined, entry: unknown): unknown {
    const model = this.#modelOf(attribute, entry);
    return model ? this.restored(model, entry as Params) : entry;
  }
}
