/**
 * Lifecycles of components: listeners are notified of each entry that a write of its owner creates, changes, copies or
 * removes, inner entries first. Their changes are written with the owner.
 */
import type { Attribute, Catalog, Component, ContentType, Model } from '../../schema/catalog.ts';
import { unsupported } from '../guarded.ts';
import { changesOf, copied, defaultsOf, putTimes, withoutTimes } from './known-data.ts';
import type { Lifecycles, Moment, Params, States } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

/** The path of an entry in its row: alternating names of attributes and indexes of lists. */
type Place = readonly (string | number)[];

/** The event that listeners received before a change of an entry. */
interface NotifiedEntry {
  readonly uid: string;
  readonly moment: Moment;
  readonly place: Place;
  readonly states: States;
  readonly params: Params;
  /** The data as they were shown it. */
  readonly shown: Params;
  /** One that is removed, as it was. */
  readonly removed?: Params;
}

/** Entries whose listeners were notified, before they are written. */
export interface BegunEntries {
  /** Values of the owner that contain the changes of listeners to copied entries. @param whole the written copy. */
  changes(whole: Params): Params;
  /** Notifies listeners that the entries are written. @param whole reads their owner with all entries. */
  end(whole: () => Promise<Params | null>): Promise<void>;
}

/** The event that listeners received before a change of a row. */
export interface Notified {
  readonly states: States;
  readonly params: Params;
  /** The data after listeners changed it, and before. */
  readonly data: Params;
  readonly shown: Params;
  /** Entries of components that are written with the row. */
  readonly entries: BegunEntries;
}

export const NO_ENTRIES: BegunEntries = { changes: () => ({}), end: async () => {} };

const MOMENTS = ['Create', 'Update', 'Delete'] as const;

export class ComponentRows {
  readonly #catalog: Catalog;
  readonly #lifecycles: Lifecycles;
  readonly #within = new Map<string, readonly Component[]>();

  constructor(catalog: Catalog, lifecycles: Lifecycles) {
    this.#catalog = catalog;
    this.#lifecycles = lifecycles;
  }

  /** Whether components within a type, at any depth, have listeners to writes. */
  haveListeners(type: ContentType): boolean {
    if (!this.#lifecycles.hasSubscribers) return false;
    const known = this.#within.get(type.uid) ?? this.#componentsWithin(type);
    this.#within.set(type.uid, known);
    return known.some(({ uid }) => this.#lifecycles.listens(uid, ...MOMENTS));
  }

  #componentsWithin(type: ContentType): Component[] {
    const found = new Set<Component>();
    const add = (model: Model): void => {
      for (const attribute of model.attributes.values()) {
        for (const component of this.#componentsOf(attribute)) {
          if (!found.has(component)) add(found.add(component) && component);
        }
      }
    };
    add(type);
    return [...found];
  }

  /** `populate` for all entries of a type's rows. @throws Unsupported where a component contains itself. */
  populate(type: ContentType): Params {
    return this.#populate(type, []);
  }

  #populate(model: Model, around: readonly Model[]): Params {
    if (around.includes(model)) unsupported(`lifecycles of ${model.uid}, which contains itself`);
    const below = (component: Component) => {
      const populate = this.#populate(component, [...around, model]);
      return Object.keys(populate).length > 0 ? { populate } : true;
    };
    const levels = [...model.attributes.values()].flatMap((attribute): [string, unknown][] => {
      const components = this.#componentsOf(attribute);
      if (components.length === 0) return [];
      if (attribute.type === 'component') return [[attribute.name, below(components[0]!)]];
      return [[attribute.name, { on: Object.fromEntries(components.map((one) => [one.uid, below(one)])) }]];
    });
    return Object.fromEntries(levels);
  }

