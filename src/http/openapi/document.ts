/** The description of a project's API in OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html). */
import { actionsOf, coreNames } from '../../access/actions.ts';
import type { Viewer } from '../../access/view.ts';
import type { ProjectCode } from '../../runtime/project-code.ts';
import type { DescribedRoute } from '../../runtime/requests/described-routes.ts';
import { type ContentType, FILE_UID, type Model, USER_UID } from '../../schema/catalog.ts';
import { BUILT_IN, BUILT_IN_SCHEMAS } from './built-in-operations.ts';
import { contentOperations } from './content-operations.ts';
import { bracesOf, type Operation, PARAMETERS, render } from './operations.ts';
import { callersOf, ownOperations } from './own-operations.ts';
import { COMMON, inputName, inputOf, outputName, outputOf, ref, type Schema } from './schemas.ts';

export interface DescribedApi {
  /** The title of the API. */
  readonly title: string;
  /** The version of the project. */
  readonly version: string;
  /** The caller, whose View limits the description. */
  readonly viewer: Viewer;
  /** The core routes of types by their routers. */
  readonly routes: ProjectCode['routes'];
  /** Path prefix of the API. */
  readonly prefix: string;
  readonly createdStatus: number;
  /** The routes of project code, and the core routes as it configures them. */
  readonly own: readonly DescribedRoute[];
  /** Whether project code runs for a type's actions, and may add to their answers. */
  readonly mayAdd?: (type: ContentType) => boolean;
  /** Whether the caller has an account or a full-access token. */
  readonly isKnown: boolean;
  /** Whether the caller may listen to changes. */
  readonly hears: boolean;
  /** Closed actions, including batches, which cannot be granted. */
  readonly closed?: { has(action: string): boolean };
  /** Server routes that project code has removed: `GET /users/count`. */
  readonly withdrawn?: ReadonlySet<string> | undefined;
  /** Server actions that project code replaces with actions of the same names. */
  readonly taken?: ReadonlySet<string> | undefined;
}

/** Describes the API as the caller sees it. Everything that no operation refers to is omitted, schemas included. */
export function describeApi(described: DescribedApi): Schema {
  const operations = operationsOf(described);
  const paths: Record<string, Record<string, Schema>> = {};
  for (const operation of operations) {
    const path = described.prefix + operation.path;
    paths[path] = { ...paths[path], [operation.method]: render(operation) };
  }
  const tags = [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name }));
  return {
    openapi: '3.1.1',
    info: { title: described.title, version: described.version },
    servers: [{ url: '/' }],
    security: [{}, { token: [] }],
    tags,
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An API token, or that of an account' },
      },
      parameters: PARAMETERS,
      responses: {
        Error: {
          description: 'The error',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
      schemas: reachable(schemasOf(described), [paths, COMMON['Error']]),
    },
  };
}

/**
 * The operations that the caller may perform, the first of each path and method as in the server. Answers of the
 * server's own actions are described as if no project code ran for them.
 */
