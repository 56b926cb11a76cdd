/** A catalog that counts how often a model is looked up in it: a measure of what it costs to work a request out. */
import type { Catalog } from '../../../src/schema/catalog.ts';

export interface CountedCatalog {
  readonly catalog: Catalog;
  /** Look-ups since it was made. */
  lookUps(): number;
}

export function countedCatalog(catalog: Catalog): CountedCatalog {
  let count = 0;
  const counting = <T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Proxy(map, {
      get(target, key) {
        if (key === 'get') count++;
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  return {
    catalog: { contentTypes: counting(catalog.contentTypes), components: counting(catalog.components) },
    lookUps: () => count,
  };
}
