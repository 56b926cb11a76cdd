/**
 * The content of a recorded version: JSON with every attribute of the document, components in full depth, relations as
 * the ordered `documentId`s (and locales) of their targets, and files by id and name.
 */
import { permitQuery } from '../access/authorize.ts';
import type { View } from '../access/view.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { jsonOf, query } from '../db/interface/statements.ts';
import type { Filled } from '../plan/filled.ts';
import { planRead } from '../plan/read.ts';
import { Budget } from '../query/budget.ts';
import type { RawObject } from '../query/params.ts';
import { parseQuery } from '../query/parse.ts';
import {
  type Attribute,
  type ComponentAttribute,
  type ContentType,
  CREATORS,
  type DynamicZoneAttribute,
  isScalar,
  isToMany,
  type Model,
  modelOf,
  type ScalarAttribute,
} from '../schema/catalog.ts';
import type { Layout } from '../schema/layout/layout.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Sql } from '../sql/fragment.ts';
import { compileWithMembers, RECORD } from '../sql/history.ts';
import { compileRead } from '../sql/read.ts';
import type { Content } from './version.ts';

/** The most links of one list that are recorded: a longer list is recorded with one more, and is not restored. */
export const LINKS = 1000;
/** Levels of components: deeper ones cannot be written. */
const DEPTH = 12;
/** Bytes of the longest content: more than a document can hold. */
const LONGEST = 1_000_000_000;

/** An attribute whose values are stored outside of the row. */
type Populated = Exclude<Attribute, ScalarAttribute>;

/** The attributes of a model that a content populates. */
const populatedOf = (view: View, model: Model): Populated[] =>
  view.of(model).populatable.flatMap((name) => {
    const attribute = model.attributes.get(name);
    return !attribute || isScalar(attribute) || CREATORS.includes(name) ? [] : [attribute];
  });

/** The `populate` of everything in the documents of a model. */
function contentPopulate(view: View, model: Model, filled?: Filled, depth = 0): RawObject {
  const populate: RawObject = {};
  if (depth > DEPTH) return populate;
  const inside = (component: Model): RawObject => ({
    populate: contentPopulate(view, component, undefined, depth + 1),
  });
  for (const attribute of populatedOf(view, model)) {
    const { name } = attribute;
    if (filled && isEmpty(attribute, filled)) continue;
    switch (attribute.type) {
      case 'media':
        populate[name] = { fields: ['documentId', 'name'] };
        break;
      case 'relation':
        populate[name] =
          attribute.target === undefined
            ? { on: Object.fromEntries(view.types.map((type) => [type.uid, { fields: fieldsOf(type) }])) }
            : { fields: fieldsOf(modelOf(view.catalog, attribute.target)) };
        break;
      case 'component':
        populate[name] = inside(modelOf(view.catalog, attribute.component));
        break;
      case 'dynamiczone':
        populate[name] = {
          on: Object.fromEntries(kindsOf(attribute, filled).map((uid) => [uid, inside(modelOf(view.catalog, uid))])),
        };
    }
  }
  return populate;
}

const fieldsOf = (model: Model): string[] => [
  'documentId',
  ...(model.modelType === 'contentType' && model.localized ? ['locale'] : []),
];

/** The kinds of components in an attribute; those of a row where it is known which these are. */
function kindsOf(attribute: ComponentAttribute | DynamicZoneAttribute, filled: Filled | undefined): readonly string[] {
  const kinds = attribute.type === 'component' ? [attribute.component] : attribute.components;
  return filled ? kinds.filter((uid) => filled.components.get(attribute.name)?.has(uid)) : kinds;
}

const isEmpty = (attribute: Populated, filled: Filled): boolean =>
  attribute.type === 'component' || attribute.type === 'dynamiczone'
    ? kindsOf(attribute, filled).length === 0
    : filled.unlinked.has(attribute.name);

/** The members of a JSON object that a read gives a row for its attributes without values. */
function emptyMembers(view: View, type: ContentType, filled: Filled): string {
  const empty = populatedOf(view, type).filter((attribute) => isEmpty(attribute, filled));
  return empty.map(({ name }) => `${JSON.stringify(name)}:${isToMany(type, name) ? '[]' : 'null'},`).join('');
}

/**
 * A scalar query of a row's content as JSON text, with the id of the row in the slot `RECORD.row`.
 *
 * @param view shows everything.
 * @param filled the attributes of the row that may have values: all where undefined. The query reads no other tables.
 * @throws ContentError 400 for a type with more nested components than one statement reads.
 */
export function compileContent(dialect: Dialect, layout: Layout, view: View, type: ContentType, filled?: Filled): Sql {
  const { query: parsed } = parseQuery({ populate: contentPopulate(view, type, filled) });
  const budget = new Budget();
  // a row with drafts links rows of its own state; one without links both rows of a document, of which one is recorded
  const status = type.draftAndPublish ? 'either' : 'draft';
  const permitted = permitQuery(view, type, { ...parsed, status }, budget);
  const slots = { locales: undefined, documentId: undefined, rowId: RECORD.row, page: undefined, linked: LINKS + 1 };
  const { plan } = planRead(view.catalog, layout, permitted, slots);
  const content = compileRead(dialect, plan, { bytes: false, longest: LONGEST }, budget);
  const empty = filled ? emptyMembers(view, type, filled) : '';
  return empty === '' ? content : compileWithMembers(content, empty);
}

/**
 * The present content of a row.
 *
 * @param db the database, or a transaction that sees its own writes.
 * @param view shows everything.
 */
export async function presentContent(
  db: Queryable,
  layout: Layout,
  view: View,
  type: ContentType,
  rowId: number,
): Promise<Content> {
  const [row] = await query(db, compileContent(db.dialect, layout, view, type), [rowId]);
  return jsonOf(row![0]) as Content;
}
