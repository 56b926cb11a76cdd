/** Facts about a catalog that are often needed, computed once per project. */
import type { Catalog, ContentType, Model, RelationAttribute, ScalarAttribute } from './catalog.ts';

/** A relation, from the side whose rows or link table store the links. */
export interface Incoming {
  readonly model: Model;
  readonly attribute: RelationAttribute;
}

/** The owning side of a two-sided relation. */
export interface OwningSide {
  readonly uid: string;
  readonly attribute: string;
  /** Whether it is the requested side. */
  readonly isOwn: boolean;
}

const NO_NAMES: ReadonlySet<string> = new Set();

export class SchemaIndex {
  readonly #incoming = new Map<string, Incoming[]>();
  readonly #holders = new Map<string, Model[]>();
  readonly #reachedFrom = new Map<string, ContentType[]>();
  readonly #inverse = new Map<string, RelationAttribute[]>();
  readonly #sides = new Map<RelationAttribute, OwningSide>();
  readonly #twoSided = new Set<string>();
  readonly #shared = new Map<string, ReadonlySet<string>>();
  readonly #passwords = new Map<string, ScalarAttribute[]>();
  readonly #conditional = new Set<string>();

  constructor(catalog: Catalog) {
    const types = [...catalog.contentTypes.values()];
    const models: Model[] = [...types, ...catalog.components.values()];
    const morphed = new Set(
      relationsOf(types).flatMap(({ attribute }) =>
        attribute.target !== undefined && attribute.morphBy !== undefined
          ? [`${attribute.target} ${attribute.morphBy}`]
          : [],
      ),
    );
    for (const { model, attribute } of relationsOf(models)) {
      if (attribute.owner) {
        const targets = attribute.target === undefined ? types.map(({ uid }) => uid) : [attribute.target];
        for (const uid of targets) push(this.#incoming, uid, { model, attribute });
      } else if (attribute.target !== undefined && (attribute.inverse ?? attribute.morphBy) !== undefined) {
        push(this.#inverse, model.uid, attribute);
      }
      const side = model.modelType === 'contentType' ? owningSide(model, attribute, morphed) : undefined;
      if (!side) continue;
      this.#sides.set(attribute, side);
      this.#twoSided.add(model.uid);
    }
    for (const model of models) {
      const attributes = [...model.attributes.values()];
      for (const uid of componentsOf(model)) push(this.#holders, uid, model);
      const passwords = attributes.filter((attribute): attribute is ScalarAttribute => attribute.type === 'password');
      if (passwords.length > 0) this.#passwords.set(model.uid, passwords);
      if (attributes.some(({ visibility }) => visibility)) this.#conditional.add(model.uid);
      if (model.modelType === 'component' || !model.localized) continue;
      const shared = attributes.filter((attribute) => !attribute.localized && attribute.type !== 'relation');
      this.#shared.set(model.uid, new Set(shared.map(({ name }) => name)));
    }
    for (const component of catalog.components.keys()) this.#reachedFrom.set(component, this.#typesAbove(component));
    for (const uid of [...this.#conditional]) for (const type of this.reachedFrom(uid)) this.#conditional.add(type.uid);
  }

  /** Whether any model has attributes with conditions. */
  get anyConditions(): boolean {
    return this.#conditional.size > 0;
  }

  /** Whether a content type or its components have attributes with conditions. */
  hasConditions(uid: string): boolean {
    return this.#conditional.has(uid);
  }

  /** The attributes of a model that conditions read. Those of a component are also read by its parents. */
  readByConditions({ modelType, attributes }: Model): ReadonlySet<string> {
    if (modelType === 'component' && this.anyConditions) return new Set(attributes.keys());
    return new Set([...attributes.values()].flatMap(({ visibility }) => [...(visibility?.dependsOn ?? [])]));
  }

  /** The relations to a type, from the sides that store their links. */
  incoming(uid: string): readonly Incoming[] {
    return this.#incoming.get(uid) ?? [];
  }

  /** The models with an attribute that may contain a component. */
  holders(component: string): readonly Model[] {
    return this.#holders.get(component) ?? [];
  }

  /** The content types whose documents may contain a component at any depth. */
  reachedFrom(component: string): readonly ContentType[] {
    return this.#reachedFrom.get(component) ?? [];
  }

  /** Relations of a model whose links are stored by another type. */
  inverseRelations(uid: string): readonly RelationAttribute[] {
    return this.#inverse.get(uid) ?? [];
  }

  /** The owning side of a relation; undefined if documents at its other end do not show it. */
  owningSide(attribute: RelationAttribute): OwningSide | undefined {
    return this.#sides.get(attribute);
  }

  /** Whether a type has relations that documents at the other end show too. */
  isTwoSided(uid: string): boolean {
    return this.#twoSided.has(uid);
  }

  /** The attributes shared by all locales of a type; empty without locales. */
  sharedAttributes(uid: string): ReadonlySet<string> {
    return this.#shared.get(uid) ?? NO_NAMES;
  }

  /** The password attributes of a model. */
  passwords(uid: string): readonly ScalarAttribute[] {
    return this.#passwords.get(uid) ?? [];
  }

  #typesAbove(component: string): ContentType[] {
    const seen = new Set<string>();
    const types = new Set<ContentType>();
    const visit = (uid: string) => {
      if (seen.has(uid)) return;
      seen.add(uid);
      for (const holder of this.holders(uid)) {
        if (holder.modelType === 'contentType') types.add(holder);
        else visit(holder.uid);
      }
    };
    visit(component);
    return [...types];
  }
}

function owningSide(model: Model, attribute: RelationAttribute, morphed: ReadonlySet<string>): OwningSide | undefined {
  const { name, owner, target, inverse, morphBy } = attribute;
  if (!owner) {
    const other = inverse ?? morphBy;
    return target === undefined || other === undefined ? undefined : { uid: target, attribute: other, isOwn: false };
  }
  // a morph relation is visible to types that read it from their side
  const isShown = inverse !== undefined || (target === undefined && morphed.has(`${model.uid} ${name}`));
  return isShown ? { uid: model.uid, attribute: name, isOwn: true } : undefined;
}

function relationsOf(models: readonly Model[]): Incoming[] {
  return models.flatMap((model) =>
    [...model.attributes.values()].flatMap((attribute) =>
      attribute.type === 'relation' ? [{ model, attribute }] : [],
    ),
  );
}

function componentsOf(model: Model): Set<string> {
  const uids = [...model.attributes.values()].flatMap((attribute) => {
    if (attribute.type === 'component') return [attribute.component];
    return attribute.type === 'dynamiczone' ? attribute.components : [];
  });
  return new Set(uids);
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
