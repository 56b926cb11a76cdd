/**
 * Parameters of documents and of `strapi.db.query`: `fields` is called `select` there, and `filters` `where`. And the shape of
 * rows that were read by them.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Attribute, attributeOf, type Catalog, FILE_UID, type Model } from '../../schema/catalog.ts';
import { unsupported } from '../guarded.ts';
import { conditionsOf, modelBehind } from './conditions.ts';
import type { Params } from './lifecycles.ts';
import { isPlain, plainFilters } from './plain-params.ts';

/** @param params keys without a value are ignored. */
export function rowParams({ fields, filters, sort, populate, pagination, start, ...others }: Params): Params {
  const requested = {
    offset: start,
    ...others,
    ...pageOf(pagination),
    ...{ select: withIds(fields), where: filters, orderBy: orderOf(sort), populate: populatedOf(populate) },
  };
  return withValues(requested);
}

const withValues = (params: Params): Params =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));

/**
 * Parameters of documents as listeners to reads receive them: in the reference they belong to rows. Locale and
 * status keep their form.
 */
export function listenerParams({ fields, sort, start, filters, documentId, populate, ...others }: Params): Params {
  const where = { ...(filters as object | undefined), ...(documentId === undefined ? {} : { documentId }) };
  const params = withValues({ orderBy: orderOf(sort), ...shapeOf({ fields, populate }), offset: start });
  return { ...params, ...others, where };
}

/** `fields` and `populate` as listeners receive them. */
export function shapeOf({ fields, populate }: Params): Params {
  return withValues({ select: withIds(fields), populate: populatedOf(populate) });
}

/** Parameters of listeners as parameters of documents. @param original the parameters before listeners changed them. */
export function documentParams(
  { orderBy, select, offset, populate, ...others }: Params,
  original: Params = {},
): Params {
  const isOther = !isDeepStrictEqual(populate, shapeOf({ populate: original['populate'] })['populate']);
  const populated = isOther ? populatedBack(populate) : original['populate'];
  return { ...withValues({ sort: orderBy, fields: select, start: offset, populate: populated }), ...others };
}

/** `populate` of listeners as that of documents, which always return ids. */
function populatedBack(populate: unknown): unknown {
  const plain = (value: unknown): unknown => {
    if (!isPlain(value)) return value;
    const entries = Object.entries(value).map(([name, inner]) => [
      name,
      name === 'fields' && Array.isArray(inner) ? inner.filter((one) => one !== 'documentId') : plain(inner),
    ]);
    return Object.fromEntries(entries);
  };
  return plain(populateOf(populate));
}

/**
 * Parameters of a write with the `fields` and `populate` that listeners have set. @param announced the parameters that they
 * received.
 */
export function reshaped(params: Params, announced: Params, changed: Params): Params {
  const { select, populate } = changed;
  return {
    ...params,
    ...(isDeepStrictEqual(select, announced['select']) ? {} : { fields: select }),
    ...(isDeepStrictEqual(populate, announced['populate']) ? {} : { populate: populatedBack(populate) }),
  };
}

function pageOf(pagination: unknown): Params {
  if (!isPlain(pagination)) return {};
  const { page = 1, pageSize = 10, start, limit } = pagination;
  if (start !== undefined || limit !== undefined) return { offset: start, limit };
  return { offset: (Number(page) - 1) * Number(pageSize), limit: Number(pageSize) };
}

const namesOf = (names: unknown): unknown =>
  typeof names === 'string' ? names.split(',').map((name) => name.trim()) : names;

/** Names of fields with the ids, which are always read. Other values stay, to be refused. */
export function withIds(fields: unknown): unknown {
  if (fields === undefined || fields === null) return undefined;
  const names = namesOf(fields);
  return Array.isArray(names) ? ['id', 'documentId', ...(names as unknown[])] : names;
}

