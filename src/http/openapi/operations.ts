/** Parts of operations of an OpenAPI document. */
import type { RouteSchemas } from './route-schemas.ts';
import { ref, type Schema } from './schemas.ts';

export interface Operation {
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  /** A second path, described where another route has the first. */
  readonly elsewhere?: string;
  /** Any of these actions permits it; `listening`: any right to read. */
  readonly actions: readonly string[] | 'listening';
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Credentials that it needs; any with sufficient rights when omitted. */
  readonly security?: readonly Schema[];
  readonly tag: string;
  /** Names of parameters of `components`. */
  readonly parameters?: readonly string[];
  readonly body?: Schema;
  /** Whether the body is optional. */
  readonly mayLackBody?: boolean;
  readonly bodyType?: string;
  /** Schemas that a route of the project declares. */
  readonly schemas?: RouteSchemas;
  readonly answers: Readonly<Record<string, Schema | undefined>>;
  /** Of the answers; JSON when left out. */
  readonly answerType?: string;
}

/** A path of a route, `/users/:id`, as OpenAPI writes it: `/users/{id}`. */
export const bracesOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

export const dataOf = (schema: Schema): Schema => ({
  type: 'object',
  properties: { data: schema, meta: { type: 'object' } },
  required: ['data'],
});

export const pageOf = (schema: Schema): Schema => ({
  type: 'object',
  properties: {
    data: { type: 'array', items: schema },
    meta: { type: 'object', properties: { pagination: ref('Pagination') } },
  },
  required: ['data', 'meta'],
});

/** An operation as OpenAPI. */
export function render(operation: Operation): Schema {
  const { id, summary, tag, path, parameters = [], answers, schemas } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas?.params[name!] ?? { type: 'string' },
  }));
  const body = bodyOf(operation);
  const responses = Object.entries(answers).map(([status, schema]) => [status, answerOf(schema, operation.answerType)]);
  return {
    operationId: id,
    summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [tag],
    ...(operation.security ? { security: operation.security } : {}),
    parameters: [
      ...inPath,
      ...(schemas?.query ?? []),
      ...parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: { ...Object.fromEntries(responses), default: { $ref: '#/components/responses/Error' } },
  };
}

function bodyOf({ body, bodyType = 'application/json', mayLackBody, schemas }: Operation): Schema | undefined {
  if (schemas?.bodies) return { required: schemas.bodies.required, content: schemas.bodies.content };
  return body && { required: !mayLackBody, content: { [bodyType]: { schema: body } } };
}

function answerOf(schema: Schema | undefined, type = 'application/json'): Schema {
  if (schema === undefined) return { description: 'Done' };
  return { description: 'Done', content: { [type]: { schema } } };
}

const SHAPE = ['fields', 'populate'];
/** Parameters of lists, of single documents, and of writes. */
export const LIST = [
  ...SHAPE,
  'filters',
  'sort',
  'pagination',
  'status',
  'locale',
  'publicationFilter',
  'release',
  '_q',
];
export const ONE = [...SHAPE, 'status', 'locale', 'release'];
export const WRITE = [...SHAPE, 'status', 'locale'];

const text = { type: 'string' };
const nested = { type: 'object', additionalProperties: true };
const param = (name: string, schema: Schema, description: string, more: Schema = {}): [string, Schema] => [
  name,
  { name, in: 'query', description, schema, ...more },
];

/** Parameters by name. */
export const PARAMETERS: Readonly<Record<string, Schema>> = Object.fromEntries([
  param('fields', { type: 'array', items: text }, 'The fields to read, fields[0]=title; id and documentId always are', {
    style: 'form',
    explode: true,
  }),
  param(
    'populate',
    { anyOf: [text, nested] },
    'Relations, media and components to read with the document: *, names, or populate[author][fields][0]=name',
  ),
  param('filters', nested, 'Conditions: filters[title][$contains]=hello', { style: 'deepObject', explode: true }),
  param('sort', text, 'Fields with :asc or :desc, with commas between'),
  param('pagination', nested, 'pagination[page] and [pageSize], [start] and [limit], or [cursor]; [withCount]', {
    style: 'deepObject',
    explode: true,
  }),
  param(
    'status',
    { enum: ['draft', 'published'] },
    'The version to read; for writes, whether the document becomes a draft or published',
  ),
  param('locale', text, 'The code of a locale, or *'),
  param('publicationFilter', text, 'A cohort, such as never-published or modified'),
  param('release', text, 'The name of a release: reads as if it had run'),
  param('_q', text, 'Words to search for in all texts'),
]);
