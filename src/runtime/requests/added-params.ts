/**
 * Parameters that code adds to those of requests: `strapi.contentAPI.addQueryParams` and `addInputParams`, and `request`
 * of a route. Their schemas are zod's (docs/reference/project-code.md, "Parameters that code adds").
 */
import { CONTENT_PARAMS, refuseUnknown } from '../../access/known-params.ts';
import { ContentError } from '../../errors.ts';
import { isPlain } from '../documents/plain-params.ts';

/** The members of a zod schema that are used here. */
interface Schema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown; readonly error?: Error };
}
type Schemas = ReadonlyMap<string, Schema>;

/** A route as code knows it. */
export interface ParamsRoute {
  readonly method: string;
  /** As it is written, without the API's prefix. */
  readonly path: string;
  readonly handler: unknown;
  readonly info?: object;
  /** `query` has schemas by name, `body` an object of zod by the type of the body. */
  readonly request?: unknown;
}

/** Further requirements for parameters, besides the permissions of the caller. */
export interface RequestedParams {
  /** Whether unknown parameters are refused. */
  readonly strict?: boolean | undefined;
  readonly route?: ParamsRoute | undefined;
}

interface Added {
  readonly name: string;
  readonly schema: Schema;
  readonly matchRoute: ((route: ParamsRoute) => unknown) | undefined;
}
type Options = Readonly<Record<string, { readonly schema?: unknown; readonly matchRoute?: Added['matchRoute'] }>>;

const JSON_BODY = 'application/json';

export class AddedParams {
  readonly #query: Added[] = [];
  readonly #input: Added[] = [];
  readonly #zod: () => object;

  /** @param zod the project's own, where schemas are functions of it. */
  constructor(zod: () => object) {
    this.#zod = zod;
  }

  /** Members of `strapi.contentAPI`. Each throws for a name that is taken, and for a value that is no schema. */
  readonly members = {
    addQueryParams: (options: Options): void => this.#add('addQueryParams', this.#query, options, CONTENT_PARAMS),
    addInputParams: (options: Options): void => this.#add('addInputParams', this.#input, options, ['id', 'documentId']),
  };

  #add(method: string, added: Added[], options: Options, taken: readonly string[]): void {
    for (const [name, { schema: given, matchRoute }] of Object.entries(options)) {
      const place = `contentAPI.${method}: param "${name}"`;
      if (taken.includes(name)) throw new Error(`${place} is reserved by Strapi; use a different name`);
      if (added.some((one) => one.name === name)) throw new Error(`${place} has already been added`);
      const schema: unknown = typeof given === 'function' ? given(this.#zod()) : given;
      if (!isSchema(schema)) throw new Error(`${place} has no zod schema`);
      added.push({ name, schema, matchRoute });
    }
  }

  #of(added: readonly Added[], route: ParamsRoute | undefined, own: unknown): Schemas {
    const written = isPlain(own) ? Object.entries(own).filter(([, schema]) => isSchema(schema)) : [];
    const schemas = new Map(written as [string, Schema][]);
    if (route === undefined) return schemas;
    for (const { name, schema, matchRoute } of added) if (!matchRoute || matchRoute(route)) schemas.set(name, schema);
    return schemas;
  }

  #queryOf(route: ParamsRoute | undefined): Schemas {
    return this.#of(this.#query, route, requestOf(route)['query']);
  }

  /** Whether code has added parameters, to any route or to this one. */
  has(route: ParamsRoute | undefined): boolean {
    return this.#query.length > 0 || this.#input.length > 0 || route?.request !== undefined;
  }

  /** The schemas of body keys that a route accepts besides the attributes of its type. */
  inputOf(route: ParamsRoute | undefined): Schemas {
    const bodies = requestOf(route)['body'];
    const body = isPlain(bodies) ? bodies[JSON_BODY] : undefined;
    return this.#of(this.#input, route, (body as { readonly shape?: unknown } | undefined)?.shape);
  }

  /** @throws ContentError 400 for an unknown parameter, and for a value that its schema refuses. */
  checkQuery(query: object, { strict, route }: RequestedParams): void {
    if (!strict) return;
    const added = this.#queryOf(route);
    refuseUnknown(query, added);
    check(query, added, 'query');
  }

  /** A query with the values that schemas return, and without parameters that schemas refuse. */
  cleanQuery(query: Readonly<Record<string, unknown>>, { strict, route }: RequestedParams): Record<string, unknown> {
    const added = this.#queryOf(route);
    const permitted = Object.entries(query).flatMap(([name, value]): [string, unknown][] => {
      const schema = added.get(name);
      const parsed = schema?.safeParse(value);
      if (parsed) return parsed.success ? [[name, parsed.data]] : [];
      return strict && !CONTENT_PARAMS.includes(name) ? [] : [[name, value]];
    });
    return Object.fromEntries(permitted);
  }

  /**
   * The body keys that code has added to the attributes of a type.
   *
   * @throws ContentError 400 for a value that its schema refuses.
   */
  checkInput(data: object, { route }: RequestedParams): ReadonlyMap<string, unknown> {
    const added = this.inputOf(route);
    check(data, added, 'body');
    return added;
  }
}

const requestOf = (route: ParamsRoute | undefined): Readonly<Record<string, unknown>> =>
  isPlain(route?.request) ? route.request : {};

const isSchema = (value: unknown): value is Schema =>
  typeof (value as Partial<Schema> | null | undefined)?.safeParse === 'function';

function check(values: object, schemas: Schemas, source: 'query' | 'body'): void {
  for (const [name, value] of Object.entries(values)) {
    const parsed = schemas.get(name)?.safeParse(value);
    if (parsed === undefined || parsed.success) continue;
    const details = { key: name, path: null, source, param: name };
    throw new ContentError('ValidationError', parsed.error?.message ?? `Invalid key ${name}`, details);
  }
}