/** `name:desc` → `{name: 'desc'}`. Invalid orders stay, to be refused. */
function orderOf(sort: unknown): unknown {
  const parts = [sort].flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : [one]));
  if (!Array.isArray(sort) && typeof sort !== 'string') return sort;
  const isOrder = (one: unknown): boolean =>
    typeof one !== 'string' || /^\s*[^\s:]+(?::\s*(?:asc|desc)\s*)?$/i.test(one);
  if (sort === '' || !parts.every(isOrder)) return sort;
  return parts.map((one) => (typeof one === 'string' ? orderOfOne(one.trim()) : (one as unknown)));
}

function orderOfOne(text: string): object {
  const [name = '', direction = 'asc'] = text.split(':');
  return name.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), direction) as object;
}

function populatedOf(populate: unknown): unknown {
  if (populate === '*') return true;
  if (typeof populate === 'string') return namesOf(populate);
  if (!isPlain(populate)) return populate;
  return Object.fromEntries(
    Object.entries(populate).map(([name, one]) => [name, isPlain(one) ? rowParams(one) : one === '*' ? true : one]),
  );
}

/** The model whose attributes conditions name; undefined for any model. */
interface Place {
  readonly catalog: Catalog;
  readonly model: Model | undefined;
}

/**
 * `populate` of the query engine: as that of documents, with `where`, `select` and `orderBy` within.
 *
 * @param place where the conditions are to be read; without it they stay as they are.
 */
export function populateOf(populate: unknown, place?: Place): unknown {
  if (populate === true) return '*';
  if (place && typeof populate === 'string') throw new Error('Populate must be an object');
  if (Array.isArray(populate)) return populate.map(String).flatMap((name) => (place ? leadingPart(place, name) : name));
  if (!isPlain(populate)) return populate;
  const below = (name: string): Place | undefined =>
    place && { ...place, model: modelBehind(place.catalog, place.model, name) };
  const leading = place ? Object.entries(populate).filter(([name]) => leads(place, name)) : Object.entries(populate);
  // as in the reference, any value under a name populates it
  const given = place
    ? leading.map(([name, value]) => [name, value === undefined || isPlain(value) ? value : true])
    : leading;
  return populated(Object.fromEntries(given), (name, value) => optionsOf(value, below(name)));
}

const LEADING: ReadonlySet<string> = new Set(['relation', 'media', 'component', 'dynamiczone']);

/** Whether a name leads to other rows: `strapi.db.query` populates nothing for any other. */
const leads = ({ model }: Place, name: string): boolean =>
  !model ||
  LEADING.has(attributeOf(model, name)?.type ?? '') ||
  (name === 'localizations' && model.modelType === 'contentType' && model.localized);

/** The part of a path of names, such as `tags.note`, that leads to other rows; none where it is empty. */
function leadingPart(place: Place, path: string): string[] {
  const [name = '', ...rest] = path.split('.');
  if (!leads(place, name)) return [];
  const model = modelBehind(place.catalog, place.model, name);
  const below = rest.length > 0 ? leadingPart({ ...place, model }, rest.join('.')) : [];
  return [[name, ...below].join('.')];
}

/** What several names, of attributes or of types, are populated with. */
const populated = (populate: Params, options: (name: string, value: Params) => unknown): unknown =>
  Object.fromEntries(
    Object.entries(populate)
      .filter(([, value]) => value !== undefined && value !== false)
      .map(([name, value]) => [name, isPlain(value) ? options(name, value) : value]),
  );

