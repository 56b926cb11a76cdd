/**
 * The previous response format, for requests with `Strapi-Response-Format: v4` (docs/reference/http.md, "Previous
 * response format"): `{id, documentId, attributes}`, relations and media within `{data}`. A pure function over the
 * answer and the Catalog, which runs only for these requests.
 */
import type { FastifyRequest } from 'fastify';
import { isLonger, type JsonBody } from '../../content/reading/answers.ts';
import { validation } from '../../errors.ts';
import { isObject } from '../../plain-values.ts';
import { type Attribute, type Catalog, type ContentType, FILE_UID, type Model, modelOf } from '../../schema/catalog.ts';

type Entry = Readonly<Record<string, unknown>>;

/**
 * The documents of an answer in the requested format.
 *
 * @throws ContentError 400 for an answer that is too long for this format.
 */
export function inWantedFormat<Content extends { readonly data: JsonBody }>(
  catalog: Catalog,
  type: ContentType,
  { headers }: Pick<FastifyRequest, 'headers'>,
  content: Content,
): Content;
export function inWantedFormat<Content extends { readonly data: JsonBody }>(
  catalog: Catalog,
  type: ContentType,
  { headers }: Pick<FastifyRequest, 'headers'>,
  content: Content | undefined,
): Content | undefined;
export function inWantedFormat<Content extends { readonly data: JsonBody }>(
  catalog: Catalog,
  type: ContentType,
  { headers }: Pick<FastifyRequest, 'headers'>,
  content: Content | undefined,
): Content | undefined {
  if (content === undefined || !isV4(headers)) return content;
  if (isLonger(content.data, LONGEST)) throw tooLongForV4();
  return { ...content, data: JSON.stringify(formatV4(catalog, type, JSON.parse(String(content.data)))) };
}

const tooLongForV4 = () =>
  validation(
    'The answer would be too long for Strapi-Response-Format: v4: populate fewer levels, or request fewer documents or fields',
  );

/**
 * Bytes of the longest answer in this format. The conversion runs on the serving thread and takes some ten milliseconds
 * per million bytes, while every other request waits.
 */
const LONGEST = 2 * 1024 * 1024;

/** True for a request of this format. */
export const isV4 = (headers: FastifyRequest['headers']): boolean => headers['strapi-response-format'] === 'v4';

/** The limit of a write's answer, which is needed before anything is written. */
export function answerLimit({ headers }: FastifyRequest): { readonly longest?: number } {
  return isV4(headers) ? { longest: LONGEST } : {};
}

/** The v4 form of a document of a model, of a list of them, of null, or of a count. */
export function formatV4(catalog: Catalog, model: Model, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => formatV4(catalog, model, item));
  if (!isObject(value)) return value;
  const { id, documentId, ...rest } = value;
  return { id, documentId, attributes: attributesOf(catalog, model, rest) };
}

/** Components stay flat. */
function flat(catalog: Catalog, component: Model, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => flat(catalog, component, item));
  return isObject(value) ? attributesOf(catalog, component, value) : value;
}

function attributesOf(catalog: Catalog, model: Model, entry: Entry): Entry {
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, memberOf(catalog, model, name, value)] as const),
  );
}

function memberOf(catalog: Catalog, model: Model, name: string, value: unknown): unknown {
  const attribute = model.attributes.get(name);
  if (attribute === undefined) {
    // not an attribute of the schema, but a relation to the type itself
    const wraps = name === 'localizations' && model.modelType === 'contentType' && model.localized;
    return wraps ? { data: formatV4(catalog, model, value) } : value;
  }
  if (attribute.type === 'component') return flat(catalog, modelOf(catalog, attribute.component), value);
  if (attribute.type === 'dynamiczone') return zoneOf(catalog, value);
  const target = targetOf(attribute);
  return target === undefined ? value : { data: formatV4(catalog, modelOf(catalog, target), value) };
}

/** The entries of a zone; a count has none. */
function zoneOf(catalog: Catalog, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown) => {
    const uid = isObject(item) ? item['__component'] : undefined;
    const component = typeof uid === 'string' ? catalog.components.get(uid) : undefined;
    return component ? flat(catalog, component, item) : item;
  });
}

/** The type that an attribute leads to. Relations to any type stay as they are, `__type` included. */
function targetOf(attribute: Attribute): string | undefined {
  if (attribute.type === 'media') return FILE_UID;
  return attribute.type === 'relation' ? attribute.target : undefined;
}
