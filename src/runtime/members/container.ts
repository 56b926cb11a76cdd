/** `strapi.add`, `strapi.has` and `strapi.get`: services that a project registers, and the members of strapi. */
import { guarded, missingMember } from '../guarded.ts';
import { memberInContainer, REGISTRIES } from './members.ts';

type Resolver = (strapi: object, args: unknown) => unknown;

export interface ContainerParts {
  /** Members of strapi by their names. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly strapi: () => object;
  /** Its other members, by name. */
  readonly others: Readonly<Record<string, unknown>>;
}

export function containerOf({ members, strapi, others }: ContainerParts) {
  const added = new Map<string, unknown>();
  const created = new Map<string, unknown>();
  const isTaken = (name: string): boolean => memberInContainer(name) !== undefined || added.has(name);
  /** A service that a project has added, created at its first use. */
  const resolved = (name: string, args: unknown): unknown => {
    if (!created.has(name)) {
      const resolver = added.get(name);
      created.set(name, typeof resolver === 'function' ? (resolver as Resolver)(strapi(), args) : resolver);
    }
    return created.get(name);
  };
  return {
    add(name: string, resolver: unknown): object {
      if (isTaken(name)) throw new Error(`Cannot register already registered service ${name}`);
      added.set(name, resolver);
      return strapi();
    },
    has: isTaken,
    get(name: string, args?: unknown): unknown {
      if (added.has(name)) return resolved(name, args);
      const member = memberInContainer(name);
      if (member === undefined) throw new Error(`Could not resolve service ${name}`);
      if (Object.hasOwn(others, name)) return others[name];
      if (!(member in members)) return missingMember(`strapi.get('${name}')`);
      return REGISTRIES.has(name) ? registryOf(name, members[member] as object) : members[member];
    },
  };
}

/** The read-only methods of a registry of strapi. */
function registryOf(name: string, all: object): object {
  const items = all as Readonly<Record<string, unknown>>;
  const isBelow = (key: string, space: string | undefined): boolean =>
    space === undefined || key.startsWith(space.endsWith('::') ? space : `${space}.`);
  return guarded(`strapi.get('${name}')`, {
    // as in the reference, which gives some of its registries fewer methods than others
    ...(name === 'apis' || name === 'plugins' ? {} : { keys: () => Object.keys(items) }),
    ...(name === 'policies' ? { has: (key: string) => Object.hasOwn(items, key) } : {}),
    get: (key: string) => items[key],
    getAll: (space?: string) => Object.fromEntries(Object.entries(items).filter(([key]) => isBelow(key, space))),
  });
}
