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

/** The Views that show a schema: what is read, and what is written into new documents and known ones. */
export type SchemaViews = Pick<AdministratorViews, 'read' | 'create' | 'update'>;

type StoredArrangement = ReturnType<StoredArrangements['get']>;
type ShownModel = Readonly<Record<string, unknown>>;

/**
 * What is to be told of content types and components, those alone that may be seen.
 *
 * @param runsCode whether code of the project runs whenever a document of a type is saved.
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

/** The types whose documents somebody may see, in the order in which they are shown. */
export function shownTypes(view: View): ContentType[] {
  const types = [...view.catalog.contentTypes.values()].filter(
    (type) => isEdited(type) && type.unlisted !== true && view.may(`${type.uid}.find`),
  );
  // the project's own stand before accounts
  return types.toSorted((a, b) => Number(b.routed) - Number(a.routed));
}

const WRITES = ['create', 'update'] as const;
type Writes = (typeof WRITES)[number];

/** A model at one place as each View has it; undefined: nothing is written there. */
interface Placed extends Readonly<Record<Writes, Model | undefined>> {
  readonly read: Model;
}

/**
 * Types and the components that they show. What may be done with a component depends on where it stands: it is told once
 * as a whole, and once for each place where less of it is permitted, by a name that the attribute of that place has as
 * well (`place`).
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

  /** @param path where the model stands, beginning with the uid of a type. */
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

  /** Columns as somebody has arranged them. */
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
    // the schema asks for none, as some accounts of a database may have none; one that is made here needs it
    const isAccountPassword = type === 'password' && name === 'password' && placed.read.uid === USER_UID;
    const { editable, mainField, ...words }: Labels = labels(name);
    const place = this.#place(placed, attribute, `${path}.${name}`);
    const told = { ...toldOptions(attribute), place, decimals: this.#decimals(placed.read.uid, name) };
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
      ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)),
    };
  }

  /** When an attribute is shown, as far as the administrator may see what that depends on. */
  #visibility(placed: Placed, { visibility }: Attribute): Readonly<Record<string, unknown>> {
    if (!visibility) return {};
    const isSeen = [...visibility.dependsOn].every((name) => this.#isReadable(placed, name));
    return isSeen ? { visibleIf: visibility.condition } : {};
  }

  /** Has the components told that an attribute leads to. Gives the name of the place where less of them is permitted. */
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

  /** Has a component told at a place, and gives the name of the place; undefined where all of it is permitted. */
  #component(component: Component, placed: Placed, path: string): string | undefined {
    const place = this.#isWhole(component, placed) ? undefined : this.#placeName(placed, path);
    const key = `${component.uid} ${place ?? ''}`;
    if (!this.#components.has(key)) {
      // known before it is looked into: it may contain itself
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

  /** Whether each View has all of what stands at a place, or nothing, so that all below it is alike. */
  #isPlain(placed: Placed): boolean {
    const isAll = (operation: Writes): boolean => {
      const model = placed[operation];
      return model === undefined || this.#views[operation].wholeness(model).written;
    };
    return this.#views.read.wholeness(placed.read).read && WRITES.every(isAll);
  }

  /** A name for a place where not all of a component is permitted. Those where it is only read are alike. */
  #placeName(placed: Placed, path: string): string {
    if (!this.#isPlain(placed)) return path;
    return `without ${WRITES.filter((operation) => placed[operation] === undefined).join(' and ')}`;
  }
}

const whole = (model: Model): Placed => ({ read: model, create: model, update: model });

/** What the schema file says of an attribute and a form needs to know. */
function toldOptions(attribute: Attribute): Readonly<Record<string, unknown>> {
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

/** The decimals that an attribute of a model keeps; undefined: all. */
export type KeptDecimals = (uid: string, attribute: string) => number | undefined;

/** Asks the database itself: a column may have been made with more of them than columns have here. */
export async function readKeptDecimals(database: Queryable, layout: Layout): Promise<KeptDecimals> {
  const { rounding } = database.dialect;
  if (rounding === undefined) return () => undefined;
  const rows = await query(database, rounding);
  const kept = new Map(rows.map(([table, column, decimals]) => [`${table}.${column}`, Number(decimals)]));
  return (uid, attribute) => {
    const { table, columns } = layoutOf(layout, uid);
    return kept.get(`${table}.${columns.get(attribute)}`);
  };
}
