/** Which names of a model a caller can see, and of what kind each is. */
import type { Attribute, Model, ScalarAttribute, ScalarType } from '../schema/catalog.ts';

/** Types of readable columns: those of attributes, and the row id. */
export type FieldType = ScalarType | 'id';

/** System fields of content types in the order of answers, after the attributes. */
const TIMES: readonly string[] = ['createdAt', 'updatedAt', 'publishedAt'];

/** Names that exist on every content type and are never visible. */
const CREATORS: ReadonlySet<string> = new Set(['createdBy', 'updatedBy']);

/** What a name stands for, seen from outside. */
export type Named =
  | { readonly kind: 'field'; readonly type: FieldType }
  | { readonly kind: 'attribute'; readonly attribute: Exclude<Attribute, ScalarAttribute> }
  /** The other locale versions of a document. */
  | { readonly kind: 'localizations' }
  /** Exists, and no caller may see it. */
  | { readonly kind: 'hidden' }
  | { readonly kind: 'unknown' };

/** Resolves a name on a model. */
export function lookUp(model: Model, name: string): Named {
  if (name === 'id') return { kind: 'field', type: 'id' };
  const attribute = model.attributes.get(name);
  if (attribute) {
    if (attribute.private || attribute.type === 'password') return { kind: 'hidden' };
    if (isScalar(attribute)) return { kind: 'field', type: attribute.type };
    return { kind: 'attribute', attribute };
  }
  if (model.modelType === 'component') return { kind: 'unknown' };
  if (name === 'documentId') return { kind: 'field', type: 'string' };
  if (TIMES.includes(name)) return { kind: 'field', type: 'datetime' };
  if (CREATORS.has(name)) return { kind: 'hidden' };
  if (name === 'locale') return model.localized ? { kind: 'field', type: 'string' } : { kind: 'hidden' };
  if (name === 'localizations') return model.localized ? { kind: 'localizations' } : { kind: 'hidden' };
  return { kind: 'unknown' };
}

export function isScalar(attribute: Attribute): attribute is ScalarAttribute {
  return (
    attribute.type !== 'relation' &&
    attribute.type !== 'media' &&
    attribute.type !== 'component' &&
    attribute.type !== 'dynamiczone'
  );
}

/** Whether an attribute reaches more than one type: zones and morph relations to any type. */
export function isPolymorphic(attribute: Attribute): boolean {
  if (attribute.type === 'dynamiczone') return true;
  return attribute.type === 'relation' && attribute.target === undefined;
}

/** Names of a model's scalar fields in the order of answers (behaviour-query.md, "Fields"). */
export function readableFields(model: Model): readonly string[] {
  const known = fieldsOfModel.get(model);
  if (known) return known;
  const fields = model.modelType === 'component' ? ['id'] : ['id', 'documentId'];
  for (const attribute of model.attributes.values()) {
    if (isScalar(attribute) && lookUp(model, attribute.name).kind === 'field') fields.push(attribute.name);
  }
  if (model.modelType === 'contentType') {
    fields.push(...TIMES);
    if (model.localized) fields.push('locale');
  }
  fieldsOfModel.set(model, fields);
  return fields;
}

const fieldsOfModel = new WeakMap<Model, readonly string[]>();

/**
 * Names that `populate=*` covers, in the order of answers: visible relations, media, components and zones in schema
 * order, then `localizations`.
 */
export function populatableNames(model: Model): readonly string[] {
  const known = populatableOfModel.get(model);
  if (known) return known;
  const names = [...model.attributes.keys()].filter((name) => lookUp(model, name).kind === 'attribute');
  if (model.modelType === 'contentType' && model.localized) names.push('localizations');
  populatableOfModel.set(model, names);
  return names;
}

const populatableOfModel = new WeakMap<Model, readonly string[]>();

/** Every visible name, for hints. */
export function visibleNames(model: Model): readonly string[] {
  return [...readableFields(model), ...populatableNames(model)];
}

/** Whether a name that leads to other rows leads to a list of them. */
export function isToMany(model: Model, name: string): boolean {
  const attribute = model.attributes.get(name);
  switch (attribute?.type) {
    case undefined:
      return true; // localizations
    case 'media':
      return attribute.multiple;
    case 'component':
      return attribute.repeatable;
    case 'relation':
      return /Many$/.test(attribute.relation);
    default:
      return true;
  }
}