  /**
   * Notifies listeners of the entries that data creates, changes and removes.
   *
   * @param whole the stored row with all entries; undefined for a new one.
   * @returns the data after listeners have changed it.
   */
  async writing(type: ContentType, data: Params, whole: Params | null | undefined): Promise<[Params, BegunEntries]> {
    if (!this.haveListeners(type)) return [data, NO_ENTRIES];
    const notified: NotifiedEntry[] = [];
    const complete = whole ? data : this.#withDefaults(type, data);
    const written = await this.#write(notified, type, complete, whole ?? {}, []);
    return [written, this.#begun(notified, type)];
  }

  /** Notifies listeners of the entries of a row's copy. @param whole the row with all entries. */
  async copying(type: ContentType, whole: Params | null | undefined): Promise<BegunEntries> {
    if (!whole || !this.haveListeners(type)) return NO_ENTRIES;
    const notified: NotifiedEntry[] = [];
    await this.#copy(notified, type, whole, []);
    return this.#begun(notified, type);
  }

  /** Notifies listeners of the entries that are removed with a row. @param whole the row with all entries. */
  async removing(type: ContentType, whole: Params | null | undefined): Promise<BegunEntries> {
    if (!whole || !this.haveListeners(type)) return NO_ENTRIES;
    const notified: NotifiedEntry[] = [];
    await this.#removeWithin(notified, type, whole);
    return this.#begun(notified, type);
  }

  /** A row with all entries as a write of some data leaves them. */
  merged(model: Model, whole: Params | null | undefined, data: Params): Params {
    const result: Params = { ...whole, ...data };
    for (const [attribute, written] of this.#entries(model, data)) {
      const stored = listed(whole?.[attribute.name]);
      result[attribute.name] = written.map(({ entry, component }) => {
        const before = stored.find((one) => isSame(attribute, entry, one));
        return this.merged(component, before, entry);
      });
    }
    return result;
  }

  /** The data of a created row, with the defaults of its entries. */
  #withDefaults(model: Model, data: Params): Params {
    const result = { ...data };
    for (const attribute of model.attributes.values()) {
      const { name } = attribute;
      if (this.#componentsOf(attribute).length === 0 || data[name] === undefined) continue;
      const whole = (entry: unknown): unknown => {
        const component = this.#componentOf(attribute, entry);
        if (!component) return entry;
        return { ...this.#withDefaults(component, entry as Params), ...copied(defaultsOf(component, entry as Params)) };
      };
      result[name] = Array.isArray(data[name]) ? data[name].map(whole) : whole(data[name]);
    }
    return result;
  }

  async #write(notified: NotifiedEntry[], model: Model, data: Params, whole: Params, place: Place): Promise<Params> {
    const result = { ...data };
    for (const attribute of model.attributes.values()) {
      const { name } = attribute;
      if (this.#componentsOf(attribute).length === 0 || data[name] === undefined) continue;
      const stored = listed(whole[name]);
      const given = [data[name]].flat() as unknown[];
      for (const entry of stored) {
        if (!given.some((one) => isSame(attribute, one, entry))) await this.#remove(notified, attribute, entry);
      }
      const entries: unknown[] = [];
      for (const [index, entry] of given.entries()) {
        const component = this.#componentOf(attribute, entry);
        const before = stored.find((one) => isSame(attribute, entry, one));
        const at = [...place, name, index];
        // a value that is no entry is refused on writing
        entries.push(component ? await this.#writeEntry(notified, component, entry as Params, before, at) : entry);
      }
      result[name] = Array.isArray(data[name]) ? entries : entries[0];
    }
    return result;
  }

  async #writeEntry(
    notified: NotifiedEntry[],
    component: Component,
    entry: Params,
    before: Params | undefined,
    place: Place,
  ): Promise<Params> {
    const data = await this.#write(notified, component, entry, before ?? {}, place);
    const { id: _id, ...values } = data;
    const params = before ? { where: { id: before['id'] }, data } : { data: values };
    const changed = await this.#notify(notified, component, before ? 'Update' : 'Create', params, place);
    // which entry it is, is not up to listeners
    return { ...withoutTimes(changed), ...namesOf(data) };
  }

  async #copy(notified: NotifiedEntry[], model: Model, whole: Params, place: Place): Promise<void> {
    for (const [{ name }, entries] of this.#entries(model, whole)) {
      for (const [index, { entry, component }] of entries.entries()) {
        const at = [...place, name, index];
        await this.#copy(notified, component, entry, at);
        const { id: _id, ...data } = valuesOf(component, entry);
        await this.#notify(notified, component, 'Create', { data }, at);
      }
    }
  }

  async #removeWithin(notified: NotifiedEntry[], model: Model, whole: Params): Promise<void> {
    for (const [attribute, entries] of this.#entries(model, whole)) {
      for (const { entry } of entries) await this.#remove(notified, attribute, entry);
    }
  }

