/**
 * Values that listeners receive besides the data of a write, as in the reference: the locale, hashes of passwords, and values
 * that the versions of a document share, which a new version takes over and a write of one changes in others.
 */
import { hashPassword, isTooLong } from '../../content/validation/password-hashing.ts';
import { MAX_PASSWORDS } from '../../content/validation/passwords.ts';
import { selectRows } from '../../db/interface/statements.ts';
import type { Attribute, Catalog, Component, ContentType, Model } from '../../schema/catalog.ts';
import { isIssuedHash } from '../accounts/account-hashes.ts';
import type { OperationsContext, Row } from './document-actions.ts';
import { defaultsOf } from './known-data.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

export class ListenerValues {
  readonly #runtime: OperationsContext['runtime'];
  readonly #type: ContentType;

  constructor({ runtime }: Pick<OperationsContext, 'runtime'>, type: ContentType) {
    this.#runtime = runtime;
    this.#type = type;
  }

  /** The names of attributes that the versions of a document share. */
  get #shared(): ReadonlySet<string> {
    const { writer, database } = this.#runtime;
    return writer.reading(database).plans.index.sharedAttributes(this.#type.uid);
  }

  #sharedOf(isMeant: (attribute: Attribute) => boolean): Attribute[] {
    return [...this.#shared].map((name) => this.#type.attributes.get(name)!).filter(isMeant);
  }

