/** What a relation links, and what it could link. */
import { isEdited } from '../../access/administrators/administrator-rights.ts';
import { isToMany, TEXT_TYPES } from '../../access/fields.ts';
import type { View } from '../../access/view.ts';
import { forbidden, notFound, validation } from '../../errors.ts';
import { type Page, pageMeta } from '../../query/page.ts';
import type { RawObject, RawValue } from '../../query/params.ts';
import { type Attribute, type ContentType, type Model, modelOf, type RelationAttribute } from '../../schema/catalog.ts';
import { fillStates } from './document-states.ts';
import type { Address, EditingContext, Editor } from './edited-documents.ts';
import { type Found, type LinkedDocument, linkedDocument, linkedFields, type Values } from './form-values.ts';

export interface LinkedPage {
  readonly data: readonly LinkedDocument[];
  /** JSON text. */
  readonly pagination: string;
}

/** What is asked of a relation's choices, as it stands in a query string. */
export interface AskedChoices {
  readonly locale: string | undefined;
  /** Text that is looked for. */
  readonly q: RawValue;
  readonly page: Page;
  /** The type that is looked in, where the attribute links any. */
  readonly type: RawValue;
}

/** Links that may be paged through. */
const MOST = 10_000;

type Context = Pick<EditingContext, 'catalog' | 'reader' | 'mainFields'>;

/**
 * A page of the documents that an attribute can link, those that changed last first. Texts are looked for in the field
 * that names the documents.
 *
 * @param path from the model through components to the attribute: `seo.articles`.
 * @throws ContentError 404 for an attribute that is not there, or hidden; 403 where the administrator may not read what it
 * links; 400 for a type that is wrong.
 */
export async function relationChoices(
  context: Context,
  editor: Editor,
  model: Model,
  path: string,
  asked: AskedChoices,
): Promise<LinkedPage> {
  const viewer = editor('read');
  const { view } = viewer;
  const type = targetType(view, relationAt(view, model, path), asked.type);
  if (!view.of(type).isSeen) throw forbidden();
  const mainFieldOf = await context.mainFields.of(view);
  const params: RawObject = {
    ...searchOf(view, type, mainFieldOf(type), asked.q),
    fields: linkedFields(type, mainFieldOf),
    status: 'draft',
    sort: 'updatedAt:desc',
    ...(asked.locale === undefined ? {} : { locale: asked.locale }),
  };
  const { data, page, total } = await context.reader.list(type, viewer, params, { page: asked.page });
  const found: Found = { links: [], cut: [] };
  const choices = (JSON.parse(data) as Values[]).map((read) => linkedDocument(type, read, mainFieldOf, found));
  await fillStates(context, viewer, found);
  return { data: choices, pagination: pageMeta(page, total) };
}

/**
 * A page of what an attribute of a draft links, in its order.
 *
 * @throws ContentError 404 for a document or an attribute that is not there, 400 for a page that is wrong.
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
  if (end > MOST) throw validation(`Of what ${name} links, the first ${MOST} can be looked through`);
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
  const found: Found = { links: [], cut: [] };
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

function targetType({ catalog }: View, { name, target }: RelationAttribute, asked: RawValue): ContentType {
  const uid = target ?? asked;
  const type = typeof uid === 'string' ? catalog.contentTypes.get(uid) : undefined;
  if (!type || (target === undefined && !isEdited(type)))
    throw validation(`${name} links documents of any type: name one in type`);
  return type;
}

/** Looks for a text in the field that names documents, or in all where that is none. */
function searchOf(view: View, type: ContentType, field: string, q: RawValue): RawObject {
  if (typeof q !== 'string' || q === '') return {};
  const kind = view.of(type).filterable.get(field);
  return kind !== undefined && TEXT_TYPES.has(kind) ? { filters: { [field]: { $containsi: q } } } : { _q: q };
}
