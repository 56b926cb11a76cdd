/** The Catalog as far as an administrator's Views show it, with how its forms and lists are arranged. */
import { isEdited } from '../../access/administrators/administrator-rights.ts';
import type { AdministratorViews } from '../../access/administrators/administrator-views.ts';
import type { View } from '../../access/view.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import {
  type Attribute,
  type Component,
  type ComponentAttribute,
  type ContentType,
  type Model,
  USER_UID,
} from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import { hasUsualColumns } from './arrange.ts';
import { type Arrangement, arrangementOf, type Labels, type StoredArrangements } from './arrangement.ts';

/** The Views that show a schema: for reading, for creating documents and for updating them. */
export type SchemaViews = Pick<AdministratorViews, 'read' | 'create' | 'update'>;

type StoredArrangement = ReturnType<StoredArrangements['get']>;
type ShownModel = Readonly<Record<string, unknown>>;

/**
 * The visible content types and components, as answers show them.
 *
 * @param runsCode whether project code runs whenever a document of a type is saved.
 */
export function shownSchema(
  views: SchemaViews,
  stored: StoredArrangements,
  runsCode: (type: ContentType) => boolean,
  decimals: KeptDecimals,
): { readonly contentTypes: readonly ShownModel[]; readonly components: readonly ShownModel[] } {
  const shown = new ShownModels(views, stored, decimals);
  const contentTypes = shownTypes(views.read).map((type) => ({ ...shown.contentType(type), runsCode: runsCode(type) }));
  return { contentTypes, components: shown.components };
}

/** The types of which the viewer may see documents, in display order. */
export function shownTypes(view: View): ContentType[] {
  const types = [...view.catalog.contentTypes.values()].filter(
    (type) => isEdited(type) && type.unlisted !== true && view.may(`${type.uid}.find`),
  );
  // the project's own types precede accounts
  return types.toSorted((a, b) => Number(b.routed) - Number(a.routed));
}

const WRITES = ['create', 'update'] as const;
type Writes = (typeof WRITES)[number];

/** A model at one place, as each View has it; undefined if nothing is written there. */
interface Placed extends Readonly<Record<Writes, Model | undefined>> {
  readonly read: Model;
}

/**
 * Types and the components that they contain. The rights on a component depend on its place: it has one entry as a
 * whole, and one for each place with fewer rights, under a name that the attribute of that place has as well (`place`).
 */
class ShownModels {
  readonly #views: SchemaViews;
  readonly #stored: StoredArrangements;
  readonly #decimals: KeptDecimals;
  /** By uid and place. */
  readonly #components = new Map<string, ShownModel>();

  constructor(views: SchemaViews, stored: StoredArrangements, decimals: KeptDecimals) {
    this.#views = views;
    this.#stored = stored;
    this.#decimals = decimals;
  }

