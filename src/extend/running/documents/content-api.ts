/** `strapi.contentAPI` and what controllers have of it: checking and cutting what a caller asks for, writes and gets. */
import { permitBody } from '../../../access/permit-body.ts';
import type { View } from '../../../access/view.ts';
import { ContentError } from '../../../errors.ts';
import { rawParams } from '../../../query/plain.ts';
import { type ContentType, FILE_UID } from '../../../schema/catalog.ts';
import type { CodeRooms } from '../rooms.ts';
import type { Params } from './lifecycles.ts';
import { shownTo } from './output.ts';
import { isPlain } from './plain-params.ts';

/** Parameters that are checked each by itself. */
const CHECKED = ['filters', 'sort', 'fields', 'populate'] as const;
/** What of a query is no parameter of a read. */
const QUERY = new Set<string>([...CHECKED, 'pagination', 'status', 'locale', '_q', 'publicationFilter']);

export class ContentApi {
  readonly #rooms: CodeRooms;

  constructor(rooms: CodeRooms) {
    this.#rooms = rooms;
  }

  /** @throws ContentError 400 for a parameter that is wrong, or names what the view does not show. */
  validateQuery(query: object, type: ContentType, view: View): void {
    this.#rooms.reader.check(type, { view, values: {} }, rawParams(query));
  }

  /** A query without parameters that name what the view does not show. */
  sanitizeQuery(query: object, type: ContentType, view: View): Params {
    const known = Object.entries(query).filter(([name]) => QUERY.has(name));
    return Object.fromEntries(known.filter(([name, value]) => this.#isShown(name, value, type, view)));
  }

  #isShown(name: string, value: unknown, type: ContentType, view: View): boolean {
    if (!(CHECKED as readonly string[]).includes(name)) return true;
    try {
      this.validateQuery({ [name]: value }, type, view);
      return true;
    } catch (error) {
      if (error instanceof ContentError && error.status === 400) return false;
      throw error;
    }
  }

  /** @throws ContentError 400 for a key that the view may not write. */
  validateInput(data: unknown, type: ContentType, view: View): void {
    if (isPlain(data)) permitBody(view, type, data);
  }

  /** Data without the keys that the view may not write. */
  sanitizeInput(data: unknown, type: ContentType, view: View): unknown {
    if (!isPlain(data)) return data;
    return Object.fromEntries(
      Object.entries(data).filter(([name, value]) => {
        try {
          permitBody(view, type, { [name]: value });
          return true;
        } catch {
          return false;
        }
      }),
    );
  }

  sanitizeOutput(data: unknown, type: ContentType, view: View): unknown {
    return shownTo(view, type, data);
  }

  /** The content type that code names by its schema or its uid. */
  typeOf(schema: unknown): ContentType {
    const uid = isPlain(schema) ? schema['uid'] : schema;
    const type = this.#rooms.catalog.contentTypes.get(String(uid));
    if (!type) throw new Error(`strapi.contentAPI: there is no content type ${String(uid)}`);
    return type;
  }

  get fileType(): ContentType {
    return this.typeOf(FILE_UID);
  }

  /** `strapi.contentAPI`, and `sanitize` and `validate` of `@strapi/utils`. @param viewOf the view of `{auth}`. */
  members(viewOf: (auth: unknown) => View) {
    type Options = { readonly auth?: unknown } | undefined;
    const view = (options: Options) => viewOf(options?.auth);
    return {
      sanitize: {
        output: async (data: unknown, schema: unknown, options: Options) =>
          this.sanitizeOutput(data, this.typeOf(schema), view(options)),
        input: async (data: unknown, schema: unknown, options: Options) =>
          this.sanitizeInput(data, this.typeOf(schema), view(options)),
        query: async (query: object, schema: unknown, options: Options) =>
          this.sanitizeQuery(query, this.typeOf(schema), view(options)),
      },
      validate: {
        input: async (data: unknown, schema: unknown, options: Options) =>
          this.validateInput(data, this.typeOf(schema), view(options)),
        query: async (query: object, schema: unknown, options: Options) =>
          this.validateQuery(query, this.typeOf(schema), view(options)),
      },
    };
  }
}
