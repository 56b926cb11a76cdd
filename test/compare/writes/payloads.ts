/** Random bodies of writes, made from the attributes of a model. */
import {
  type Attribute,
  type Catalog,
  type Component,
  isScalar,
  type MediaAttribute,
  type Model,
  modelOf,
} from '../../../src/schema/catalog.ts';
import type { Random } from '../../model/random.ts';
import { typesOf } from '../samples.ts';
import { Links } from './links.ts';
import { ABSENT } from './names.ts';
import { partAt } from './step.ts';
import { invalid, valid } from './values.ts';

export type Data = Record<string, unknown>;

/** What there is to link: documents by type, in the order of their creation, and files. */
export interface Known {
  readonly documents: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly { readonly id: number; readonly mime: string }[];
}

/** How much of a model a body mentions. */
export interface Extent {
  /** How probable an attribute is. */
  readonly chance: number;
  /** Whether required attributes are mentioned in any case. */
  readonly whole: boolean;
  /** Attributes that may be mentioned; all where undefined. */
  readonly only?: (attribute: Attribute) => boolean;
}

/** Relations that the reference cannot write: there is nothing to compare with. */
const isUnwritable = (attribute: Attribute): boolean =>
  attribute.type === 'relation' && /^morph(ToOne|One|Many)$/.test(attribute.relation);

/** Parts of a body are entered this deep. */
const DEPTH = 3;

export class Payloads {
  readonly #catalog: Catalog;
  readonly #random: Random;
  readonly #links: Links;
  readonly #known: Known;

  constructor(catalog: Catalog, random: Random, known: Known) {
    this.#catalog = catalog;
    this.#random = random;
    this.#links = new Links(random);
    this.#known = known;
  }

  /** Values that the model takes. `stored` tells whether parts of the stored document may be named. */
  of(model: Model, extent: Extent, stored: boolean): Data {
    return this.#of(model, extent, stored ? '' : undefined, DEPTH);
  }

  /** The body with one mistake in it, or with a key that is not known. */
  flawed(model: Model, data: Data): Data {
    const random = this.#random;
    if (random.chance(0.15))
      return { ...data, [random.pick(['surplus', 'id', 'documentId', 'createdAt', 'status', 'localizations'])]: 1 };
    const attribute = random.pick([...model.attributes.values()].filter((one) => !isUnwritable(one)));
    return { ...data, [attribute.name]: this.#mistake(attribute) };
  }

  #of(model: Model, { chance, whole, only }: Extent, at: string | undefined, depth: number): Data {
    const data: Data = {};
    for (const attribute of model.attributes.values()) {
      if ((only && !only(attribute)) || isUnwritable(attribute)) continue;
      const wanted = whole && attribute.required ? 0.97 : chance;
      if (!this.#random.chance(wanted)) continue;
      const value = this.#value(attribute, at === undefined ? undefined : at + attribute.name, depth);
      if (value !== undefined) data[attribute.name] = value;
    }
    return data;
  }

  /** `at` is where the attribute of the stored document is; undefined where nothing is stored. */
  #value(attribute: Attribute, at: string | undefined, depth: number): unknown {
    const random = this.#random;
    if (isScalar(attribute)) return random.chance(0.1) ? null : valid(random, attribute);
    switch (attribute.type) {
      case 'media':
        return this.#media(attribute);
      case 'relation':
        return this.#relation(attribute, false);
      case 'component': {
        const component = modelOf(this.#catalog, attribute.component) as Component;
        if (!attribute.repeatable) return random.chance(0.15) ? null : this.#part(component, at, depth);
        return this.#list(attribute, (place) => this.#part(component, place, depth), at);
      }
      case 'dynamiczone':
        return this.#list(attribute, (place) => this.#entry(attribute.components, place, depth), at);
    }
  }

  #list(
    { min = 0, max = 3 }: { readonly min: number | undefined; readonly max: number | undefined },
    make: (at: string | undefined) => Data,
    at: string | undefined,
  ): Data[] {
    const count = Math.max(min, this.#random.below(Math.min(max, 3) + 1));
    // some stay where they are, some change places
    const offset = this.#random.chance(0.3) ? 1 : 0;
    return Array.from({ length: count }, (_, index) =>
      make(at === undefined ? undefined : `${at}.${(index + offset) % count}`),
    );
  }

  #part(component: Component, at: string | undefined, depth: number): Data {
    const kept = at !== undefined && this.#random.chance(0.5);
    const extent = { chance: depth > 0 ? 0.6 : 0, whole: !kept };
    const data = this.#of(component, extent, kept ? `${at}.` : undefined, depth - 1);
    return kept ? { id: partAt(at), ...data } : data;
  }

  #entry(components: readonly string[], at: string | undefined, depth: number): Data {
    // what an entry of the stored zone is of is not known before it is read
    if (at !== undefined && this.#random.chance(0.5))
      return { __component: partAt(`${at}.__component`), id: partAt(at) };
    const uid = this.#random.pick(components);
    return { __component: uid, ...this.#part(modelOf(this.#catalog, uid) as Component, undefined, depth) };
  }

  #relation(attribute: Attribute & { type: 'relation' }, flawed: boolean): unknown {
    const { documents } = this.#known;
    const uids = attribute.target === undefined ? typesOf(this.#catalog).map(({ uid }) => uid) : [attribute.target];
    return this.#links.payload(attribute, { uids, documentsOf: (uid) => documents.get(uid) ?? [] }, flawed);
  }

  #media({ multiple, allowedTypes }: MediaAttribute): unknown {
    const random = this.#random;
    const kindOf = (mime: string) => (mime.startsWith('image/') ? 'images' : 'files');
    const allowed = this.#known.files.filter(
      ({ mime }) => allowedTypes.length === 0 || allowedTypes.includes(kindOf(mime)),
    );
    const files = allowed.map(({ id }) => id);
    if (files.length === 0 || random.chance(0.2)) return null;
    if (multiple) return random.some(files, 3);
    const file = random.pick(files);
    return random.pick<unknown>([file, { id: file }, [file]]);
  }

  #mistake(attribute: Attribute): unknown {
    const random = this.#random;
    if (isScalar(attribute)) return invalid(random, attribute);
    switch (attribute.type) {
      case 'media':
        return random.pick<unknown>([987654, 'nothing', {}, [987654], true, { id: 987654 }, { documentId: ABSENT }]);
      case 'relation':
        return this.#relation(attribute, true);
      case 'component': {
        const data = this.#part(modelOf(this.#catalog, attribute.component) as Component, undefined, DEPTH);
        const flawed = this.flawed(modelOf(this.#catalog, attribute.component), data);
        if (!attribute.repeatable)
          return random.pick<unknown>([
            flawed,
            'text',
            7,
            [],
            [data],
            { ...data, id: 987654 },
            { __component: attribute.component, ...data },
          ]);
        return random.pick<unknown>([
          [flawed],
          [data, flawed],
          'text',
          {},
          data,
          [null],
          [7],
          [{ ...data, id: 987654 }],
        ]);
      }
      case 'dynamiczone': {
        const uid = random.pick(attribute.components);
        const data = this.#part(modelOf(this.#catalog, uid) as Component, undefined, DEPTH);
        const flawed = this.flawed(modelOf(this.#catalog, uid), data);
        return random.pick<unknown>([
          [{ __component: uid, ...flawed }],
          [data],
          [{ __component: 'no.such', ...data }],
          'text',
          {},
          [null],
          [{ __component: uid, id: 987654 }],
        ]);
      }
    }
  }
}
