/** The links of a document: documents of relations, files of media. */
import type { Linked } from '../../../contract/documents.ts';
import type { MediaFile } from '../../../contract/media.ts';
import {
  type Attribute,
  componentOf,
  entriesOf,
  isValues,
  type Model,
  rowsOf,
  type Schema,
  type Values,
} from './model.ts';

export type { Linked, MediaFile };

/** The links of a relation. The first ones and the last ones are loaded; others in between may not be. */
export interface Links {
  readonly items: readonly Linked[];
  /** Links that were added at the end, after those that are not loaded. */
  readonly tail: readonly Linked[];
  /** The total number of links. */
  readonly count: number;
  /** The number of links that are not loaded and lead to unpublished documents; undefined if it is unknown. */
  readonly drafts?: number | undefined;
  /** The loaded links as the server has them; undefined if they are the initial ones. */
  readonly known?: readonly Linked[] | undefined;
  readonly knownTail?: readonly Linked[] | undefined;
}

/** Reads the value of a relation: a list, or an object if not all links are or were loaded. */
export function linksOf(value: unknown): Links {
  if (isValues(value) && Array.isArray(value['items'])) {
    const listAt = (name: string): readonly Linked[] | undefined => {
      const list = value[name];
      return Array.isArray(list) ? list.filter(isLinked) : undefined;
    };
    const [items, tail = []] = [listAt('items')!, listAt('tail')];
    const count = Math.max(items.length + tail.length, Number(value['count']) || 0);
    const drafts = typeof value['drafts'] === 'number' ? value['drafts'] : undefined;
    return { items, tail, count, drafts, known: listAt('known'), knownTail: listAt('knownTail') };
  }
  const items = Array.isArray(value) ? value.filter(isLinked) : [];
  return { items, tail: [], count: items.length, drafts: 0 };
}

/** The loaded links, in order. */
export const loadedLinks = ({ items, tail }: Pick<Links, 'items' | 'tail'>): readonly Linked[] =>
  tail.length === 0 ? items : [...items, ...tail];

/** The number of links that are not loaded. */
export const unloadedOf = ({ items, tail, count }: Links): number => Math.max(0, count - items.length - tail.length);

/** Writes links in the format in which they are read. */
export function relationValue(links: Links): unknown {
  const { items, tail, count, drafts, known, knownTail } = links;
  const isWhole = unloadedOf(links) === 0;
  if (isWhole && known === undefined) return loadedLinks(links);
  // Without unloaded links between them, the two lists become one.
  if (isWhole && tail.length + (knownTail?.length ?? 0) > 0) {
    const one = { items: loadedLinks(links), count: items.length + tail.length };
    return { ...one, known: [...known!, ...(knownTail ?? [])] };
  }
  return {
    items,
    count,
    ...(!isWhole && drafts !== undefined && { drafts }),
    ...(tail.length > 0 && { tail }),
    ...(known && { known }),
    ...(knownTail && knownTail.length > 0 && { knownTail }),
  };
}

const draftsIn = (links: readonly Linked[]): number => links.filter(({ state }) => state === 'draft').length;

/** The number of links to unpublished documents; undefined if it is unknown. */
export function draftsOf(links: Links): number | undefined {
  const unread = unloadedOf(links) === 0 ? 0 : links.drafts;
  return unread === undefined ? undefined : draftsIn(loadedLinks(links)) + unread;
}

/** A number of unpublished documents, minus those of some links. */
const less = (drafts: number | undefined, links: readonly Linked[]): number | undefined =>
  drafts === undefined ? undefined : Math.max(0, drafts - draftsIn(links));

/** Adds a page of links from the server. */
export function withMore(links: Links, page: readonly Linked[]): unknown {
  const { items, tail, known = items, knownTail = [] } = links;
  const has = new Set([...known, ...knownTail].map(linkKey));
  const more = page.filter((link) => !has.has(linkKey(link)));
  const shown = new Set(loadedLinks(links).map(linkKey));
  const unseen = more.filter((link) => !shown.has(linkKey(link)));
  const next = { ...links, items: [...items, ...unseen], known: [...known, ...more] };
  // If the page has nothing new, all links are loaded.
  const count = unseen.length === 0 ? next.items.length + tail.length : links.count;
  return relationValue({ ...next, count, drafts: less(links.drafts, unseen) });
}

