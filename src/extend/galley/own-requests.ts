/** What a route of `src/galley` says that its requests have: its schemas check that, and make values of it. */
import { ContentError } from '../../errors.ts';
import type { RequestSchemas, ValueSchema } from './extension-types.ts';

/** What a request has. */
export interface Asked {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

interface Issue {
  readonly path?: readonly PropertyKey[];
  readonly message: string;
}

/**
 * What a request has as the schemas leave it; what they do not name stays as it is.
 *
 * @param type that of the body; empty for none.
 * @throws ContentError 400 with all that the schemas refuse, and for a body of another type than theirs.
 */
export function checkedRequest({ params, query, body }: RequestSchemas, asked: Asked, type: string): Asked {
  const errors: object[] = [];
  const check = (schema: ValueSchema, value: unknown, path: readonly string[]): unknown => {
    const made = schema.safeParse(value);
    if (made.success) return made.data;
    const { message = 'Invalid value', issues = [{ message }] } = (made.error ?? {}) as Partial<Error> & {
      readonly issues?: readonly Issue[];
    };
    for (const issue of issues) {
      const place = [...path, ...(issue.path ?? []).map(String)];
      errors.push({ path: place, message: issue.message, name: 'ValidationError' });
    }
    return undefined;
  };
  const within = <T extends object>(place: string, schemas: Readonly<Record<string, ValueSchema>>, values: T): T => {
    const made = { ...values } as Record<string, unknown>;
    for (const [name, schema] of Object.entries(schemas)) {
      const value = check(schema, made[name], [place, name]);
      if (value !== undefined || name in made) made[name] = value;
    }
    return made as T;
  };
  const left = {
    params: within('params', params ?? {}, asked.params),
    query: within('query', query ?? {}, asked.query),
    body: checkedBody(body ?? {}, asked.body, type, check),
  };
  if (errors.length === 0) return left;
  const [{ message }] = errors as [{ readonly message: string }];
  throw new ContentError('ValidationError', errors.length === 1 ? message : `${errors.length} errors occurred`, {
    errors,
  });
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
  const schema = schemas[type === '' ? first : type];
  if (schema) return check(schema, type === '' ? undefined : body, ['body']);
  throw new ContentError('ValidationError', `The body must be of the type ${types.join(' or ')}`, {
    errors: [{ path: ['body'], message: 'of another type', name: 'ValidationError' }],
  });
}