  /** The locale of a version that is written. */
  async locale(value: unknown): Promise<Params> {
    if (!this.#type.localized) return {};
    return { locale: typeof value === 'string' ? value : await this.#runtime.locales.default() };
  }

  /** The values that a created row gets besides its data. @param others reads a version whose shared values it takes over. */
  async beside(data: Params, others?: (populate: Params) => Promise<Row | undefined>): Promise<Params> {
    if (this.#type.builtIn) return {};
    if (!others) return defaultsOf(this.#type, data);
    const deep = this.#sharedOf(hasEntries).flatMap((attribute) => {
      const populate = this.#whole(attribute, []);
      return populate === undefined ? [] : [[attribute.name, populate] as const];
    });
    const media = this.#sharedOf(({ type }) => type === 'media').map(({ name }) => [name, true] as const);
    const row = await others(Object.fromEntries([...deep, ...media]));
    const values = row ? await this.#sharedIn(row) : {};
    const taken = Object.entries(values).filter(([name]) => data[name] === undefined || data[name] === null);
    const copies = taken.map(([name, value]) => [name, this.#copied(this.#type.attributes.get(name)!, value)] as const);
    return { ...defaultsOf(this.#type, data, this.#shared), ...Object.fromEntries(copies) };
  }

  /** `populate` for the shared values of a changed row. */
  get populate(): Params {
    const named = this.#sharedOf((attribute) => attribute.type === 'media' || hasEntries(attribute));
    return Object.fromEntries(named.map((attribute) => [attribute.name, shallow(attribute)]));
  }

  /** The shared values of a row that was populated so. */
  async #sharedIn(row: Row): Promise<Params> {
    const names = this.#sharedOf(({ type }) => type !== 'relation').map(({ name }) => name);
    const values = { ...row, ...(await this.hashes(row.id, new Set(names))) };
    return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
  }

  /** The data of a version that has taken shared values over. */
  async takenOver(row: Row): Promise<Params> {
    return { ...(await this.#sharedIn(row)), updatedAt: row['updatedAt'] };
  }

  /** The hashes of the passwords of a row, those of attributes of these names alone. */
  async hashes(id: number, names?: ReadonlySet<string>): Promise<Params> {
    const { writer, database, layout } = this.#runtime;
    const all = this.#type.builtIn ? [] : writer.reading(database).plans.index.passwords(this.#type.uid);
    const passwords = all.filter(({ name }) => names?.has(name) ?? true);
    if (passwords.length === 0) return {};
    const { table, columns } = layout.models.get(this.#type.uid)!;
    const [stored = []] = await selectRows(
      database,
      table,
      passwords.map(({ name }) => columns.get(name)!),
      { id },
    );
    return Object.fromEntries(passwords.map(({ name }, index) => [name, stored[index] ?? null]));
  }

  #componentsOf(attribute: Attribute): readonly Component[] {
    return uidsOf(attribute).flatMap((uid) => this.#runtime.catalog.components.get(uid) ?? []);
  }

  /**
   * `populate` for all entries of an attribute; undefined where a component contains itself or a password: a changed entry is
   * written as a whole, and listeners do not see passwords.
   */
  #whole(attribute: Attribute, around: readonly Model[]): unknown {
    const below = new Map(this.#componentsOf(attribute).map((one) => [one.uid, this.#level(one, around)]));
    if ([...below.values()].includes(undefined)) return undefined;
    return attribute.type === 'component' ? below.get(attribute.component) : { on: Object.fromEntries(below) };
  }

  #level(component: Component, around: readonly Model[]): unknown {
    if (around.includes(component)) return undefined;
    const populate: Params = {};
    for (const attribute of component.attributes.values()) {
      if (attribute.type === 'password') return undefined;
      const leads = attribute.type === 'media' || attribute.type === 'relation';
      const within = leads || (hasEntries(attribute) ? this.#whole(attribute, [...around, component]) : false);
      if (within === undefined) return undefined;
      if (within !== false) populate[attribute.name] = within;
    }
    return Object.keys(populate).length > 0 ? { populate } : true;
  }

  /** A value in the form in which another row is written: entries without ids, and files by their ids. */
  #copied(attribute: Attribute, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#copied(attribute, one));
    if (!isPlain(value)) return value;
    if (attribute.type === 'media') return value['id'];
    if (!hasEntries(attribute)) return value;
    const uid = attribute.type === 'component' ? attribute.component : String(value['__component']);
    const component = this.#runtime.catalog.components.get(uid);
    const values = Object.entries(value).filter(([name]) => name !== 'id');
    return Object.fromEntries(
      values.map(([name, one]) => {
        const own = component?.attributes.get(name);
        return [name, own ? this.#copied(own, one) : one];
      }),
    );
  }
}

const uidsOf = (attribute: Attribute): readonly string[] =>
  attribute.type === 'component' ? [attribute.component] : attribute.type === 'dynamiczone' ? attribute.components : [];

const hasEntries = ({ type }: Attribute): boolean => type === 'component' || type === 'dynamiczone';

/** `populate` for an attribute with the values of its entries alone. */
const shallow = (attribute: Attribute): unknown =>
  attribute.type === 'dynamiczone' ? { on: Object.fromEntries(uidsOf(attribute).map((uid) => [uid, true])) } : true;

export class HashedPasswords {
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
   * Data after listeners have changed it, with passwords in place of the hashes that they received, in attributes that are
   * passwords: a hash that a listener stores elsewhere stays a hash.
   */
  restored(model: Model, data: Params): Params {
    return this.#passwords.size === 0
      ? data
      : this.#inPlaces(model, data, (value) => this.#passwords.get(value) ?? value);
  }

  /** Values that are no passwords stay as they are, and so do too many passwords: writing them is refused. */
  async #hash(value: unknown): Promise<void> {
    if (typeof value !== 'string' || value === '' || isTooLong(value) || isIssuedHash(value)) return;
    if (this.#hashes.has(value) || this.#hashes.size >= MAX_PASSWORDS) return;
    const hash = await hashPassword(value);
    this.#hashes.set(value, hash);
    this.#passwords.set(hash, value);
  }

  /** Data with other values in the places of its passwords. */
  #inPlaces(model: Model, data: Params, of: (value: unknown) => unknown): Params {
    const result = { ...data };
    for (const [name, value] of Object.entries(data)) {
      const attribute = model.attributes.get(name);
      const inEntry = (entry: unknown): unknown => {
        const component = this.#componentOf(attribute, entry);
        return component ? this.#inPlaces(component, entry as Params, of) : entry;
      };
      if (attribute?.type === 'password') result[name] = of(value);
      else if (attribute?.type === 'component' || attribute?.type === 'dynamiczone')
        result[name] = Array.isArray(value) ? value.map(inEntry) : inEntry(value);
    }
    return result;
  }

  /** The component of an entry; undefined for any other value. */
  #componentOf(attribute: Attribute | undefined, entry: unknown): Model | undefined {
    if (!isPlain(entry)) return undefined;
    if (attribute?.type === 'component') return this.#catalog.components.get(attribute.component);
    return attribute?.type === 'dynamiczone' ? this.#catalog.components.get(String(entry['__component'])) : undefined;
  }
}
