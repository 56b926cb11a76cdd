/** What a document is linked with: documents of relations, files of media. */
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

/** The links of a relation: those that are there to be shown, and how many there are in all. */
export interface Links {
  readonly items: readonly Linked[];
  readonly count: number;
  /** All that have been read so far, in their order, where there are more than were read at first. */
  readonly known?: readonly Linked[] | undefined;
}

/** Reads the value of a relation: a list, or `{items, count}` where there are more than were read. */
export function linksOf(value: unknown): Links {
  if (isValues(value) && Array.isArray(value['items'])) {
    const items = value['items'].filter(isLinked);
    const known = Array.isArray(value['known']) ? value['known'].filter(isLinked) : undefined;
    return { items, count: Math.max(items.length, Number(value['count']) || 0), known };
  }
  const items = Array.isArray(value) ? value.filter(isLinked) : [];
  return { items, count: items.length };
}

/** Writes links in the form in which they are read. */
export function relationValue({ items, count, known }: Links): unknown {
  if (known) return { items, count, known };
  return count > items.length ? { items, count } : items;
}

/** The links with another page of those that the server has. */
export function withMore({ items, count, known = items }: Links, page: readonly Linked[]): unknown {
  const has = new Set(known.map(linkKey));
  const more = page.filter((link) => !has.has(linkKey(link)));
  const shown = new Set(items.map(linkKey));
  const unseen = more.filter((link) => !shown.has(linkKey(link)));
  return { items: [...items, ...unseen], count, known: [...known, ...more] };
}

/** The links without one of them, or with others behind them. */
export function withLinks(links: Links, items: readonly Linked[]): unknown {
  return relationValue({ ...links, items, count: links.count + items.length - links.items.length });
}

function isLinked(value: unknown): value is Linked {
  return isValues(value) && typeof value['documentId'] === 'string';
}

/** Tells links apart: documents of different types may have the same id, and a document may be linked in two locales. */
export function linkKey({ type, documentId, locale }: Linked): string {
  return `${type}:${documentId}:${locale ?? ''}`;
}

/** The files of a media attribute, in their order. */
export function filesOf(value: unknown): readonly MediaFile[] {
  const isFile = (file: unknown): file is MediaFile => isValues(file) && typeof file['id'] === 'number';
  return Array.isArray(value) ? value.filter(isFile) : [];
}

/**
 * The values of a document, with how many documents each relation links where only the first of them were read.
 *
 * @param counts by the path of the relation: `zone.2.articles`.
 */
export function withCounts(
  schema: Schema,
  model: Model,
  values: Values,
  counts: Readonly<Record<string, number>>,
): Values {
  return Object.keys(counts).length === 0 ? values : counted(schema, model, values, (path) => counts[path], '');
}

/** Links that are told of a relation: where there are as many, there may be more. */
const MOST_TOLD = 25;

/** What is published, with how many documents its relations link; null where nothing is. */
export function publishedWithCounts(
  schema: Schema,
  model: Model,
  answer: { readonly published: Values | null; readonly publishedCounts?: Readonly<Record<string, number>> },
): Values | null {
  const { published, publishedCounts } = answer;
  if (!published) return null;
  if (publishedCounts) return withCounts(schema, model, published, publishedCounts);
  const countOf = (_path: string, told: number) => (told < MOST_TOLD ? undefined : told + 1);
  return counted(schema, model, published, countOf, '');
}

/** Whether there are links in a value, however deep, that were not read. */
export function isCut(schema: Schema, attribute: Attribute, value: unknown): boolean {
  if (attribute.type === 'relation') {
    const { items, count } = linksOf(value);
    return count > items.length;
  }
  if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return false;
  return entriesOf(value).some((row) =>
    componentOf(schema, attribute, row)?.attributes.some((inner) => isCut(schema, inner, row[inner.name])),
  );
}

/** The documents that values link, however deep, and that are only drafts: each once. */
export function linkedDrafts(schema: Schema, model: Model, values: Values): readonly Linked[] {
  const within = (at: Model | undefined, row: Values): readonly Linked[] =>
    (at?.attributes ?? []).flatMap((attribute) => {
      const value = row[attribute.name];
      if (attribute.type === 'relation') return linksOf(value).items.filter(({ state }) => state === 'draft');
      if (attribute.type !== 'component' && attribute.type !== 'dynamiczone') return [];
      return entriesOf(value).flatMap((one) => within(componentOf(schema, attribute, one), one));
    });
  return [...new Map(within(model, values).map((link) => [linkKey(link), link])).values()];
}

type CountOf = (path: string, told: number) => number | undefined;

function counted(schema: Schema, model: Model | undefined, values: Values, countOf: CountOf, prefix: string): Values {
  const result: Record<string, unknown> = { ...values };
  for (const attribute of model?.attributes ?? []) {
    const { name, type } = attribute;
    const value = values[name];
    const path = `${prefix}${name}`;
    if (type === 'relation') {
      const { items } = linksOf(value);
      const count = countOf(path, items.length);
      if (count !== undefined) result[name] = relationValue({ items, count });
    } else if (type === 'component' && isValues(value)) {
      result[name] = counted(schema, componentOf(schema, attribute, value), value, countOf, `${path}.`);
    } else if ((type === 'component' || type === 'dynamiczone') && Array.isArray(value)) {
      result[name] = rowsOf(value).map((row, index) =>
        counted(schema, componentOf(schema, attribute, row), row, countOf, `${path}.${index}.`),
      );
    }
  }
  return result;
}
