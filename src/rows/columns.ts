/** The columns of rows: attributes of a type as far as a View shows them, and values of what they link. */
import type { View } from '../access/view.ts';
import { validation } from '../errors.ts';
import { at, Failures } from '../failures.ts';
import { meant } from '../nearest.ts';
import {
  type Attribute,
  type ContentType,
  FILE_UID,
  isScalar,
  type MediaAttribute,
  modelOf,
  type RelationAttribute,
  type ScalarAttribute,
} from '../schema/catalog.ts';

/** The most columns of an export and of an imported file. */
export const MOST_COLUMNS = 500;

/** A column of an export. */
export type RowColumn = { readonly name: string } & (
  | { readonly kind: 'field'; readonly attribute: string }
  /** A component or a dynamic zone. */
  | { readonly kind: 'part'; readonly attribute: Exclude<Attribute, ScalarAttribute | RelationAttribute> }
  /** Documents or files, each by one of its fields. */
  | { readonly kind: 'link'; readonly attribute: RelationAttribute | MediaAttribute; readonly by: string }
);

/** The type that an attribute links; undefined for one that links documents of any type, or none. */
export function linkedType(view: View, attribute: Attribute | undefined): ContentType | undefined {
  const uid = attribute?.type === 'media' ? FILE_UID : attribute?.type === 'relation' ? attribute.target : undefined;
  return uid === undefined ? undefined : (modelOf(view.catalog, uid) as ContentType);
}

/** The field by which an attribute links if its column names none. */
export const usualField = ({ type }: Attribute): string => (type === 'media' ? 'id' : 'documentId');

/** The names of the columns that an export has if none are chosen. */
export function usualColumns(view: View, type: ContentType): string[] {
  const times = ['createdAt', 'updatedAt', ...(type.draftAndPublish ? ['publishedAt'] : [])];
  const system = ['documentId', ...(type.localized ? ['locale'] : [])];
  const own = [...type.attributes.keys()].filter((name) => columnOf(view, type, name) !== undefined);
  return [...system, ...own, ...times.filter((name) => !own.includes(name))];
}

/** The column of a name such as `title`, `author` or `author.name`; undefined for one that the View does not show. */
export function columnOf(view: View, type: ContentType, name: string): RowColumn | undefined {
  const { named, populatable } = view.of(type);
  const [first = '', by, ...more] = name.split('.');
  if (by === undefined && named(first).kind === 'field') return { name, kind: 'field', attribute: first };
  const attribute = type.attributes.get(first);
  if (!attribute || isScalar(attribute) || !populatable.includes(first) || more.length > 0) return undefined;
  if (attribute.type === 'component' || attribute.type === 'dynamiczone') {
    return by === undefined ? { name, kind: 'part', attribute } : undefined;
  }
  const target = linkedType(view, attribute);
  const field = by ?? usualField(attribute);
  if (!target || view.of(target).named(field).kind !== 'field') return undefined;
  return { name, kind: 'link', attribute, by: field };
}

/**
 * The columns of an export.
 *
 * @param names separated by commas, or a list; undefined: the usual ones.
 * @throws ContentError 400 for names that the View does not show.
 */
export function columnsOf(view: View, type: ContentType, names: unknown): readonly RowColumn[] {
  const isGiven = names !== undefined && names !== '';
  const list = isGiven ? (Array.isArray(names) ? names : String(names).split(',')) : usualColumns(view, type);
  const chosen = [...new Set(list.map((name) => String(name).trim()))];
  if (chosen.length > MOST_COLUMNS) throw validation(`There can be at most ${MOST_COLUMNS} columns`);
  const failures = new Failures();
  const columns = chosen.flatMap((name) => {
    const column = columnOf(view, type, name);
    const hint = () => meant(name, usualColumns(view, type));
    if (!column) failures.add(at('columns'), `${type.uid} has no column ${name.slice(0, 100)}${hint()}`);
    return column ?? [];
  });
  failures.throwAny();
  return columns;
}
