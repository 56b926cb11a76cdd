/**
 * What code is not shown of entries of components that are copied: their passwords. Code sees each entry with its id, and
 * an entry that has kept it is the same one, wherever it stands by then.
 */
import { isObject } from '../../plain-values.ts';
import type { WrittenData } from '../../query/body.ts';
import type { Catalog, ContentType, Model } from '../../schema/catalog.ts';
import { layoutOfModel, type ReadContext } from '../rows/write-context.ts';
import { KeptHash } from '../validation/kept-hash.ts';

type Entry = Readonly<Record<string, unknown>>;
/** The hashes of an entry's passwords by their attributes. */
type Kept = Readonly<Record<string, KeptHash | null>>;

/**
 * Data of a copy as it is to be written: entries without ids, since those of the copy are others, and with the passwords
 * of those that they are.
 *
 * @param copied what code was shown.
 * @param data what it has made of that; passwords in it count.
 */
export async function withPasswords(
  context: ReadContext,
  type: ContentType,
  copied: WrittenData,
  data: WrittenData,
): Promise<WrittenData> {
  const shown = entriesOf(context.catalog, type, copied);
  const asked = [...entriesOf(context.catalog, type, data)].flatMap(([component, ids]) => {
    const passwords = context.plans.index.passwords(component.uid);
    const known = [...ids].filter((id) => shown.get(component)?.has(id));
    return passwords.length > 0 && known.length > 0 ? [{ component, passwords, known }] : [];
  });
  const kept = new Map<Model, Map<number, Kept>>();
  for (const { component, passwords, known } of asked) {
    const { table, columns } = layoutOfModel(context, component);
    const names = passwords.map(({ name }) => columns.get(name)!);
    const rows = await context.tables.select(table, ['id', ...names], { id: known });
    const hashes = rows.map(([id, ...values]) => {
      const own = passwords.map(({ name }, n) => [name, values[n] ? new KeptHash(String(values[n])) : null]);
      return [Number(id), Object.fromEntries(own) as Kept] as const;
    });
    kept.set(component, new Map(hashes));
  }
  return eachEntry(context.catalog, type, data, (component, { id, ...entry }) => {
    const own = Object.entries(kept.get(component)?.get(id as number) ?? {});
    return { ...entry, ...Object.fromEntries(own.filter(([name]) => entry[name] === undefined)) };
  });
}

/** The ids of the entries in data, by their components. */
function entriesOf(catalog: Catalog, type: ContentType, data: WrittenData): Map<Model, Set<number>> {
  const found = new Map<Model, Set<number>>();
  eachEntry(catalog, type, data, (component, entry) => {
    const { id } = entry;
    if (typeof id !== 'number') return entry;
    const ids = found.get(component) ?? new Set();
    found.set(component, ids.add(id));
    return entry;
  });
  return found;
}

/** Data with other entries in the places of its own; of an entry those within it come first. */
function eachEntry(
  catalog: Catalog,
  model: Model,
  data: Entry,
  made: (component: Model, entry: Entry) => Entry,
): Entry {
  const inside = (component: Model | undefined, entry: unknown): unknown =>
    component && isEntry(entry) ? made(component, eachEntry(catalog, component, entry, made)) : entry;
  const values = Object.entries(data).map(([name, value]) => {
    const attribute = model.attributes.get(name);
    const into = (entry: unknown): unknown => {
      if (attribute?.type === 'component') return inside(catalog.components.get(attribute.component), entry);
      if (attribute?.type !== 'dynamiczone' || !isEntry(entry)) return entry;
      return inside(catalog.components.get(String(entry['__component'])), entry);
    };
    return [name, Array.isArray(value) ? value.map(into) : into(value)];
  });
  return Object.fromEntries(values);
}

const isEntry = (value: unknown): value is Entry => isObject(value) && !(value instanceof KeptHash);
