/** The schemas of a route of `src/galley`, which check and convert the parts of its requests. */
import { ContentError } from '../../errors.ts';
import { at, Failures, failureLimits } from '../../failures.ts';
import type { RequestSchemas, ValueSchema } from './extension-types.ts';

/** The parts of a request. */
export interface RequestParts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

interface Issue {
  readonly path?: readonly PropertyKey[];
  readonly message: string;
}

/** The number of path segments in an error. */
const DEEPEST = 32;

/** The result of a schema, of any shape. */
const textOf = (message: unknown): string => (typeof message === 'string' ? message : 'Invalid value');

/** Why a schema refuses a value: code that is no zod may give either, both or nothing. */
interface Refused {
  readonly issues?: readonly Issue[];
  readonly message?: unknown;
}

/**
 * The parts of a request after the schemas; parts without a schema stay as they are.
 *
 * @param type of the body; empty for none.
 * @throws ContentError 400 with all issues of the schemas, and for a body of another type.
 */
export function checkedRequest(
  { params, query, body }: RequestSchemas,
  request: RequestParts,
  type: string,
): RequestParts {
  const failures = new Failures();
  const check = (schema: ValueSchema, value: unknown, path: readonly string[]): unknown => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const refused = (parsed.error ?? {}) as Refused;
    const issues = refused.issues ?? [];
    for (const { path: steps = [], message } of issues) {
      // further issues are only counted, so that a body full of mistakes costs little
      const isReported = failures.count < failureLimits.failures;
      failures.add(isReported ? at(...path, ...steps.slice(0, DEEPEST).map(String)) : undefined, textOf(message));
    }
    // zod writes all issues into its message: it is read only where there are none
    if (issues.length === 0) failures.add(at(...path), textOf(refused.message));
    return undefined;
  };
  const within = <T extends object>(place: string, schemas: Readonly<Record<string, ValueSchema>>, values: T): T => {
    const converted = { ...values } as Record<string, unknown>;
    for (const [name, schema] of Object.entries(schemas)) {
      const value = check(schema, converted[name], [place, name]);
      if (value !== undefined || name in converted) converted[name] = value;
    }
    return converted as T;
  };
  const checked = {
    params: within('params', params ?? {}, request.params),
    query: within('query', query ?? {}, request.query),
    body: checkedBody(body ?? {}, request.body, type, check),
  };
  failures.throwAny();
  return checked;
}

function checkedBody(
  schemas: Readonly<Record<string, ValueSchema>>,
  body: unknown,
  type: string,
  check: (schema: ValueSchema, value: unknown, path: readonly string[]) => unknown,
): unknown {
  const types = Object.keys(schemas);
  const [first] = types;
  if (first === undefined) return body;
  const wanted = type === '' ? first : typeFor(types, type);
  const schema = wanted === undefined ? undefined : schemas[wanted];
  if (schema) return check(schema, type === '' ? undefined : body, ['body']);
  throw new ContentError('ValidationError', `The body must be of the type ${types.join(' or ')}`, {
    errors: [{ path: ['body'], message: 'of another type', name: 'ValidationError' }],
  });
}

/** The type of the schema that matches the type of a body; an exact one precedes a pattern. */
function typeFor(types: readonly string[], type: string): string | undefined {
  const plain = (one: string): string => one.split(';')[0]!.trim().toLowerCase();
  const [kind] = type.split('/');
  const fits = [type, `${kind}/*`, '*/*'];
  return fits.map((one) => types.find((other) => plain(other) === one)).find((one) => one !== undefined);
}
