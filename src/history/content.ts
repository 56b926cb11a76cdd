/**
 * The content of a recorded version: JSON with every attribute of the document, components in full depth, relations as
 * the ordered `documentId`s (and locales) of their targets, and files by id and name.
 */
import { permitQuery } from '../access/authorize.ts';
import type { View } from '../access/view.ts';
import { planRead } from '../plan/read.ts';
import { Budget } from '../query/budget.ts';
import type { RawObject } from '../query/params.ts';
import { parseQuery } from '../query/parse.ts';
import { type ContentType, CREATORS, type Model, modelOf } from '../schema/catalog.ts';
import type { Layout } from '../schema/layout/layout.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Sql } from '../sql/fragment.ts';
import { RECORD } from '../sql/history.ts';
import { compileRead } from '../sql/read.ts';

/** The most links of one list that are recorded: a longer list is recorded with one more, and is not restored. */
export const LINKS = 1000;
/** Levels of components: deeper ones cannot be written. */
const DEPTH = 12;
/** Bytes of the longest content: more than a document can hold. */
const LONGEST = 1_000_000_000;

/** The `populate` of everything in the documents of a model. */
function contentPopulate(view: View, model: Model, depth = 0): RawObject {
  const populate: RawObject = {};
  if (depth > DEPTH) return populate;
  const inside = (component: Model): RawObject => ({ populate: contentPopulate(view, component, depth + 1) });
  for (const name of view.of(model).populatable) {
    const attribute = model.attributes.get(name);
    if (!attribute || CREATORS.includes(name)) continue;
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
          on: Object.fromEntries(attribute.components.map((uid) => [uid, inside(modelOf(view.catalog, uid))])),
        };
    }
  }
  return populate;
}

const fieldsOf = (model: Model): string[] => [
  'documentId',
  ...(model.modelType === 'contentType' && model.localized ? ['locale'] : []),
];

/**
 * A scalar query of a row's content as JSON text, with the id of the row in the slot `RECORD.row`.
 *
 * @param view shows everything.
 * @throws ContentError 400 for a type with more nested components than one statement reads.
 */
export function compileContent(dialect: Dialect, layout: Layout, view: View, type: ContentType): Sql {
  const { query } = parseQuery({ populate: contentPopulate(view, type) });
  const budget = new Budget();
  // a row with drafts links rows of its own state; one without links both rows of a document, of which one is recorded
  const status = type.draftAndPublish ? 'either' : 'draft';
  const permitted = permitQuery(view, type, { ...query, status }, budget);
  const slots = { locales: undefined, documentId: undefined, rowId: RECORD.row, page: undefined, linked: LINKS + 1 };
  const { plan } = planRead(view.catalog, layout, permitted, slots);
  return compileRead(dialect, plan, { bytes: false, longest: LONGEST }, budget);
}
