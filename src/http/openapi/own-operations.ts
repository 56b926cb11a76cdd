/** Operations of routes of project code, with the schemas that the routes declare. */
import type { DescribedRoute } from '../../runtime/requests/described-routes.ts';
import type { Operation } from './operations.ts';
import { routeSchemas } from './route-schemas.ts';

const WITH_BODY: ReadonlySet<string> = new Set(['post', 'put', 'patch']);

/** The credentials of a route that needs no grant. */
export function callersOf({ wants }: DescribedRoute): Pick<Operation, 'security'> {
  return wants === 'nothing' ? { security: [] } : wants === 'known' ? { security: [{ token: [] }] } : {};
}

/** Operations of routes. @param mayCall whether the caller may call one. */
export function ownOperations(routes: readonly DescribedRoute[], mayCall: (route: DescribedRoute) => boolean) {
  const known = new Set<string>();
  return routes.filter(mayCall).map((route): Operation => {
    const { method, action, owner, wants } = route;
    const id = unlike(known, idOf(route));
    known.add(id);
    const schemas = routeSchemas(route);
    return {
      ...{ method, path: route.path, id, actions: [] },
      summary:
        action === undefined ? 'A route of the project' : `${action.split('.').at(-1)} of ${owner || 'the project'}`,
      ...(typeof wants === 'string' ? {} : { description: `Needs the grant ${wants.join(' and ')}` }),
      ...callersOf(route),
      tag: owner === '' ? 'Routes of the project' : `Routes of ${owner}`,
      ...(WITH_BODY.has(method) ? { body: {}, mayLackBody: true } : {}),
      schemas,
      answers: { 200: schemas.answer ?? {} },
    };
  });
}

/** The id of an operation for generated clients, with characters that are safe in addresses. */
function idOf({ method, path, action, owner, name }: DescribedRoute): string {
  const text = action ?? `${owner || 'own'}.${name ?? `${method}.${path}`}`;
  return text
    .replaceAll(/[^\w.:-]+/g, '.')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/\.$/, '');
}

/** An id that is unique: a number is appended if needed. */
function unlike(known: ReadonlySet<string>, id: string): string {
  let unique = id;
  for (let n = 2; known.has(unique); n++) unique = `${id}.${n}`;
  return unique;
}
