/** The Catalog as far as an administrator's Views show it, with how its forms and lists are arranged. */

import { isEdited } from '../../access/administrator-rights.ts';
import type { AdministratorViews } from '../../access/administrator-views.ts';
import type { View } from '../../access/view.ts';
import type { Attribute, Component, ContentType, Model } from '../../schema/catalog.ts';
import { type Arrangement, arrangementOf, type Labels, type StoredArrangements } from './arrangement.ts';

/** The Views that show a schema: what is read, and what is written into new documents and known ones. */
export type SchemaViews = Pick<AdministratorViews, 'read' | 'create' | 'update'>;

type ShownModel = Readonly<Record<string, unknown>>;

/** What is to be told of content types and components, those alone that may be seen. */
export function shownSchema(
  views: SchemaViews,
  stored: StoredArrangements,
): { readonly contentTypes: readonly ShownModel[]; readonly components: readonly ShownModel[] } {
  const types = shownTypes(views.read);
  const components = new Set<Component>();
  for (const type of types) addComponents(views.read, type, components);
  return {
    contentTypes: types.map((type) => shownType(views, type, stored)),
    components: [...components].map((component) => ({
      category: component.category,
      ...shownModel(views, component, stored),
    })),
  };
}

/** The types whose documents somebody may see, in the order in which they are shown. */
export function shownTypes(view: View): ContentType[] {
  const types = [...view.catalog.contentTypes.values()].filter(
    (type) => isEdited(type) && type.unlisted !== true && view.may(`${type.uid}.find`),
  );
  // the project's own stand before accounts
  return types.toSorted((a, b) => Number(b.routed) - Number(a.routed));
}

/** Adds the components that a model shows, at any depth. */
function addComponents(read: View, model: Model, found: Set<Component>): void {
  const uids = [...model.attributes.values()].flatMap((attribute) => {
    if (!isShown(read, model, attribute)) return [];
    if (attribute.type === 'component') return [attribute.component];
    return attribute.type === 'dynamiczone' ? attribute.components : [];
  });
  for (const uid of uids) {
    const component = read.catalog.components.get(uid);
    if (!component || found.has(component)) continue;
    found.add(component);
    addComponents(read, component, found);
  }
}

function shownType(views: SchemaViews, type: ContentType, stored: StoredArrangements): ShownModel {
  const { kind, singularName, pluralName, draftAndPublish, localized } = type;
  const may = (action: string): boolean => views.read.may(`${type.uid}.${action}`);
  const actions = {
    create: may('create'),
    update: may('update'),
    delete: may('delete'),
    publish: draftAndPublish && may('publish'),
  };
  const names = { kind, singularName, pluralName, draftAndPublish, localized };
  return { ...names, actions, ...shownModel(views, type, stored) };
}

function shownModel(views: SchemaViews, model: Model, stored: StoredArrangements): ShownModel {
  const { read, create, update } = views;
  const attributes = [...model.attributes.values()].filter(
    (attribute) =>
      isShown(read, model, attribute) ||
      (attribute.type === 'password' && [create, update].some((view) => view.of(model).writable.has(attribute.name))),
  );
  const names = new Set(attributes.map(({ name }) => name));
  const arrangement = arrangementOf(
    model,
    stored.get(model.uid),
    (name) => names.has(name) || (!model.attributes.has(name) && read.of(model).named(name).kind !== 'hidden'),
  );
  return {
    uid: model.uid,
    displayName: model.displayName,
    icon: model.icon ?? null,
    attributes: attributes.map((attribute) => shownAttribute(views, model, attribute, arrangement)),
    layout: arrangement.layout,
  };
}

const isShown = (view: View, model: Model, { name }: Attribute): boolean =>
  view.of(model).named(name).kind !== 'hidden';

function shownAttribute(
  { read, create, update }: SchemaViews,
  model: Model,
  attribute: Attribute,
  { labels }: Arrangement,
): Readonly<Record<string, unknown>> {
  const { name, type, required, localized, private: isPrivate } = attribute;
  const { editable, mainField, ...words }: Labels = labels(name);
  const told = toldOptions(attribute);
  return {
    name,
    type,
    required,
    localized,
    private: isPrivate,
    ...words,
    readable: isShown(read, model, attribute),
    writable: editable && update.of(model).writable.has(name),
    writableInNew: editable && create.of(model).writable.has(name),
    ...(attribute.type === 'relation' && mainField !== undefined ? { mainField } : {}),
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined)),
  };
}

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
