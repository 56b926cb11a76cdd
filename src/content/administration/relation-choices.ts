/** The documents that a relation links, and those that it could link. */
import { isEdited } from '../../access/administrators/administrator-rights.ts';
import type { View } from '../../access/view.ts';
import { forbidden, notFound, validation } from '../../errors.ts';
import { type Page, pageMeta } from '../../query/page.ts';
import type { RawObject, RawValue } from '../../query/params.ts';
import {
  type Attribute,
  type ContentType,
  isToMany,
  type Model,
  modelOf,
  type RelationAttribute,
  TEXT_TYPES,
} from '../../schema/catalog.ts';
import { fillStates } from './document-states.ts';
import type { Address, EditingContext, Editor } from './edited-documents.ts';
import {
  type FoundLinks,
  type LinkedDocument,
  labelOf,
  linkedDocument,
  linkedFields,
  type Values,
} from './form-values.ts';

export interface LinkedPage<Document extends LinkedDocument = LinkedDocument> {
  readonly data: readonly Document[];
  /** JSON text. */
  readonly pagination: string;
}

/** A document that can be linked, with values that distinguish it from others of the same name. */
export interface Choice extends LinkedDocument {
  readonly updatedAt: string;
  /** Short texts of the document, from the same attributes for all of a type. */
  readonly details: readonly (string | null)[];
}

/** The query parameters of a relation's choices. */
export interface ChoicesQuery {
  readonly locale: string | undefined;
  /** Text that is looked for. */
  readonly q: RawValue;
  readonly page: Page;
  /** The type that is looked in, where the attribute links any. */
  readonly type: RawValue;
}

/** Links that may be paged through. */
const MOST = 10_000;
/** Types of the attributes shown with a choice, the most distinctive first. */
const DETAILS = 2;
const TELLING: readonly string[] = ['uid', 'string', 'email', 'enumeration'];
/** Characters shown of one attribute. */
const DETAIL_LENGTH = 80;

type Context = Pick<EditingContext, 'catalog' | 'reader' | 'mainFields'>;

/**
 * A page of the documents that an attribute can link: those named exactly like the searched text first, then others
 * whose name contains it; in each group the last changed first.
 *
 * @param path from the model through components to the attribute: `seo.articles`.
 * @throws ContentError 404 for a missing or hidden attribute; 403 if the administrator may not read its target; 400 for
 * a wrong type.
 */
export async function relationChoices(
  context: Context,
  editor: Editor,
  model: Model,
  path: string,
  choices: ChoicesQuery,
): Promise<LinkedPage<Choice>> {
  const viewer = editor('read');
  const { view } = viewer;
  const type = targetType(view, relationAt(view, model, path), choices.type);
  if (!view.of(type).isSeen) throw forbidden();
  const mainFieldOf = await context.mainFields.of(view);
  const telling = distinctiveFields(view, type, mainFieldOf(type));
  const params: RawObject = {
    fields: [...new Set([...linkedFields(type, mainFieldOf), ...telling])],
    status: 'draft',
    sort: 'updatedAt:desc',
    ...(choices.locale === undefined ? {} : { locale: choices.locale }),
  };
  const read = async (search: RawObject, page: Page) => {
    const { data, total = 0 } = await context.reader.list(type, viewer, { ...params, ...search }, { page });
    return { rows: JSON.parse(data) as Values[], total };
  };
  const { rows, total } = await readSearched(read, searchesOf(view, type, mainFieldOf(type), choices.q), choices.page);
  const found: FoundLinks = { links: [], cut: [] };
  const linked = rows.map((row) => linkedDocument(type, row, mainFieldOf, found));
  await fillStates(context, viewer, found);
  const data = linked.map((document, n): Choice => {
    const { updatedAt, ...row } = rows[n]!;
    const details = telling.map((name) => labelOf(row[name])?.slice(0, DETAIL_LENGTH) ?? null);
    return { ...document, updatedAt: String(updatedAt), details };
  });
  return { data, pagination: pageMeta(choices.page, total) };
}

/** A page of several searches in sequence, no two of which find the same document. */
async function readSearched(
  read: (search: RawObject, page: Page) => Promise<{ readonly rows: readonly Values[]; readonly total: number }>,
  searches: readonly RawObject[],
  page: Page,
): Promise<{ readonly rows: readonly Values[]; readonly total: number }> {
  const rows: Values[] = [];
  let total = 0;
  for (const search of searches) {
    const limit = page.limit - rows.length;
    const offset = Math.max(0, page.offset - total);
    // one that is not shown any more is counted all the same
    const answer = await read(search, { mode: 'offset', offset, limit: Math.max(1, limit), withCount: true });
    rows.push(...answer.rows.slice(0, limit));
    total += answer.total;
  }
  return { rows, total };
}

