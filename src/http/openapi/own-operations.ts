/** Operations of the routes that a project's code adds: what they take and answer is what the code says of it, if anything. */
import type { DescribedRoute } from '../../extend/running/requests/described-routes.ts';
import type { Operation } from './operations.ts';
import { routeSchemas } from './route-schemas.ts';

const WITH_BODY: ReadonlySet<string> = new Set(['post', 'put', 'patch']);

/** Whom a route is for, where that is not whoever has a grant. */
export function callersOf({ wants }: DescribedRoute): Pick<Operation, 'security'> {
  return wants === 'nothing' ? { security: [] } : wants === 'known' ? { security: [{ token: [] }] } : {};
}

/** Operations of routes. @param mayCall whether the caller may call one. */
export function ownOperations(routes: readonly DescribedRoute[], mayCall: (route: DescribedRoute) => boolean) {
  const known = new Set<string>();
  return routes.filter(mayCall).map((route): Operation => {
    const { method, path, action, owner, wants } = route;
    const named = action ?? `${owner || 'own'}.${method}${path}`;
    const id = known.has(named) ? `${named}.${method}.${known.size}` : named;
    known.add(id);
    const told = routeSchemas(route);
    return {
      ...{ method, path, id, actions: [] },
      summary:
        action === undefined ? 'A route of the project' : `${action.split('.').at(-1)} of ${owner || 'the project'}`,
      ...(typeof wants === 'string' ? {} : { description: `Wants the grant ${wants.join(' and ')}` }),
      ...callersOf(route),
      tag: owner === '' ? 'Routes of the project' : `Routes of ${owner}`,
      ...(WITH_BODY.has(method) ? { body: {}, mayLackBody: true } : {}),
      told,
      answers: { 200: told.answer ?? {} },
    };
  });
}
