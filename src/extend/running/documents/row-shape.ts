/** Documents and rows that code reads, in the reference's shape: those of types without locales have `locale: null`. */
import { type Attribute, type Catalog, FILE_UID, type Model } from '../../../schema/catalog.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

/** What was asked for of a level: `fields` of documents, `select` of rows, and what is populated below. */
type Shape = Pick<Params, 'fields' | 'select' | 'populate' | 'on'>;

/** Gives documents that were read just now what Galley's own answers leave out. They are changed in place. */
export function inShape<T>(catalog: Catalog, model: Model, value: T, shape: unknown): T {
  if (Array.isArray(value)) for (const one of value) inShape(catalog, model, one, shape);
  if (!isPlain(value)) return value;
  const { fields, select, populate } = (isPlain(shape) ? shape : {}) as Shape;
  const isWhole = [fields, select].every(
    (names) => [names ?? []].flat().length === 0 || [names].flat().some((name) => /^(?:\*|locale)$/.test(name)),
  );
  if (model.modelType === 'contentType' && isWhole && !('locale' in value)) Object.assign(value, { locale: null });
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'object' || inner === null) continue;
    const attribute = model.attributes.get(name);
    const below: unknown = isPlain(populate) ? populate[name] : undefined;
    if (isPlain(below) && below['count']) continue;
    for (const one of attribute ? [inner].flat() : []) {
      const target = targetOf(catalog, attribute!, one as Params);
      const on = isPlain(below) && isPlain(below['on']) ? below['on'][target?.uid ?? ''] : below;
      if (target) inShape(catalog, target, one, on);
    }
  }
  return value;
}

/** What an attribute leads to. */
function targetOf(catalog: Catalog, attribute: Attribute, entry: Params): Model | undefined {
  switch (attribute.type) {
    case 'relation':
      return catalog.contentTypes.get(attribute.target ?? String(entry['__type']));
    case 'media':
      return catalog.contentTypes.get(FILE_UID);
    case 'component':
      return catalog.components.get(attribute.component);
    case 'dynamiczone':
      return catalog.components.get(String(entry['__component']));
    default:
      return undefined;
  }
}
