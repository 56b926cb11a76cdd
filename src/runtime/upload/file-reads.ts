/**
 * The actions that read files in the reference, with the project's lifecycles around them: the server answers, and listeners
 * get the rows of the answer. They cannot ask for other rows.
 */
import { isDeepStrictEqual } from 'node:util';
import { BUILT_IN_ACTIONS, FILE_ACTIONS } from '../../access/actions.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import type { Lifecycles, Moment, Params, States } from '../documents/lifecycles.ts';
import { unsupported } from '../guarded.ts';
import { builtIn } from '../plugins/built-in-plugin.ts';
import type { Action } from '../plugins/upload-actions.ts';
import type { Context } from '../requests/context.ts';
import { type ListedRoute, listed } from '../requests/routes.ts';

/** The members of `strapi` that these actions use. */
interface Strapi {
  readonly db: { query(uid: string): { findOne(params: Params): Promise<unknown> } };
  readonly contentAPI: {
    readonly sanitize: { output(data: unknown, schema: unknown, options: object): Promise<unknown> };
  };
}

/**
 * The routes of those actions, which code answers while listeners exist.
 *
 * @param extended files of extensions, by plugin: where upload has one, these actions are closed.
 */
export function fileReads(
  lifecycles: Lifecycles,
  { strapi }: { readonly strapi: object },
  extended: ReadonlyMap<string, string>,
): { readonly route: ListedRoute; readonly isTaken: () => boolean }[] {
  if (extended.has('upload')) return [];
  const isTaken = () => lifecycles.listens(FILE_UID, 'FindOne', 'FindMany', 'Count');
  const actions = new Actions(lifecycles, strapi as Strapi);
  return BUILT_IN_ACTIONS.filter(({ action }) => FILE_ACTIONS.includes(action)).map(({ action, method, path }) => {
    const name = action.slice(action.lastIndexOf('.') + 1);
    const handler = actions.of(name, builtIn(method, path));
    const written = { method, path, handler, config: { auth: { scope: [action] } } };
    const route = listed(written, '', { api: '', path: 'lifecycles of files', space: 'plugin::upload' });
    return { route: { ...route, ofServer: true }, isTaken };
  });
}

class Actions {
  readonly #lifecycles: Lifecycles;
  readonly #strapi: Strapi;

  constructor(lifecycles: Lifecycles, strapi: Strapi) {
    [this.#lifecycles, this.#strapi] = [lifecycles, strapi];
  }

  /** An action with lifecycles around it. @param answer the server's own action. */
  of(name: string, answer: Action): Action {
    if (name === 'find' || name === 'findPage') {
      return (ctx) => this.#around(ctx, 'FindMany', listParams(ctx), answer);
    }
    if (name === 'findOne') return (ctx) => this.#around(ctx, 'FindOne', { where: { id: ctx.params['id'] } }, answer);
    // the file is looked up before anything is done to it
    return async (ctx) => {
      const id = name === 'destroy' ? ctx.params['id'] : (ctx.request.query as { id?: unknown }).id;
      const isNamed = typeof id === 'string' && /^\d+$/.test(id);
      const isThere = !isNamed || (await this.#strapi.db.query(FILE_UID).findOne({ where: { id } })) !== null;
      if (isThere) return answer(ctx);
      ctx.response.fail(404, name === 'destroy' ? 'file.notFound' : 'Entity not found');
    };
  }

  /** Notifies listeners of the count of a page. @throws Unsupported if they change it. */
  async #count(params: Params, { meta: { pagination } }: Page): Promise<void> {
    const { total } = pagination;
    if (total === undefined) return;
    const states: States = new Map();
    const before = await this.#lifecycles.run('beforeCount', FILE_UID, { params: structuredClone(params) }, states);
    const after = await this.#lifecycles.run('afterCount', FILE_UID, { params: before.params, result: total }, states);
    if (!isDeepStrictEqual(before.params, params) || after.result !== total)
      unsupported(`a change of what is counted of ${FILE_UID}`);
  }

  /** @throws Unsupported if a listener changes which rows are read. */
  async #around(ctx: Context, moment: Moment, requested: Params, answer: Action): Promise<void> {
    const states: States = new Map();
    const notify = (when: 'before' | 'after', event: { readonly params: Params; readonly result?: unknown }) =>
      this.#lifecycles.run(`${when}${moment}`, FILE_UID, event, states);
    const { params } = await notify('before', { params: structuredClone(requested) });
    if (!isDeepStrictEqual(params, requested)) unsupported(`a change of what before${moment} of ${FILE_UID} is about`);
    await answer(ctx);
    const { response } = ctx;
    const page = isPage(response.body) ? response.body : undefined;
    const rows = structuredClone(page ? page.data : response.body);
    const { result } = await notify('after', { params, result: rows });
    if (page) await this.#count(requested, page);
    if (isDeepStrictEqual(result, page ? page.data : response.body)) return;
    const shown = await this.#strapi.contentAPI.sanitize.output(result, FILE_UID, { auth: ctx.state['auth'] });
    response.body = page ? { ...page, data: shown } : shown;
  }
}

/** The parameters of a list, as listeners get them. */
function listParams({ request }: Context): Params {
  const { filters = {}, ...others } = structuredClone(request.query) as Params;
  return { ...others, where: filters };
}

interface Page {
  readonly data: unknown;
  readonly meta: { readonly pagination: { readonly total?: number } };
}

const isPage = (body: unknown): body is Page =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && 'data' in body && 'meta' in body;