/** Replaces the loaded links. */
export function withLinks(links: Links, items: readonly Linked[], tail: readonly Linked[] = []): unknown {
  const count = links.count + items.length + tail.length - links.items.length - links.tail.length;
  return relationValue({ ...links, items, tail, count });
}

/** Adds a link at the end, after those that are not loaded. */
export function withLink(links: Links, link: Linked): unknown {
  const { items, tail } = links;
  return unloadedOf(links) === 0 ? withLinks(links, [...items, link]) : withLinks(links, items, [...tail, link]);
}

/** Removes a link. */
export function withoutLink(links: Links, link: Linked): unknown {
  const others = (list: readonly Linked[]) => list.filter((other) => other !== link);
  return withLinks(links, others(links.items), others(links.tail));
}

/** Moves a loaded link. */
export function withMoved(links: Links, from: number, to: number): unknown {
  const { length: head } = links.items;
  const list = loadedLinks(links);
  const moved = list.toSpliced(from, 1).toSpliced(to, 0, list[from]!);
  // Across the links that are not loaded.
  const end = from < head && to >= head ? head - 1 : from >= head && to < head ? head + 1 : head;
  return relationValue({ ...links, items: moved.slice(0, end), tail: moved.slice(end) });
}

/** The position of a loaded link among all links, from 0 on. */
export const placeOf = (links: Links, index: number): number =>
  index < links.items.length ? index : index + unloadedOf(links);

/** Whether two lists have the same documents in the same order. */
const areSame = (a: readonly Linked[], b: readonly Linked[]): boolean =>
  a.length === b.length && a.every((link, index) => linkKey(link) === linkKey(b[index]!));

/** Whether one list is the beginning of the other. */
export function beginAlike(a: readonly Linked[], b: readonly Linked[]): boolean {
  const length = Math.min(a.length, b.length);
  return areSame(a.slice(0, length), b.slice(0, length));
}

/** Whether the links are those of the server. Links that were loaded since then do not count as a difference. */
export function areStored(a: Links, b: Links): boolean {
  const isPlain = ({ known, tail }: Links): boolean => known === undefined && tail.length === 0;
  const [links, server] = isPlain(b) ? [a, b] : [b, a];
  if (a.count !== b.count) return false;
  if (!isPlain(server) || isPlain(links)) return areSame(a.items, b.items) && areSame(a.tail, b.tail);
  const { items, tail, known = server.items, knownTail = [] } = links;
  return areSame(items, known) && areSame(tail, knownTail) && beginAlike(known, server.items);
}

/**
 * The links of the server, together with those that were loaded before and still exist.
 *
 * @param links the links that the server had before.
 */
export function withLoaded(links: Links, server: unknown): unknown {
  const now = linksOf(server);
  const { items, tail } = links;
  if (unloadedOf(now) === 0 || items.length + tail.length <= now.items.length) return server;
  if (!beginAlike(items, now.items)) return server;
  const head = [...now.items, ...items.slice(now.items.length)];
  const inHead = new Set(head.map(linkKey));
  const rest = tail.filter((link) => !inHead.has(linkKey(link)));
  if (head.length + rest.length > now.count) return server;
  const drafts = less(draftsOf(now), [...head, ...rest]);
  return relationValue({ items: head, tail: rest, count: now.count, drafts, known: head, knownTail: rest });
}

function isLinked(value: unknown): value is Linked {
  return isValues(value) && typeof value['documentId'] === 'string';
}

/**
 * The key of a link. Documents of different types may have the same id, and a document may be linked in two locales.
 */
export function linkKey({ type, documentId, locale }: Linked): string {
  return `${type}:${documentId}:${locale ?? ''}`;
}

/** The files of a media attribute, in order. */
export function filesOf(value: unknown): readonly MediaFile[] {
  const isFile = (file: unknown): file is MediaFile => isValues(file) && typeof file['id'] === 'number';
  return Array.isArray(value) ? value.filter(isFile) : [];
}

/** Keyed by the path of a relation: `zone.2.articles`. */
type Counts = Readonly<Record<string, number>>;

/**
 * Adds to the values of a draft how many documents its partly loaded relations link, and how many of these are
 * unpublished.
 */
export function withCounts(
  schema: Schema,
  model: Model,
  values: Values,
  { counts, draftCounts }: { readonly counts: Counts; readonly draftCounts?: Counts },
): Values {
  if (Object.keys(counts).length === 0) return values;
  return counted(
    schema,
    model,
    values,
    (path) => counts[path],
    '',
    (path) => draftCounts?.[path],
  );
}

