/** Data without what may not be written, of entries of components as well. */
import type { Catalog, Model } from '../../../schema/catalog.ts';
import type { Params } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';

/** Says whether data with a single value in it may be written. */
type Permits = (part: Params) => boolean;

/** Keys that a component does not know stay: whatever writes the data passes over them. */
export function writableData(catalog: Catalog, model: Model, data: Params, permits: Permits): Params {
  const left: Params = {};
  for (const [name, value] of Object.entries(data)) {
    const attribute = model.attributes.get(name);
    const isZone = attribute?.type === 'dynamiczone';
    const componentOf = (entry: Params): Model | undefined => {
      if (isZone) return catalog.components.get(String(entry['__component']));
      return attribute?.type === 'component' ? catalog.components.get(attribute.component) : undefined;
    };
    const isList = Array.isArray(value);
    const kept = (entry: unknown): unknown => {
      const component = isPlain(entry) ? componentOf(entry) : undefined;
      if (!component) return entry;
      const named = isZone ? { __component: (entry as Params)['__component'] } : {};
      const permitsPart: Permits = (part) => {
        const one = { ...named, ...part };
        return permits({ [name]: isList ? [one] : one });
      };
      return writableData(catalog, component, entry as Params, permitsPart);
    };
    const hasEntries = isZone || attribute?.type === 'component';
    if (!hasEntries) {
      const isPassedOver = attribute === undefined && model.modelType === 'component';
      if (isPassedOver || permits({ [name]: value })) left[name] = value;
    } else if (permits({ [name]: isList ? [] : null })) left[name] = isList ? value.map(kept) : kept(value);
  }
  return left;
}
