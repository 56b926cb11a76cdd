/** `strapi.contentAPI`, also for controllers: validates and sanitizes queries, bodies and answers for a caller. */
import { permitBody } from '../../access/permit-body.ts';
import { isAnyRelation, isSeveral, mayPopulate, reachable } from '../../access/reachable.ts';
import type { View } from '../../access/view.ts';
import { ContentError } from '../../errors.ts';
import { rawParams } from '../../query/plain.ts';
import { type Catalog, type ContentType, FILE_UID, type Model, modelOf } from '../../schema/catalog.ts';
import type { Params } from '../documents/lifecycles.ts';
import { shownTo } from '../documents/output.ts';
import { isPlain } from '../documents/plain-params.ts';
import { AddedParams, type RequestedParams } from '../requests/added-params.ts';
import type { RuntimeContext } from '../runtime-context.ts';

/** Parameters that are checked each by itself. */
const CHECKED = ['filters', 'sort', 'fields', 'populate'] as const;

const listOf = (names: unknown): unknown =>
  typeof names === 'string' && names.includes(',') ? names.split(',').map((name) => name.trim()) : names;

export class ContentApi {
  readonly #runtime: RuntimeContext;
  readonly added: AddedParams;

  /** @param zod gives the project's. */
  constructor(runtime: RuntimeContext, zod: () => object) {
    this.#runtime = runtime;
    this.added = new AddedParams(zod);
  }

  /** @throws ContentError 400 for an invalid parameter, or one that names a hidden attribute. */
  validateQuery(query: object, type: ContentType, view: View, requested: RequestedParams = {}): void {
    this.added.checkQuery(query, requested);
    this.#runtime.reader.check(type, { view, values: {} }, rawParams(query));
  }

  /** A query without the parts that name attributes the view does not show. */
  sanitizeQuery(query: object, type: ContentType, view: View, requested: RequestedParams = {}): Params {
    const shown: Params = {};
    for (const [name, given] of Object.entries(this.added.cleanQuery(query as Params, requested))) {
      const value = name === 'populate' ? withoutStars(given, type, view) : name === 'fields' ? listOf(given) : given;
      const isChecked = (CHECKED as readonly string[]).includes(name);
      const cleaned = isChecked ? this.#kept(value, (part) => this.#isShown({ [name]: part }, type, view)) : value;
      if (cleaned !== undefined) shown[name] = cleaned;
      else if (name === 'filters' && isPlain(value)) shown[name] = {};
    }
    return shown;
  }

  /** A value without its forbidden parts; undefined if nothing remains. */
  #kept(value: unknown, mayBe: (value: unknown) => boolean): unknown {
    if (mayBe(value)) return value;
    if (Array.isArray(value)) {
      const parts = value.map((one) => this.#kept(one, (part) => mayBe([part]))).filter((one) => one !== undefined);
      return parts.length > 0 ? parts : undefined;
    }
    if (typeof value === 'string' && value.includes(',')) {
      const names = value.split(',').filter((name) => mayBe(name));
      return names.length > 0 ? names.join(',') : undefined;
    }
    if (!isPlain(value)) return undefined;
    const parts = Object.entries(value).map(
      ([name, one]) => [name, this.#kept(one, (part) => mayBe({ [name]: part }))] as const,
    );
    const remaining = parts.filter(([, one]) => one !== undefined);
    return remaining.length > 0 ? Object.fromEntries(remaining) : undefined;
  }

  #isShown(query: object, type: ContentType, view: View): boolean {
    try {
      this.added.checkQuery(query, {});
      this.#runtime.reader.check(type, { view, values: {} }, rawParams(query), true);
      return true;
    } catch (error) {
      if (error instanceof ContentError && error.status === 400) return false;
      throw error;
    }
  }

  /** @throws ContentError 400 for a key that the view may not write. */
  validateInput(data: unknown, type: ContentType, view: View, requested: RequestedParams = {}): void {
    if (isPlain(data)) permitBody(view, type, this.ownInput(data, type, requested));
  }