/** The number of links that the server returns with a document. A relation with as many may have more. */
const INITIAL_LINKS = 25;

/** Adds to a published version how many documents its relations link; null if there is none. */
export function publishedWithCounts(
  schema: Schema,
  model: Model,
  answer: { readonly published: Values | null; readonly publishedCounts?: Readonly<Record<string, number>> },
): Values | null {
  const { published, publishedCounts } = answer;
  if (!published) return null;
  if (publishedCounts) return withCounts(schema, model, published, { counts: publishedCounts });
  const countOf = (_path: string, total: number) => (total < INITIAL_LINKS ? undefined : total + 1);
  return counted(schema, model, published, countOf, '');
}

/** Whether a value contains links that are not loaded. */
export function isPartlyLoaded(schema: Schema, attribute: Attribute, value: unknown): boolean {
  if (attribute.type === 'relation') return unloadedOf(linksOf(value)) > 0;
  if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return false;
  return entriesOf(value).some((row) =>
    componentOf(schema, attribute, row)?.attributes.some((inner) => isPartlyLoaded(schema, inner, row[inner.name])),
  );
}

/** The unpublished documents that values link: each loaded one once, and the number of the others. */
export function linkedDrafts(
  schema: Schema,
  model: Model,
  values: Values,
): { readonly links: readonly Linked[]; readonly unread: number } {
  const links = new Map<string, Linked>();
  let unread = 0;
  const within = (at: Model | undefined, row: Values): void => {
    for (const attribute of at?.attributes ?? []) {
      const value = row[attribute.name];
      if (attribute.type === 'relation') {
        const found = linksOf(value);
        unread += found.drafts ?? 0;
        for (const link of loadedLinks(found)) if (link.state === 'draft') links.set(linkKey(link), link);
      } else if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
        for (const one of entriesOf(value)) within(componentOf(schema, attribute, one), one);
      }
    }
  };
  within(model, values);
  return { links: [...links.values()], unread };
}

/** A value as it would be published: without links to unpublished documents. */
export function asPublished(schema: Schema, attribute: Attribute, value: unknown): unknown {
  const { type } = attribute;
  if (type === 'relation') {
    const links = linksOf(value);
    const published = (list: readonly Linked[]) => list.filter(({ state }) => state !== 'draft');
    const [items, tail] = [published(links.items), published(links.tail)];
    const count = links.count - (draftsOf(links) ?? draftsIn(loadedLinks(links)));
    return relationValue({ items, tail, count });
  }
  if (type !== 'component' && type !== 'dynamiczone') return value;
  const inside = (row: Values): Values => {
    const { attributes = [] } = componentOf(schema, attribute, row) ?? {};
    const own = attributes.filter(({ name }) => row[name] !== undefined);
    return { ...row, ...Object.fromEntries(own.map((one) => [one.name, asPublished(schema, one, row[one.name])])) };
  };
  if (Array.isArray(value)) return rowsOf(value).map(inside);
  return isValues(value) ? inside(value) : value;
}

type CountOf = (path: string, total: number) => number | undefined;

function counted(
  schema: Schema,
  model: Model | undefined,
  values: Values,
  countOf: CountOf,
  prefix: string,
  draftsAt: (path: string) => number | undefined = () => 0,
): Values {
  const result: Record<string, unknown> = { ...values };
  const inside = (attribute: Attribute, row: Values, path: string): Values =>
    counted(schema, componentOf(schema, attribute, row), row, countOf, path, draftsAt);
  for (const attribute of model?.attributes ?? []) {
    const { name, type } = attribute;
    const value = values[name];
    const path = `${prefix}${name}`;
    if (type === 'relation') {
      const links = linksOf(value);
      const count = countOf(path, links.items.length);
      const drafts = less(draftsAt(path), links.items);
      if (count !== undefined) result[name] = relationValue({ ...links, count, drafts });
    } else if (type === 'component' && isValues(value)) {
      result[name] = inside(attribute, value, `${path}.`);
    } else if ((type === 'component' || type === 'dynamiczone') && Array.isArray(value)) {
      result[name] = rowsOf(value).map((row, index) => inside(attribute, row, `${path}.${index}.`));
    }
  }
  return result;
}
