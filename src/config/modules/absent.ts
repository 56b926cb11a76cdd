/**
 * Stands for a package that is not installed where a file of configuration imports it for Strapi's panel only. It may be
 * called, and its members asked for: nothing comes of that. Where a text, a number or the parts of an object would be
 * made of it, it throws.
 */
export function absentPackage(name: string): object {
  const refuse = (): never => {
    throw new Error(`the package ${name} is not installed`);
  };
  const none: object = new Proxy(() => none, {
    get: (_target, key) => {
      if (key === Symbol.toPrimitive || key === Symbol.iterator) return refuse();
      return isAskedOfAll(key) ? undefined : none;
    },
    ownKeys: refuse,
    apply: () => none,
    construct: () => none,
  });
  // what imports a module copies its members
  return new Proxy(() => none, {
    get: (_target, key) => (isAskedOfAll(key) ? undefined : none),
    apply: () => none,
    construct: () => none,
  });
}

/** Whoever is given a value may look whether it is a promise or an ES module. */
const isAskedOfAll = (key: PropertyKey): boolean => typeof key === 'symbol' || key === 'then' || key === '__esModule';

/** The package that a name imports from: `@strapi/icons` of `@strapi/icons/Cog`. */
export const packageOfImport = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name;
