/** A catalog that counts lookups of models, as a measure of the cost of compiling a request. */
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