  /**
   * Data without the keys that code has added to a type.
   *
   * @throws ContentError 400 for a value that code refuses.
   */
  ownInput<Data extends object>(data: Data, type: ContentType, requested: RequestedParams): Data {
    const added = this.added.checkInput(data, requested);
    if (added.size === 0) return data;
    const own = Object.entries(data).filter(([name]) => type.attributes.has(name) || !added.has(name));
    return Object.fromEntries(own) as Data;
  }

  /** Data without the keys that the view may not write. Keys that the schema does not have stay. */
  sanitizeInput(data: unknown, type: ContentType, view: View, { strict, route }: RequestedParams = {}): unknown {
    if (!isPlain(data)) return data;
    const added = this.added.inputOf(route);
    const isUnknown = (name: string) => view.of(type).named(name).kind === 'unknown';
    const known = Object.entries(data).filter(([name]) => !isUnknown(name) || !strict || added.has(name));
    const permits = (part: Params): boolean => {
      if (Object.keys(part).every(isUnknown)) return true;
      try {
        permitBody(view, type, part);
        return true;
      } catch {
        return false;
      }
    };
    return writableData(this.#runtime.catalog, type, Object.fromEntries(known), permits);
  }

  sanitizeOutput(data: unknown, type: ContentType, view: View): unknown {
    return shownTo(view, type, data);
  }

  /** The content type that code names by its schema or its uid. */
  typeOf(schema: unknown): ContentType {
    const uid = isPlain(schema) ? schema['uid'] : schema;
    const type = this.#runtime.catalog.contentTypes.get(String(uid));
    if (!type) throw new Error(`strapi.contentAPI: there is no content type ${String(uid)}`);
    return type;
  }

  get fileType(): ContentType {
    return this.typeOf(FILE_UID);
  }

  /** `strapi.contentAPI`, and `sanitize` and `validate` of `@strapi/utils`. @param viewOf the view of `{auth}`. */
  members(viewOf: (auth: unknown) => Promise<View>) {
    type Options =
      | { readonly auth?: unknown; readonly strictParams?: boolean; readonly route?: RequestedParams['route'] }
      | undefined;
    const requestedParams = (options: Options): RequestedParams => ({
      strict: options?.strictParams,
      route: options?.route,
    });
    const view = (options: Options) => viewOf(options?.auth);
    type One = (value: unknown, schema: unknown, options: Options) => Promise<unknown>;
    /** The same of each parameter by itself. */
    const each = (create: (name: string) => One) => Object.fromEntries(CHECKED.map((name) => [name, create(name)]));
    return {
      sanitize: {
        output: async (data: unknown, schema: unknown, options: Options) =>
          this.sanitizeOutput(data, this.typeOf(schema), await view(options)),
        input: async (data: unknown, schema: unknown, options: Options) =>
          this.sanitizeInput(data, this.typeOf(schema), await view(options), requestedParams(options)),
        query: async (query: object, schema: unknown, options: Options) =>
          this.sanitizeQuery(query, this.typeOf(schema), await view(options), requestedParams(options)),
        ...each(
          (name) => async (value, schema, options) =>
            this.sanitizeQuery({ [name]: value }, this.typeOf(schema), await view(options))[name],
        ),
      },
      validate: {
        input: async (data: unknown, schema: unknown, options: Options) =>
          this.validateInput(data, this.typeOf(schema), await view(options), requestedParams(options)),
        query: async (query: object, schema: unknown, options: Options) =>
          this.validateQuery(query, this.typeOf(schema), await view(options), requestedParams(options)),
        ...each((name) => async (value, schema, options) => {
          this.validateQuery({ [name]: value }, this.typeOf(schema), await view(options));
          return value;
        }),
      },
    };
  }
}

/** Says whether data with a single value in it may be written. */
type Permits = (part: Params) => boolean;

/** Unknown keys of a component stay: writes ignore them. */
function writableData(catalog: Catalog, model: Model, data: Params, permits: Permits): Params {
  const remaining: Params = {};
  for (const [name, value] of Object.entries(data)) {
    const attribute = model.attributes.get(name);
    const isZone = attribute?.type === 'dynamiczone';
    const componentOf = (entry: Params): Model | undefined => {
      if (isZone) return catalog.components.get(String(entry['__component']));
      return attribute?.type === 'component' ? catalog.components.get(attribute.component) : undefined;
    };
    const isList = Array.isArray(value);
    const cleaned = (entry: unknown): unknown => {
      const component = isPlain(entry) ? componentOf(entry) : undefined;
      if (!component) return entry;
      const named = isZone ? { __component: (entry as Params)['__component'] } : {};
      const permitsPart: Permits = (part) => {
        const one = { ...named, ...part };
        return permits({ [name]: isList ? [one] : one });
      };
      return writableData(catalog, component, entry as Params, permitsPart);
    };
    const hasEntries = isZone || attribute?.type === 'component';
    if (!hasEntries) {
      const isPassedOver = attribute === undefined && model.modelType === 'component';
      if (isPassedOver || permits({ [name]: value })) remaining[name] = value;
    } else if (permits({ [name]: isList ? [] : null })) remaining[name] = isList ? value.map(cleaned) : cleaned(value);
  }
  return remaining;
}

/** @param populate in any of its forms; invalid parts stay as they are. */
function withoutStars(populate: unknown, model: Model, view: View): unknown {
  if (isStar(populate)) return Object.fromEntries(shownOf(model, view).map((name) => [name, whole(model, name, view)]));
  if (!isPlain(populate)) return populate;
  return Object.fromEntries(
    Object.entries(populate).map(([name, options]) => [
      name,
      isPlain(options) ? below(options, model, name, view) : options,
    ]),
  );
}

/** `'*'`, by itself or as the only name of a list. */
const isStar = (populate: unknown): boolean =>
  populate === '*' || (Array.isArray(populate) && populate.length === 1 && populate[0] === '*');

const shownOf = (model: Model, view: View): string[] =>
  view.of(model).populatable.filter((name) => mayPopulate({ view }, model, name));

/** The populate of one name for `*`: a relation to any type gets the types that the caller may find. */
function whole(model: Model, name: string, view: View): unknown {
  if (view.seesAllTypes || !isAnyRelation({ view }, model, name)) return true;
  return { on: Object.fromEntries(view.types.map(({ uid }) => [uid, true])) };
}

/** The populate below a name. */
function below(options: Record<string, unknown>, model: Model, name: string, view: View): object {
  const { populate, on, ...others } = options;
  const models = view.of(model).populatable.includes(name) ? reachable({ view }, model, name) : [];
  if (isPlain(on)) {
    const fragments = Object.entries(on).map(([uid, inner]) => [
      uid,
      isPlain(inner) ? inside(inner, uid, view) : inner,
    ]);
    return { ...options, on: Object.fromEntries(fragments) };
  }
  if (populate === undefined) return options;
  const [target] = models;
  const named = view.of(model).named(name);
  const isZone = named.kind === 'attribute' && named.attribute.type === 'dynamiczone';
  if (target && !isZone && !isSeveral({ view }, model, name))
    return { ...others, populate: withoutStars(populate, target, view) };
  const isWhole =
    (isZone || view.seesAllTypes) &&
    models.every((one) => view.of(one).populatable.every((below) => isWholly(one, below, view)));
  if (!isStar(populate) || isWhole) return options;
  const fragments = models.map((one) => [one.uid, { populate: withoutStars('*', one, view) }]);
  return { ...others, on: Object.fromEntries(fragments) };
}

/** Whether a star may ask for a name as it stands. */
const isWholly = (model: Model, name: string, view: View): boolean =>
  mayPopulate({ view }, model, name) && whole(model, name, view) === true;

/** A fragment of `on`. */
function inside(options: Record<string, unknown>, uid: string, view: View): object {
  const { catalog } = view;
  const isThere = catalog.contentTypes.has(uid) || catalog.components.has(uid);
  if (!isThere || options['populate'] === undefined) return options;
  return { ...options, populate: withoutStars(options['populate'], modelOf(catalog, uid), view) };
}