  get components(): readonly ShownModel[] {
    return [...this.#components.values()];
  }

  contentType(type: ContentType): ShownModel {
    const { kind, singularName, pluralName, draftAndPublish, localized } = type;
    const may = (action: string): boolean => this.#views.read.may(`${type.uid}.${action}`);
    const actions = {
      create: may('create'),
      update: may('update'),
      delete: may('delete'),
      publish: draftAndPublish && may('publish'),
    };
    const names = { kind, singularName, pluralName, draftAndPublish, localized };
    return { ...names, actions, ...this.#model(type, whole(type), type.uid) };
  }

  /** @param path the place of the model, beginning with the uid of a type. */
  #model(model: Model, placed: Placed, path: string): ShownModel {
    const { read } = this.#views;
    const attributes = [...model.attributes.values()].filter(
      ({ name, type, unlisted }) =>
        !unlisted &&
        (this.#isReadable(placed, name) ||
          (type === 'password' && WRITES.some((operation) => this.#isWritable(operation, placed, name)))),
    );
    const names = new Set(attributes.map(({ name }) => name));
    const stored = this.#stored.get(model.uid);
    const arrangement = arrangementOf(
      model,
      stored,
      (name) => names.has(name) || (!model.attributes.has(name) && read.of(placed.read).named(name).kind !== 'hidden'),
    );
    return {
      uid: model.uid,
      displayName: model.displayName,
      icon: model.icon ?? null,
      attributes: attributes.map((attribute) => this.#attribute(placed, attribute, arrangement, path)),
      layout: { ...arrangement.layout, list: this.#columns(model, stored, arrangement) },
    };
  }

  /** Columns as arranged for the administrator. */
  #columns(model: Model, stored: StoredArrangement, { layout: { list } }: Arrangement): readonly string[] {
    const { catalog } = this.#views.read;
    return hasUsualColumns(catalog, model, stored) ? list.filter((name) => name !== 'id') : list;
  }

  #attribute(
    placed: Placed,
    attribute: Attribute,
    { labels }: Arrangement,
    path: string,
  ): Readonly<Record<string, unknown>> {
    const { name, type, localized, private: isPrivate } = attribute;
    // the schema does not require one, since stored accounts may have none; a new account needs it
    const isAccountPassword = type === 'password' && name === 'password' && placed.read.uid === USER_UID;
    const { editable, mainField, ...words }: Labels = labels(name);
    const place = this.#place(placed, attribute, `${path}.${name}`);
    const options = { ...formOptions(attribute), place, decimals: this.#decimals(placed.read.uid, name) };
    return {
      name,
      type,
      required: attribute.required || isAccountPassword,
      localized,
      private: isPrivate,
      ...this.#visibility(placed, attribute),
      ...words,
      readable: this.#isReadable(placed, name),
      writable: editable && this.#isWritable('update', placed, name),
      writableInNew: editable && this.#isWritable('create', placed, name),
      ...(attribute.type === 'relation' && mainField !== undefined ? { mainField } : {}),
      ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    };
  }

  /** The condition of an attribute, as far as the administrator may see the values that it depends on. */
  #visibility(placed: Placed, { visibility }: Attribute): Readonly<Record<string, unknown>> {
    if (!visibility) return {};
    const isSeen = [...visibility.dependsOn].every((name) => this.#isReadable(placed, name));
    return isSeen ? { visibleIf: visibility.condition } : {};
  }

  /** Adds the components of an attribute. Returns the name of the place if it has fewer rights. */
  #place(placed: Placed, attribute: Attribute, path: string): string | undefined {
    if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return undefined;
    const { catalog } = this.#views.read;
    if (attribute.type === 'component') {
      const component = catalog.components.get(attribute.component);
      return component && this.#component(component, this.#into(placed, attribute), path);
    }
    const places = attribute.components.flatMap((uid) => {
      const component = catalog.components.get(uid);
      if (!component) return [];
      const { create, update } = this.#open(placed, attribute.name);
      const inner = {
        read: component,
        create: create && component,
        update: update && component,
      };
      return [this.#component(component, inner, path)];
    });
    return places[0];
  }

  /** Adds a component at a place. Returns the name of the place; undefined if all of it is permitted. */
  #component(component: Component, placed: Placed, path: string): string | undefined {
    const place = this.#isWhole(component, placed) ? undefined : this.#placeName(placed, path);
    const key = `${component.uid} ${place ?? ''}`;
    if (!this.#components.has(key)) {
      // entered before its attributes are visited: a component may contain itself
      this.#components.set(key, {});
      const named = { category: component.category, ...(place === undefined ? {} : { place }) };
      this.#components.set(key, { ...named, ...this.#model(component, placed, path) });
    }
    return place;
  }

  #into(placed: Placed, attribute: ComponentAttribute): Placed {
    const { create, update } = this.#open(placed, attribute.name);
    return {
      read: this.#views.read.into(placed.read, attribute),
      create: create && this.#views.create.into(create, attribute),
      update: update && this.#views.update.into(update, attribute),
    };
  }

  /** The models of a place as far as an attribute may be written there. */
  #open(placed: Placed, name: string): Readonly<Record<Writes, Model | undefined>> {
    const { create, update } = placed;
    return {
      create: this.#isWritable('create', placed, name) ? create : undefined,
      update: this.#isWritable('update', placed, name) ? update : undefined,
    };
  }

  #isReadable({ read }: Placed, name: string): boolean {
    return this.#views.read.of(read).named(name).kind !== 'hidden';
  }

  #isWritable(operation: Writes, { [operation]: model }: Placed, name: string): boolean {
    return model !== undefined && this.#views[operation].of(model).writable.has(name);
  }