/** Attributes of short texts that may distinguish documents of one name. */
function distinctiveFields(view: View, type: ContentType, mainField: string): readonly string[] {
  const { readable } = view.of(type);
  const rank = (name: string): number => TELLING.indexOf(type.attributes.get(name)?.type ?? '');
  const fields = readable.filter((name) => name !== mainField && rank(name) >= 0);
  return fields.toSorted((a, b) => rank(a) - rank(b)).slice(0, DETAILS);
}

/**
 * A page of the documents that an attribute of a draft links, in its order.
 *
 * @throws ContentError 404 for a missing document or attribute, 400 for a wrong page.
 */
export async function linkedPage(
  context: Context,
  editor: Editor,
  { type, documentId, locale }: Address,
  name: string,
  page: Page,
): Promise<LinkedPage> {
  const viewer = editor('read');
  const { view } = viewer;
  const attribute = relationAt(view, type, name);
  if (!isToMany(type, name)) throw validation(`${name} links one document at most`);
  const end = page.offset + page.limit;
  if (end > MOST) throw validation(`Only the first ${MOST} entries of ${name} can be browsed`);
  const mainFieldOf = await context.mainFields.of(view);
  const shape = (target: Model) => ({ fields: linkedFields(target, mainFieldOf) });
  const populate: RawValue =
    attribute.target === undefined
      ? { on: Object.fromEntries(view.types.map((target) => [target.uid, shape(target)])) }
      : shape(modelOf(view.catalog, attribute.target));
  const params = { fields: ['documentId'], status: 'draft', ...(locale === undefined ? {} : { locale }) };
  const single = documentId === undefined ? ({ kind: 'single' } as const) : ({ kind: 'document', documentId } as const);
  const read = (entry: RawValue, linked?: number) =>
    context.reader.one(type, viewer, { ...params, populate: { [name]: entry } }, single, linked ? { linked } : {});
  const links = await read(populate, end);
  const counted = await read({ count: true });
  if (!links || !counted) throw notFound();
  const { count = 0 } = ((JSON.parse(counted.data) as Values)[name] ?? {}) as { readonly count?: number };
  const found: FoundLinks = { links: [], cut: [] };
  const listed = ((JSON.parse(links.data) as Values)[name] ?? []) as readonly Values[];
  const data = listed.slice(page.offset).map((document) => {
    const target = modelOf(view.catalog, attribute.target ?? String(document['__type']));
    return linkedDocument(target, document, mainFieldOf, found);
  });
  await fillStates(context, viewer, found);
  return { data, pagination: pageMeta(page, count) };
}

/** The relation at a path. @throws ContentError 404 where there is none that the View shows. */
function relationAt(view: View, start: Model, path: string): RelationAttribute {
  const names = path.split('.');
  let model = start;
  for (const [n, name] of names.entries()) {
    const named = view.of(model).named(name);
    const attribute: Attribute | undefined = named.kind === 'attribute' ? named.attribute : undefined;
    if (attribute?.type === 'relation' && n === names.length - 1 && model.attributes.has(name)) return attribute;
    if (attribute?.type !== 'component') break;
    model = view.into(model, attribute);
  }
  throw notFound();
}

function targetType({ catalog }: View, { name, target }: RelationAttribute, requested: RawValue): ContentType {
  const uid = target ?? requested;
  const type = typeof uid === 'string' ? catalog.contentTypes.get(uid) : undefined;
  if (!type || (target === undefined && !isEdited(type)))
    throw validation(`${name} links documents of any type: name one in type`);
  return type;
}

/** Looks for a text in the field that names documents: for the whole of it first. In all fields where that is no text. */
function searchesOf(view: View, type: ContentType, field: string, q: RawValue): readonly RawObject[] {
  if (typeof q !== 'string' || q === '') return [{}];
  const kind = view.of(type).filterable.get(field);
  if (kind === undefined || !TEXT_TYPES.has(kind)) return [{ _q: q }];
  const contains = { [field]: { $containsi: q } };
  return ['$eqi', '$nei'].map((operator) => ({ filters: { $and: [contains, { [field]: { [operator]: q } }] } }));
}
