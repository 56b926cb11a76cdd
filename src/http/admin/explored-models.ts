/** Types and components as a caller of the content API sees them, by use in queries and bodies. */
import type { View } from '../../access/view.ts';
import { type Attribute, type Catalog, FILE_UID, type Model, modelOf } from '../../schema/catalog.ts';

/** Everything visible of the types that a caller may use, and of all components. */
export function exploredModels(catalog: Catalog, view: View) {
  const types = [...catalog.contentTypes.values()].filter(({ uid }) => !uid.startsWith('admin::'));
  return [...types, ...catalog.components.values()].map((model) => exploredModel(catalog, view, model));
}

function exploredModel(catalog: Catalog, view: View, model: Model) {
  const { readable, filterable, sortable, populatable, writable, isSealed } = view.of(model);
  const enumOf = (name: string): readonly string[] => {
    const attribute = model.attributes.get(name);
    return attribute !== undefined && 'enum' in attribute ? attribute.enum : [];
  };
  const attributes = [...model.attributes.values()];
  return {
    uid: model.uid,
    displayName: model.displayName,
    fields: isSealed ? [] : readable,
    filters: isSealed ? [] : [...filterable].map(([name, type]) => ({ name, type, values: enumOf(name) })),
    sorts: isSealed ? [] : [...sortable.keys()],
    populates: isSealed
      ? []
      : populatable.flatMap((name) => {
          const attribute = model.attributes.get(name);
          if (!attribute)
            return [{ name, type: 'relation', target: name === 'localizations' ? model.uid : null, isMany: false }];
          return isShown(catalog, view, attribute) ? [{ name, ...targetOf(attribute) }] : [];
        }),
    inputs: attributes
      .filter(({ name }) => writable.has(name))
      .map((attribute) => {
        const { name, type, required } = attribute;
        const { target, isMany } = targetOf(attribute);
        return { name, type, required, target, isMany, values: enumOf(name) };
      }),
  };
}

/** Whether something behind an attribute is visible. */
function isShown(catalog: Catalog, view: View, attribute: Attribute): boolean {
  if (attribute.type === 'media') return !view.of(modelOf(catalog, FILE_UID)).isSealed;
  if (attribute.type !== 'relation' || attribute.target === undefined) return true;
  return view.of(modelOf(catalog, attribute.target)).isSeen;
}

function targetOf(attribute: Attribute) {
  switch (attribute.type) {
    case 'media':
      return { type: attribute.type, target: FILE_UID, isMany: attribute.multiple };
    case 'component':
      return { type: attribute.type, target: attribute.component, isMany: attribute.repeatable };
    case 'relation':
      return { type: attribute.type, target: attribute.target ?? null, isMany: /Many$/.test(attribute.relation) };
    default:
      return { type: attribute.type, target: null, isMany: attribute.type === 'dynamiczone' };
  }
}
