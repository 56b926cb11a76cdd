/** Explains requests that project code answers, and requests for the API's own description and changes. */
import { policedAs, routeAction } from '../../access/actions.ts';
import { requireAction } from '../../access/authorize.ts';
import { may } from '../../access/grants.ts';
import type { App } from '../../app.ts';
import { ContentError, forbidden } from '../../errors.ts';
import type { OwnCode } from '../../runtime/galley/own-code.ts';
import { scopesOf } from '../../runtime/requests/auth.ts';
import { actionOf } from '../../runtime/requests/routes.ts';
import { GALLEY, listedRoutes } from '../../runtime/requests/written-routes.ts';
import type { Caller } from '../../users/sessions/callers.ts';
import { codeText, grantText, type NamedPolicy } from './permission.ts';
import type { ExplainedRequest } from './request.ts';

/** A route of project code that takes a request. */
export interface TakenByCode {
  /** `src/galley`, or the path of a file. */
  readonly file: string;
  /** The action that it performs, or its own. */
  readonly action: string;
  /** The actions of which a caller must have each; `signed-in`: any signed-in user. */
  readonly wants: readonly string[] | 'nothing' | 'signed-in';
  /** The index among the routes of `src/galley`; undefined for others. */
  readonly index: number | undefined;
  /** Whether it is outside of the API, where no credentials are any good. */
  readonly isAtRoot: boolean;
  /** Why it is closed; undefined where it is not. */
  readonly closed: string | undefined;
}

/** The route of the project's own that takes a request; undefined where a core route comes first. */
export function ownRouteOf({ code, own, config }: App, { method, target }: ExplainedRequest): TakenByCode | undefined {
  const { prefix } = config.rest;
  const path = target.split('?', 1)[0]!;
  const below = path.toLowerCase().startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
  const wanted = method === 'HEAD' ? 'GET' : method;
  const route = listedRoutes({ code, own }).find((listed) => {
    const place = listed.isAtRoot ? path : below;
    return [wanted, 'ALL'].includes(listed.method) && place !== undefined && listed.pattern.match(place) !== undefined;
  });
  if (!route || route.core) return undefined;
  const isOpen = route.written.config?.auth === false;
  const index = own?.definition.routes.findIndex(({ name }) => route.file === GALLEY && name === route.name) ?? -1;
  return {
    file: route.file,
    action: route.file === GALLEY ? routeAction(route.name!) : (actionOf(route) ?? 'a function'),
    wants: isOpen ? 'nothing' : (scopesOf(route) ?? 'signed-in'),
    index: index < 0 ? undefined : index,
    isAtRoot: route.isAtRoot ?? false,
    closed: code.closedRoute(route),
  };
}

/**
 * Prints the permission of a request that project code answers. The effect of the code is unknown.
 *
 * @returns the error if the server refuses the request before any code runs.
 */
export async function explainOwn(
  { code, own }: App,
  { file, action, wants, index, isAtRoot, closed }: TakenByCode,
  { grants, userId, token }: Caller,
  print: (line: string) => void,
): Promise<ContentError | undefined> {
  const granted =
    wants === 'nothing'
      ? 'needs no grant (auth: false)'
      : wants === 'signed-in'
        ? 'needs no grant, but a signed-in user or a full-access token'
        : undefined;
  const line = (name: string, said: string) => print(`  action    ${name}: ${said}`);
  if (granted !== undefined) line(action, granted);
  else for (const wanted of wants) line(wanted, grantText(grants, wanted));
  const place = own && index !== undefined ? await own.placeOf(['routes', index]) : file;
  const policies = own && index !== undefined ? await policiesOfRoute(own, index) : [];
  for (const text of codeText(code.guardsOf(action), policies, false)) print(`  ${text}`);
  print(`  code      ${place}: ${closed === undefined ? 'is run, and answers the request' : `is not run: ${closed}`}`);
  if (closed !== undefined) return forbidden(closed);
  if (wants === 'nothing') return undefined;
  if (isAtRoot) return new ContentError('UnauthorizedError', 'Missing or invalid credentials');
  if (wants === 'signed-in') {
    if (userId !== undefined || grants.all) return undefined;
    return token ? forbidden() : new ContentError('UnauthorizedError', 'Unauthorized');
  }
  return refusalOf(() => wants.some((wanted) => !may(grants, wanted) && requireAction(grants, wanted)));
}

function refusalOf(work: () => unknown): ContentError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ContentError) return error;
    throw error;
  }
}

async function policiesOfRoute(own: OwnCode, index: number): Promise<NamedPolicy[]> {
  const { policies = [] } = own.definition.routes[index]!;
  return placed(own, policies, ['routes', index, 'policies']);
}

/** The policies of `src/galley` before an action of a type. */
export async function policiesOf(own: OwnCode | undefined, uid: string, action: string): Promise<NamedPolicy[]> {
  if (!own) return [];
  const found = policedAs(action).map((one) =>
    placed(own, own.definition.policies.get(one) ?? [], ['policies', uid, one.slice(uid.length + 1)]),
  );
  return (await Promise.all(found)).flat();
}

function placed(
  own: OwnCode,
  policies: readonly { readonly name: string }[],
  trail: readonly (string | number)[],
): Promise<NamedPolicy[]> {
  return Promise.all(
    policies.map(async ({ name }, index) => ({
      ...{ name: name || String(index + 1), place: await own.placeOf([...trail, index]) },
    })),
  );
}

/** The answer to a request for the stream. */
export const STREAM = 'changes of the types that the caller may find';

/** The answers to requests for the API's description and changes, which no grant is named after. */
const OF_THE_API: Readonly<Record<string, string>> = {
  '/openapi.json': 'the description of the API, as far as the caller may use it',
  '/docs': 'the description of the API as a page, as far as the caller may use it',
  '/_docs': 'the description of the API as a page, as far as the caller may use it',
  '/events': STREAM,
  '/_events': STREAM,
};

/** The answer to such a request; undefined for any other request. */
export function ofTheApi({ config }: App, { method, target }: ExplainedRequest): string | undefined {
  const path = target.split('?', 1)[0]!.toLowerCase().replace(/\/$/, '');
  const { prefix } = config.rest;
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && path.startsWith(`${prefix}/`) ? OF_THE_API[path.slice(prefix.length)] : undefined;
}
