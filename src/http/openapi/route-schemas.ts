/**
 * Schemas that a route of the project declares: `request` and `response` as zod schemas, which zod converts to JSON
 * Schema. Parts that JSON Schema cannot express may be anything.
 */
import { isObject } from '../../plain-values.ts';
import type { DescribedRoute } from '../../runtime/requests/described-routes.ts';
import type { Schema } from './schemas.ts';

export interface RouteSchemas {
  /** Schemas of path parameters, by name. */
  readonly params: Readonly<Record<string, Schema>>;
  /** Parameters of the query string. */
  readonly query: readonly Schema[];
  readonly bodies: { readonly required: boolean; readonly content: Readonly<Record<string, Schema>> } | undefined;
  readonly answer: Schema | undefined;
}

/** The used part of a zod schema. */
interface ZodSchema {
  toJSONSchema?(options: object): object;
  safeParse(value: unknown): { readonly success: boolean };
}

const WITHOUT_BODY: ReadonlySet<string> = new Set(['get', 'head']);
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+*-]+(?:\s*;.*)?$/;

/** Keywords for references. A property of such a name is omitted: programs take it for the keyword. */
const KEYWORDS: ReadonlySet<string> = new Set(['$ref', '$schema', '$id', '$defs']);

/** The schemas of a route. */
export function routeSchemas({ method, request, response }: DescribedRoute): RouteSchemas {
  const { params, query, body } = (isObject(request) ? request : {}) as Readonly<Record<string, unknown>>;
  const bodies = WITHOUT_BODY.has(method) ? [] : schemasIn(body).filter(([type]) => MEDIA_TYPE.test(type));
  return {
    params: Object.fromEntries(schemasIn(params).map(([name, schema]) => [name, jsonSchema(schema, 'input')])),
    query: schemasIn(query).map(([name, schema]) => parameter(name, schema)),
    bodies:
      bodies.length === 0
        ? undefined
        : {
            required: bodies.every(([, schema]) => !mayBeAbsent(schema)),
            content: Object.fromEntries(
              bodies.map(([type, schema]) => [type, { schema: jsonSchema(schema, 'input') }] as const),
            ),
          },
    answer: isSchema(response) ? jsonSchema(response, 'output') : undefined,
  };
}

function parameter(name: string, schema: ZodSchema): Schema {
  const described = jsonSchema(schema, 'input');
  const nested = described['type'] === 'object' ? { style: 'deepObject', explode: true } : {};
  return { name, in: 'query', required: !mayBeAbsent(schema), schema: described, ...nested };
}

function schemasIn(schemas: unknown): [string, ZodSchema][] {
  return isObject(schemas)
    ? Object.entries(schemas).filter((entry): entry is [string, ZodSchema] => isSchema(entry[1]))
    : [];
}

const isSchema = (value: unknown): value is ZodSchema =>
  typeof (value as Partial<ZodSchema> | null | undefined)?.safeParse === 'function';

/** True for an optional value. A schema with project code in it may throw. */
function mayBeAbsent(schema: ZodSchema): boolean {
  try {
    return schema.safeParse(undefined).success;
  } catch {
    return true;
  }
}

/** A schema as JSON Schema 2020-12, the one of OpenAPI 3.1; anything, where zod cannot convert it. */
function jsonSchema(schema: ZodSchema, io: 'input' | 'output'): Schema {
  try {
    const options = { target: 'draft-2020-12', unrepresentable: 'any', io };
    const converted = JSON.parse(JSON.stringify(schema.toJSONSchema?.(options) ?? {})) as Schema;
    return withoutReferences(converted, converted, ['#']) as Schema;
  } catch {
    return {};
  }
}

/**
 * A schema with its references replaced by their targets: they are relative to the schema, and would point into the
 * description. A schema that contains itself may be anything there.
 *
 * @param within the references that lead to here.
 */
function withoutReferences(value: unknown, root: Schema, within: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutReferences(one, root, within));
  if (!isObject(value)) return value;
  const { $ref } = value as Schema;
  const properties = Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !KEYWORDS.has(name))
      .map(([name, one]) => [name, withoutReferences(one, root, within)]),
  );
  if (typeof $ref !== 'string' || within.includes($ref)) return properties;
  const [, name] = /^#\/\$defs\/(.+)$/.exec($ref) ?? [];
  const target = (root['$defs'] as Readonly<Record<string, unknown>> | undefined)?.[name ?? ''];
  const found = withoutReferences(target, root, [...within, $ref]);
  return { ...(isObject(found) ? found : {}), ...properties };
}
