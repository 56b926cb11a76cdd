/** The common members of `strapi.plugin(name)` and `strapi.api(name)`: their parts by name. */
import type { Registry } from '../registry.ts';

export const PART_KINDS = ['controllers', 'services', 'policies', 'middlewares'] as const;

export type PartKind = (typeof PART_KINDS)[number];
export type PartRegistries = Readonly<Record<PartKind, Pick<Registry<unknown>, 'get' | 'uids'>>>;

/**
 * The members for code, created on demand.
 *
 * @param space `plugin::shop`, `api::article`. @param schemas those of content types, by uid.
 */
export function moduleParts(
  space: string,
  registries: PartRegistries,
  schemas: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const nameOf = (uid: string) => uid.slice(space.length + 1);
  const isOwn = (uid: string) => uid.startsWith(`${space}.`);
  const found = (kind: PartKind) => (key: string) => registries[kind].get(`${space}.${key}`);
  const types = Object.entries(schemas).filter(([uid]) => isOwn(uid));
  const contentTypes = Object.fromEntries(types.map(([uid, schema]) => [nameOf(uid), schema]));
  const members = {
    ...{ service: found('services'), controller: found('controllers') },
    ...{ policy: found('policies'), middleware: found('middlewares') },
    contentType: (key: string) => contentTypes[key],
    contentTypes,
  };
  for (const kind of PART_KINDS) {
    const all = () => {
      const uids = registries[kind].uids.filter(isOwn);
      return Object.fromEntries(uids.map((uid) => [nameOf(uid), registries[kind].get(uid)]));
    };
    Object.defineProperty(members, kind, { enumerable: true, get: all });
  }
  return members;
}