function optionsOf({ where, select, orderBy, populate, on, ...rest }: Params, place: Place | undefined): unknown {
  const cut = ['limit', 'offset'].find((key) => rest[key] !== undefined);
  if (cut !== undefined) unsupported(`${cut} in populate`);
  const filters = place && where != null ? plainFilters(conditionsOf(place.catalog, place.model, where, true)) : where;
  const fragment = (uid: string, value: Params): unknown => {
    const model = place && (place.catalog.components.get(uid) ?? place.catalog.contentTypes.get(uid));
    return optionsOf(value, place && { ...place, model });
  };
  const options = {
    ...rest,
    ...(where === undefined ? {} : { filters }),
    ...(select === undefined ? {} : { fields: [select].flat() }),
    ...(orderBy === undefined ? {} : { sort: orderBy }),
    ...(populate === undefined ? {} : { populate: populateOf(populate, place) }),
    ...(isPlain(on) ? { on: populated(on, fragment) } : {}),
  };
  return Object.keys(options).length === 0 ? true : options;
}

/** Rows reduced to the selected and populated fields, at any depth. They have ids where anything is populated. */
export function selected(value: unknown, { select, populate, on }: Params): unknown {
  if (Array.isArray(value)) return value.map((one) => selected(one, { select, populate, on }));
  if (!isPlain(value)) return value;
  if (isPlain(on)) return selected(value, (on[String(value['__component'] ?? value['__type'])] ?? {}) as Params);
  const chosen = [select ?? []].flat();
  const isAll = populate === true || populate === '*';
  const below = isPlain(populate) ? Object.keys(populate) : [populate ?? []].flat().map(String);
  const isWhole = chosen.includes('*') || (chosen.length === 0 && (select == null || below.length === 0));
  const names = isWhole ? undefined : new Set<unknown>(below.length > 0 ? ['id', ...chosen] : chosen);
  const isKept = (name: string): boolean =>
    !names || isAll || names.has(name) || name.startsWith('__') || below.some((one) => one.split('.')[0] === name);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const requested = isPlain(populate) ? populate[name] : undefined;
      return isKept(name)
        ? [[name, isPlain(requested) && !requested['count'] ? selected(inner, requested) : inner]]
        : [];
    }),
  );
}

/** The requested shape of a level: `fields` of documents, `select` of rows, and `populate`. */
type Shape = Pick<Params, 'fields' | 'select' | 'populate' | 'on'>;

/** Adds the keys that Galley's responses leave out to documents that were read. They are changed in place. */
export function inShape<T>(catalog: Catalog, model: Model, value: T, shape: unknown): T {
  if (Array.isArray(value)) for (const one of value) inShape(catalog, model, one, shape);
  if (!isPlain(value)) return value;
  const { fields, select, populate } = (isPlain(shape) ? shape : {}) as Shape;
  const isWhole = [fields, select].every(
    (names) => [names ?? []].flat().length === 0 || [names].flat().some((name) => /^(?:\*|locale)$/.test(name)),
  );
  if (model.modelType === 'contentType' && isWhole && !('locale' in value)) Object.assign(value, { locale: null });
  const isAll = populate === true || populate === '*';
  if (model.modelType === 'contentType' && isAll && !model.localized) Object.assign(value, { localizations: [] });
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== 'object' || inner === null) continue;
    const attribute = model.attributes.get(name);
    const below: unknown = isPlain(populate) ? populate[name] : undefined;
    if (isPlain(below) && below['count']) continue;
    for (const one of attribute ? [inner].flat() : []) {
      const target = targetOf(catalog, attribute!, (member) => (one as Params)[member]);
      const on = isPlain(below) && isPlain(below['on']) ? below['on'][target?.uid ?? ''] : below;
      if (target) inShape(catalog, target, one, on);
    }
  }
  return value;
}

/** The model of an entry of an attribute. @param member gives members of the entry by their names. */
export function targetOf(catalog: Catalog, attribute: Attribute, member: (name: string) => unknown): Model | undefined {
  switch (attribute.type) {
    case 'relation':
      return catalog.contentTypes.get(attribute.target ?? String(member('__type')));
    case 'media':
      return catalog.contentTypes.get(FILE_UID);
    case 'component':
      return catalog.components.get(attribute.component);
    case 'dynamiczone':
      return catalog.components.get(String(member('__component')));
    default:
      return undefined;
  }
}