  async #remove(notified: NotifiedEntry[], attribute: Attribute, entry: Params): Promise<void> {
    const component = this.#componentOf(attribute, entry)!;
    await this.#removeWithin(notified, component, entry);
    const { __component: _uid, ...removed } = valuesOf(component, entry);
    await this.#notify(notified, component, 'Delete', { where: { id: entry['id'] } }, [], removed);
  }

  /** Notifies listeners of an entry, and returns its data after they have changed it. */
  async #notify(
    notified: NotifiedEntry[],
    { uid }: Component,
    moment: (typeof MOMENTS)[number],
    data: Params,
    place: Place,
    removed?: Params,
  ): Promise<Params> {
    const states: States = new Map();
    putTimes(moment, data['data']);
    const shown = copied(data['data']);
    const { params } = await this.#lifecycles.run(`before${moment}`, uid, { params: data }, states);
    notified.push({ uid, moment, place, states, params, shown, ...(removed && { removed }) });
    return (params['data'] ?? {}) as Params;
  }

  #begun(notified: readonly NotifiedEntry[], type: ContentType): BegunEntries {
    if (notified.length === 0) return NO_ENTRIES;
    return {
      changes: (whole) => this.#changes(notified, type, whole, []),
      end: async (ask) => {
        const whole = notified.some(({ removed }) => removed === undefined) ? await ask() : null;
        for (const { uid, moment, place, states, params, removed } of notified) {
          const result = removed ?? (whole && this.#resultAt(whole, uid, place));
          if (result) await this.#lifecycles.run(`after${moment}`, uid, { params, result }, states);
        }
      },
    };
  }

  /** The row of an entry that was written. */
  #resultAt(whole: Params, uid: string, place: Place): Params | undefined {
    let entry: unknown = whole;
    for (const step of place) entry = typeof step === 'number' ? listed(entry)[step] : (entry as Params)?.[step];
    if (!isPlain(entry)) return undefined;
    const { __component: _uid, ...row } = valuesOf(this.#catalog.components.get(uid)!, entry);
    return row;
  }

  /** The values of a copy's components, where listeners have changed any within them. */
  #changes(notified: readonly NotifiedEntry[], model: Model, whole: Params, place: Place): Params {
    const changes: Params = {};
    for (const [attribute, entries] of this.#entries(model, whole)) {
      const { name } = attribute;
      const changed = entries.map(({ entry, component }, index) => {
        const at = [...place, name, index];
        const own = notified.find((one) => isAt(one.place, at));
        const values = own ? changesOf(own.shown, (own.params['data'] ?? {}) as Params) : {};
        return { ...this.#changes(notified, component, entry, at), ...values };
      });
      if (changed.every((values) => Object.keys(values).length === 0)) continue;
      const written = entries.map(({ entry }, index) => ({ ...changed[index], ...namesOf(entry) }));
      changes[name] = isMany(attribute) ? written : written[0];
    }
    return changes;
  }

  /** The entries of a row, or of data, by attributes. */
  #entries(model: Model, values: Params): [Attribute, { entry: Params; component: Component }[]][] {
    return [...model.attributes.values()]
      .filter((attribute) => values[attribute.name] !== undefined && this.#componentsOf(attribute).length > 0)
      .map((attribute) => [
        attribute,
        listed(values[attribute.name]).flatMap((entry) => {
          const component = this.#componentOf(attribute, entry);
          return component ? [{ entry, component }] : [];
        }),
      ]);
  }

  #componentsOf(attribute: Attribute): Component[] {
    const uids =
      attribute.type === 'component'
        ? [attribute.component]
        : attribute.type === 'dynamiczone'
          ? attribute.components
          : [];
    return uids.flatMap((uid) => this.#catalog.components.get(uid) ?? []);
  }

  /** The component of an entry; undefined for other values. */
  #componentOf(attribute: Attribute, entry: unknown): Component | undefined {
    if (!isPlain(entry)) return undefined;
    const components = this.#componentsOf(attribute);
    if (attribute.type === 'component') return components[0];
    return components.find(({ uid }) => uid === entry['__component']);
  }
}

const isMany = (attribute: Attribute): boolean =>
  attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable);

const listed = (value: unknown): Params[] => [value ?? []].flat().filter(isPlain);

const isAt = (place: Place, other: Place): boolean =>
  place.length === other.length && place.every((step, index) => step === other[index]);

/** Whether a value identifies a stored entry. */
function isSame({ type }: Attribute, value: unknown, stored: Params): boolean {
  if (!isPlain(value) || value['id'] === undefined || Number(value['id']) !== stored['id']) return false;
  return type === 'component' || value['__component'] === stored['__component'];
}

/** The keys that identify an entry in its place. */
function namesOf({ id, __component }: Params): Params {
  return { ...(id === undefined ? {} : { id }), ...(__component === undefined ? {} : { __component }) };
}

/** An entry without relations. */
function valuesOf(component: Component, entry: Params): Params {
  const isOwn = (name: string): boolean =>
    !/^(?:component|dynamiczone|relation|media)$/.test(component.attributes.get(name)?.type ?? '');
  return Object.fromEntries(Object.entries(entry).filter(([name]) => isOwn(name)));
}