function operationsOf({
  viewer,
  routes,
  createdStatus,
  hears,
  own,
  isKnown,
  closed,
  taken: replaced,
  withdrawn = new Set(),
}: DescribedApi): Operation[] {
  const { view } = viewer;
  const { catalog } = view;
  const taken = new Set<string>();
  const isFree = (method: string, path: string): boolean => {
    const place = placeOf({ method, path });
    const isFirst = !taken.has(place);
    taken.add(place);
    return isFirst;
  };
  const ofContent = contentOperations(catalog, routes, {
    createdStatus,
    may: (action) => view.may(action),
  }).filter(({ id }) => !replaced?.has(id));
  const removed = new Set(Array.from(withdrawn, (place) => placeOf(withBraces(place))));
  const ofServer = [...ofContent, ...BUILT_IN.filter((operation) => !removed.has(placeOf(operation)))];
  // a batch has the actions of its operations
  const known = new Set(ofServer.flatMap(({ actions }) => (actions.length === 1 ? actions : [])));
  const core = new Map(own.filter(({ isCore }) => isCore).map((route) => [placeOf(route), route]));
  const added = own.filter(
    ({ action, method, path, isCore }) => !isCore && !known.has(action ?? '') && isFree(method, path),
  );
  const mayCall = ({ wants }: DescribedRoute): boolean =>
    wants === 'nothing' || (wants === 'known' ? isKnown : wants.every((action) => view.may(action)));
  const described = ofServer.flatMap((operation): Operation[] => {
    const { method, path, elsewhere, actions, id } = operation;
    const place = [path, elsewhere].find((one) => one !== undefined && isFree(method, one));
    if (place === undefined || closed?.has(id)) return [];
    const route = core.get(placeOf({ method, path: place }));
    if (route) return mayCall(route) ? [{ ...operation, ...callersOf(route), path: place }] : [];
    const isOpen = actions === 'listening' ? hears : actions.some((action) => view.may(action));
    return isOpen ? [{ ...operation, path: place }] : [];
  });
  return [...described, ...ownOperations(added, mayCall)];
}

/** `GET /users/:id` as a method and a path. */
function withBraces(place: string): { readonly method: string; readonly path: string } {
  const [method = '', path = ''] = place.split(' ');
  return { method: method.toLowerCase(), path: bracesOf(path) };
}

/** A route without the names of its parameters. */
const placeOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${path.toLowerCase().replaceAll(/\{\w+\}/g, '{}')}`;

function schemasOf({ viewer: { view }, mayAdd = () => false }: DescribedApi): Record<string, Schema> {
  const { catalog } = view;
  const models: Model[] = [...catalog.contentTypes.values(), ...catalog.components.values()];
  const schemas: Record<string, Schema> = { ...COMMON, ...BUILT_IN_SCHEMAS };
  for (const model of models) {
    if (model.uid.startsWith('admin::')) continue;
    const name = model.uid === FILE_UID ? 'File' : model.uid === USER_UID ? 'UsersPermissionsUser' : outputName(model);
    schemas[outputName(model)] = outputOf(view, model);
    schemas[name] = schemas[outputName(model)]!;
    schemas[inputName(model)] = inputOf(view, model);
  }
  // project code may add to any part of an answer
  const changed = [...catalog.contentTypes.values()].filter(mayAdd).map((type) => ref(outputName(type)));
  const open = reachable(schemas, changed);
  for (const model of models) {
    const { additionalProperties: _, ...rest } = open[outputName(model)] ?? {};
    if (open[outputName(model)]) schemas[outputName(model)] = rest;
  }
  return schemas;
}

/** The schemas that are referred to. */
function reachable(schemas: Readonly<Record<string, Schema>>, from: unknown): Record<string, Schema> {
  const found = new Set<string>(['Error']);
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const target = (value as { $ref?: unknown }).$ref;
    const name = typeof target === 'string' ? /^#\/components\/schemas\/(.+)$/.exec(target)?.[1] : undefined;
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      visit(schemas[name]);
    }
    for (const part of Object.values(value)) visit(part);
  };
  visit(from);
  return Object.fromEntries([...found].sort().map((name) => [name, schemas[name]!]));
}

/** Tells whether code runs for an action of a type: it may add to the answer. */
export function mayAddTo({ guardsOf }: Pick<ProjectCode, 'guardsOf'>): (type: ContentType) => boolean {
  return (type) => {
    const owner = /^plugin::[^.]+/.exec(type.uid)?.[0];
    // all actions of a plugin may answer with its types
    const ofPlugin = owner === undefined ? [] : actionsOf(owner);
    const actions = type.routed ? coreNames(type).map((name) => `${type.uid}.${name}`) : [];
    return [...actions, ...ofPlugin].some((action) => guardsOf(action).length > 0);
  };
}