  /** Whether as much of a component is permitted at a place as anywhere, at any depth. */
  #isWhole(component: Component, placed: Placed): boolean {
    if (placed.create === undefined || placed.update === undefined) return false;
    if (this.#isPlain(placed)) return true;
    const everywhere = whole(component);
    return [...component.attributes.values()].every((attribute) => {
      const { name } = attribute;
      const isAlike =
        this.#isReadable(placed, name) === this.#isReadable(everywhere, name) &&
        WRITES.every(
          (operation) => this.#isWritable(operation, placed, name) === this.#isWritable(operation, everywhere, name),
        );
      if (!isAlike || attribute.type !== 'component') return isAlike;
      const inner = this.#views.read.catalog.components.get(attribute.component);
      return inner === undefined || this.#isWhole(inner, this.#into(placed, attribute));
    });
  }

  /** Whether each View has all of a place or nothing, so that all places below it are alike. */
  #isPlain(placed: Placed): boolean {
    const isAll = (operation: Writes): boolean => {
      const model = placed[operation];
      return model === undefined || this.#views[operation].wholeness(model).written;
    };
    return this.#views.read.wholeness(placed.read).read && WRITES.every(isAll);
  }

  /** A name for a place where only a part of a component is permitted. All places that are read-only share one. */
  #placeName(placed: Placed, path: string): string {
    if (!this.#isPlain(placed)) return path;
    return `without ${WRITES.filter((operation) => placed[operation] === undefined).join(' and ')}`;
  }
}

const whole = (model: Model): Placed => ({ read: model, create: model, update: model });

/** The part of an attribute's schema that forms need. */
function formOptions(attribute: Attribute): Readonly<Record<string, unknown>> {
  switch (attribute.type) {
    case 'media': {
      const { multiple, allowedTypes } = attribute;
      return { multiple, allowedTypes };
    }
    case 'relation': {
      const { relation, target } = attribute;
      return { relation, target };
    }
    case 'component': {
      const { component, repeatable, min, max } = attribute;
      return { component, repeatable, min, max };
    }
    case 'dynamiczone': {
      const { components, min, max } = attribute;
      return { components, min, max };
    }
    default: {
      const { unique, min, max, minLength, maxLength, regex, customField, options, targetField } = attribute;
      const values = attribute.type === 'enumeration' ? attribute.enum : undefined;
      const limits = { unique, min, max, minLength, maxLength, regex, default: attribute.default };
      return { ...limits, enum: values, customField, options, targetField };
    }
  }
}

/** The decimals that an attribute of a model stores; undefined for all. Further decimals would be rounded silently. */
export type KeptDecimals = (uid: string, attribute: string) => number | undefined;

/** Reads them from the database: an existing column may have more decimals than a new one. */
export async function readKeptDecimals(database: Queryable, layout: Layout): Promise<KeptDecimals> {
  const { rounding } = database.dialect;
  if (rounding === undefined) return () => undefined;
  const rows = await query(database, rounding);
  const decimalsOf = new Map(rows.map(([table, column, decimals]) => [`${table}.${column}`, Number(decimals)]));
  return (uid, attribute) => {
    const { table, columns } = layoutOf(layout, uid);
    return decimalsOf.get(`${table}.${columns.get(attribute)}`);
  };
}
