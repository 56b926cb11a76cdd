/** The requests of each content type, and who may send them. */
import { coreNames, coreRoute, ownRoutesOf } from '../../access/actions.ts';
import { type Grants, may } from '../../access/grants.ts';
import { BATCH_ACTIONS } from '../../query/batch.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { nameOf } from '../../schema/declarations.ts';
import type { HttpContext } from '../routes/context.ts';

export interface ExploredRequest {
  /** Method and path without the prefix. */
  readonly id: string;
  /** `find`, `publish`, or the name of an action of the project. */
  readonly name: string;
  readonly method: string;
  /** With the prefix of the API, and `:name` for parameters. */
  readonly path: string;
  /** Whether it is a route of project code. */
  readonly isOwn: boolean;
  /** The reason for which the request is closed to all callers, whatever their grants; null: it is open. */
  readonly closed: string | null;
  /** Whether a caller may send it. */
  readonly isPermitted: (grants: Grants) => boolean;
}

export interface ExploredType {
  readonly uid: string;
  readonly displayName: string;
  /** The beginning of the names of its types in the declarations of `galley types`: `Article`. */
  readonly typeName: string;
  readonly kind: ContentType['kind'];
  readonly singularName: string;
  readonly pluralName: string;
  readonly localized: boolean;
  readonly draftAndPublish: boolean;
  readonly requests: readonly ExploredRequest[];
}

/** The types of the content API in the order of their names. */
export function exploredTypes(context: HttpContext): ExploredType[] {
  return [...context.catalog.contentTypes.values()]
    .filter(({ routed }) => routed)
    .map((type) => {
      const { uid, displayName, kind, singularName, pluralName, localized, draftAndPublish } = type;
      const requests = requestsOf(context, type);
      const typeName = nameOf(type);
      return { uid, displayName, typeName, kind, singularName, pluralName, localized, draftAndPublish, requests };
    })
    .toSorted((one, other) => one.displayName.localeCompare(other.displayName));
}

function requestsOf({ code, running, config: { rest } }: HttpContext, type: ContentType): ExploredRequest[] {
  const { uid } = type;
  const { withdrawn, ownNames } = running ?? {};
  const described = running?.answers.described ?? [];
  const closedBy = (actions: readonly string[]) => {
    const reasons = actions.map((action) => code.closed.get(action));
    return reasons.find((reason) => reason !== undefined) ?? null;
  };
  const core = (code.routes.get(uid) ?? [{ prefix: '', names: new Set(coreNames(type)) }]).flatMap(
    ({ prefix, names }) =>
      [...names].map((name) => {
        const { method, path, action } = coreRoute(type, name);
        return { name, action, method, path: prefix + path };
      }),
  );
  const own = ownRoutesOf(type).filter(({ action }) => !ownNames?.has(action));
  const ofServer = [...core, ...own]
    .filter(({ method, path }) => !withdrawn?.has(`${method} ${path}`))
    .map(({ name, action, method, path }): ExploredRequest => {
      const isBatch = name === 'batch';
      const needs = isBatch ? BATCH_ACTIONS.map((each) => `${uid}.${each}`) : [action];
      return {
        ...{
          id: `${method} ${path}`,
          name,
          method,
          path: rest.prefix + path,
          isOwn: false,
          closed: closedBy([action]),
        },
        isPermitted: (grants) => !code.closed.has(action) && needs.some((each) => may(grants, each)),
      };
    });
  const taken = new Set(ofServer.map(({ id }) => id));
  const ofProject = described
    .filter(({ isCore, action }) => !isCore && action?.startsWith(`${uid}.`))
    .map(({ method, path, action = '', wants }): ExploredRequest => {
      const written = path.replaceAll(/\{(\w+)\}/g, ':$1');
      const name = action.slice(action.lastIndexOf('.') + 1);
      const id = `${method.toUpperCase()} ${written}`;
      return {
        ...{ id, name, method: method.toUpperCase(), path: rest.prefix + written, isOwn: true },
        closed: typeof wants === 'string' ? null : closedBy(wants),
        isPermitted: (grants) =>
          typeof wants === 'string'
            ? wants === 'nothing' || grants.role !== 'public'
            : wants.every((each) => may(grants, each)),
      };
    })
    .filter(({ id, method }) => !taken.has(id) && method !== 'PATCH');
  return [...ofServer, ...ofProject];
}
