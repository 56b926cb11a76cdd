/** Data that code writes → what of it the schema knows: the reference passes over the rest, at any depth. */
import type { Catalog, Model } from '../../../schema/catalog.ts';
import type { Params } from './lifecycles.ts';
import { isPlain } from './plain-params.ts';

/** What names an entry of a component, beside its attributes. */
const OF_ENTRIES = ['id', '__component'];

/** The keys of data that are attributes of a model, with those of its components. */
export function knownData(catalog: Catalog, model: Model, data: unknown): unknown {
  if (!isPlain(data)) return data;
  const known: Params = {};
  for (const [name, value] of Object.entries(data)) {
    const attribute = model.attributes.get(name);
    if (attribute) {
      const component = attribute.type === 'component' ? catalog.components.get(attribute.component) : undefined;
      if (component) known[name] = knownEntries(catalog, value, () => component);
      else if (attribute.type === 'dynamiczone') {
        known[name] = knownEntries(catalog, value, ({ __component: uid }) => catalog.components.get(String(uid)));
      } else known[name] = value;
    } else if (model.modelType === 'component' && OF_ENTRIES.includes(name)) known[name] = value;
  }
  return known;
}

function knownEntries(catalog: Catalog, value: unknown, modelOf: (entry: Params) => Model | undefined): unknown {
  if (Array.isArray(value)) return value.map((one) => knownEntries(catalog, one, modelOf));
  const model = isPlain(value) ? modelOf(value) : undefined;
  return model ? knownData(catalog, model, value) : value;
}
