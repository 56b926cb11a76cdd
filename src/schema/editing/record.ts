/**
 * The record of the schemas to which the content of a database belongs. Compared with the schema files, it tells what has
 * changed; `renamedFrom` in the files tells where the content of renamed attributes and types was before.
 */
import { isObject } from '../../plain-values.ts';
import type { RawSchema, SchemaRecord } from '../built-in.ts';
import type { Catalog, Model } from '../catalog.ts';
import type { SchemaSource } from '../files.ts';
import { isSameJson } from './json-text.ts';
import type { FormerNames } from './places.ts';

/** Attributes of a type whose values move into a component of its own, all in one attribute. */
export interface ComponentMove {
  readonly uid: string;
  /** The attribute with the component. */
  readonly attribute: string;
  /** Attributes of the component with the former ones of the type. */
  readonly from: ReadonlyMap<string, string>;
}

/** Schemas of before, with the names that `renamedFrom` connects with those of now. */
export interface FormerSchemas {
  readonly record: SchemaRecord;
  readonly names: FormerNames;
  readonly moved: readonly ComponentMove[];
}

const modelsOf = ({ contentTypes, components }: Catalog): Model[] => [...contentTypes.values(), ...components.values()];

/** The record of the project's own schemas. */
export const recordOf = (catalog: Catalog): SchemaRecord =>
  Object.fromEntries(
    modelsOf(catalog)
      .filter((model) => model.modelType === 'component' || !model.builtIn)
      .map(({ uid, declared }) => [uid, declared]),
  );

/** The sources of recorded schemas, with the built-in types of now. */
export function recordedSources(
  record: SchemaRecord,
  now: readonly SchemaSource[],
  uidOf: (one: SchemaSource) => string,
) {
  const known = new Map(now.map((source) => [uidOf(source), source]));
  const builtIn = now.filter((source) => source.role === 'builtIn' && record[uidOf(source)] === undefined);
  const recorded = Object.entries(record).map(([uid, raw]): SchemaSource => {
    const source = known.get(uid);
    if (source) return { ...source, raw };
    const [, api, folder] = /^api::([^.]+)\.(.+)$/.exec(uid) ?? [];
    if (api !== undefined) return { role: 'contentType', api, folder: folder!, file: uid, raw };
    if (uid.includes('::')) return { role: 'plugin', uid, file: uid, raw };
    const [category = '', name = ''] = uid.split('.');
    return { role: 'component', category, name, file: uid, raw };
  });
  return [...builtIn, ...recorded];
}

/**
 * The schemas of before, from their record.
 *
 * @param record undefined if the database has none: then the content is that of the schemas of now, apart from what
 *   these say of former names.
 */
export function formerSchemas(recorded: SchemaRecord | undefined, now: SchemaRecord): FormerSchemas {
  const before: Record<string, RawSchema> = { ...(recorded ?? withoutRenames(now)) };
  const types = new Map<string, string>();
  const attributes = new Map<string, ReadonlyMap<string, string>>();
  const moved: ComponentMove[] = [];
  for (const [uid, raw] of Object.entries(now)) {
    const from = raw['renamedFrom'];
    const isDone = before[uid] !== undefined && before[uid]['renamedFrom'] === from;
    if (typeof from !== 'string' || isDone || before[from] === undefined || now[from] !== undefined) continue;
    types.set(uid, from);
    // a start may have added an empty table of the new name
    delete before[uid];
  }
  for (const [uid, raw] of Object.entries(now)) {
    const former = types.get(uid) ?? uid;
    const old = before[former];
    if (!old) continue;
    const own = attributesIn(raw);
    const known = attributesIn(old);
    const isPending = (name: string) => {
      const from = own[name]!['renamedFrom'];
      return from !== undefined && !isSameJson(known[name]?.['renamedFrom'], from);
    };
    // names that are free in the schema of now, or become free because their attribute is renamed as well
    const isFree = (name: string) => own[name] === undefined || isPending(name);
    const names = new Map<string, string>();
    const added: Record<string, RawSchema> = {};
    const replaced = new Set<string>();
    for (const [name, attribute] of Object.entries(own)) {
      const from = attribute['renamedFrom'];
      if (!isPending(name)) continue;
      if (typeof from === 'string' && isFree(from)) {
        names.set(name, from);
        if (known[from] === undefined) added[from] = without(attribute);
        replaced.add(name);
      } else if (isObject(from)) {
        const component = attributesIn(now[String(attribute['component'])] ?? {});
        const pairs = Object.entries(from).filter(
          ([to, one]) => component[to] !== undefined && typeof one === 'string' && isFree(one),
        ) as [string, string][];
        for (const [to, one] of pairs) if (known[one] === undefined) added[one] = without(component[to]!);
        if (pairs.length > 0) moved.push({ uid, attribute: name, from: new Map(pairs) });
      }
    }
    if (names.size > 0) attributes.set(uid, names);
    // a start may have added empty columns of the new names
    const used = new Set(names.values());
    const kept = Object.entries(known).filter(([name]) => !replaced.has(name) || used.has(name));
    before[former] = { ...old, attributes: { ...Object.fromEntries(kept), ...added } };
  }
  return { record: before, names: { types, attributes }, moved };
}

/** Schemas as if what is renamed were not there yet. */
function withoutRenames(now: SchemaRecord): SchemaRecord {
  const strip = (raw: RawSchema): RawSchema => ({
    ...without(raw),
    attributes: Object.fromEntries(Object.entries(attributesIn(raw)).map(([name, one]) => [name, without(one)])),
  });
  return Object.fromEntries(Object.entries(now).map(([uid, raw]) => [uid, strip(raw)]));
}

const without = ({ renamedFrom: _, ...rest }: RawSchema): RawSchema => rest;

const attributesIn = (raw: RawSchema): Readonly<Record<string, RawSchema>> => {
  const attributes = raw['attributes'];
  if (!isObject(attributes)) return {};
  return Object.fromEntries(Object.entries(attributes).filter(([, one]) => isObject(one))) as Record<string, RawSchema>;
};
