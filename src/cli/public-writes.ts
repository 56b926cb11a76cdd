/**
 * Lists what everyone can write without signing in. An action of the role `public` writes unless all its routes are GET. The
 * list leaves out the account endpoints that are open in every new project, such as registration: they protect themselves,
 * and would hide the lines that matter.
 */
import { BUILT_IN_ACTIONS, coreRoute, ownRoutesOf } from '../access/actions.ts';
import { listed } from '../counted.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { ACCOUNT_ACTION_PREFIX, PUBLIC_ACTIONS } from '../db/migration/bookkeeping.ts';
import { UsageError } from '../errors.ts';
import type { ProjectFiles } from '../project.ts';
import { routeAction } from '../runtime/galley/own-code.ts';
import { actionOf, type ListedRoute } from '../runtime/requests/routes.ts';
import type { ContentType } from '../schema/catalog.ts';
import { findRoleId, grantedActions } from '../users/roles/roles.ts';
import type { Surroundings } from './command.ts';

export const PUBLIC = 'public';

/** The parts of a project that define which requests an action answers. */
export type ActionSource = Pick<ProjectFiles, 'config' | 'catalog' | 'code' | 'own'>;

/** The writes to one content type, or to one part of the server. */
export interface PublicWrite {
  /** `create and update articles`. */
  readonly words: string;
  /** `POST /api/articles`; empty if the routes of an action are unknown. */
  readonly requests: readonly string[];
}

/** The actions that every new project grants to the role `public`. */
const STANDING: ReadonlySet<string> = new Set(PUBLIC_ACTIONS.map((name) => ACCOUNT_ACTION_PREFIX + name));

const VERBS: Readonly<Record<string, string>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  createLocalization: 'translate',
  publish: 'publish',
  unpublish: 'unpublish',
  discardDraft: 'discard drafts of',
};

/** Actions that read accounts. A grant to everyone needs the same confirmation as one that writes. */
const ACCOUNT_READS: readonly string[] = ['find', 'findOne', 'count'].map(
  (name) => `plugin::users-permissions.user.${name}`,
);

const BUILT_IN_WORDS: Readonly<Record<string, string>> = {
  'plugin::upload.content-api.upload': 'upload files',
  'plugin::upload.content-api.destroy': 'delete files',
  'plugin::users-permissions.user.find': 'list all accounts with their e-mail addresses',
  'plugin::users-permissions.user.findOne': 'read every account with its e-mail address',
  'plugin::users-permissions.user.count': 'count the accounts',
  'plugin::users-permissions.user.create': 'create accounts',
  'plugin::users-permissions.user.update': 'change accounts',
  'plugin::users-permissions.user.destroy': 'delete accounts',
  'plugin::users-permissions.role.createRole': 'create roles',
  'plugin::users-permissions.role.updateRole': 'change roles',
  'plugin::users-permissions.role.deleteRole': 'delete roles',
  'plugin::i18n.locales.createLocale': 'add locales',
  'plugin::i18n.locales.updateLocale': 'change locales',
  'plugin::i18n.locales.deleteLocale': 'remove locales',
};

/** The actions that let everyone write, by the type or part of the server that they write to. */
export function publicWrites(source: ActionSource, actions: Iterable<string>): PublicWrite[] {
  const writes: PublicWrite[] = [];
  const byType = new Map<ContentType, string[]>();
  for (const action of new Set(actions)) {
    if (STANDING.has(action) || (onlyReads(source, action) && !ACCOUNT_READS.includes(action))) continue;
    const [type, name] = typeAndName(source, action);
    if (type && name in VERBS) byType.set(type, [...(byType.get(type) ?? []), name]);
    else {
      const words = BUILT_IN_WORDS[action] ?? `call ${action}`;
      writes.push({ words, requests: routesOf(source, action).map(requestOf) });
    }
  }
  const order = Object.keys(VERBS);
  for (const [type, names] of byType) {
    const sorted = names.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    const noun = type.kind === 'singleType' ? `the ${type.singularName}` : type.pluralName;
    const requests = sorted.flatMap((name) => routesOf(source, `${type.uid}.${name}`).map(requestOf));
    writes.push({ words: `${listed(sorted.map((name) => VERBS[name]!))} ${noun}`, requests: [...new Set(requests)] });
  }
  return writes;
}

/** What everyone can write now, by grants of the role `public` and by routes without authentication. */
export async function grantedPublicWrites(source: ActionSource, db: Queryable): Promise<PublicWrite[]> {
  const role = await findRoleId(db, PUBLIC);
  const granted = role === undefined ? [] : publicWrites(source, [...(await grantedActions(db, role))].sort());
  const listedAlready = new Set(granted.flatMap(({ requests }) => requests));
  const open = openWrites(source).filter(({ requests }) => requests.some((request) => !listedAlready.has(request)));
  return [...granted, ...open];
}

/** One line for each. */
export const linesOf = (writes: readonly PublicWrite[]): string[] =>
  writes.map(({ words, requests }) => {
    const how = requests.length === 0 ? '' : `: ${requests.join(', ')}`;
    return `everyone can ${words} without signing in${how}`;
  });

/**
 * Prints what everyone will be able to write, and asks for confirmation at the terminal, unless `--yes` confirms it.
 *
 * @throws UsageError without confirmation.
 */
export async function confirmPublicWrites(
  writes: readonly PublicWrite[],
  isConfirmed: boolean,
  { warn, ask }: Pick<Surroundings, 'warn' | 'ask'>,
): Promise<void> {
  if (writes.length === 0) return;
  const words = listed(writes.map((write) => write.words));
  const requests = writes.flatMap((write) => write.requests);
  const how = requests.length === 0 ? '' : ` (${requests.join(', ')})`;
  warn(`This lets everyone who can reach the server ${words} without signing in${how}.`);
  if (isConfirmed) return;
  if (!ask)
    throw new UsageError('nothing was granted: if everyone should be able to do this, repeat the command with --yes');
  const answer = await ask('Grant this to everyone? [y/N] ');
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageError('nothing was granted', 1);
}

interface Route {
  readonly method: string;
  readonly path: string;
}

const requestOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Whether all routes of an action are GET. Without a known route only find and findOne of a type count as reads. */
function onlyReads(source: ActionSource, action: string): boolean {
  const [type, name] = typeAndName(source, action);
  const routes = routesOf(source, action);
  if (routes.length === 0) return type !== undefined && (name === 'find' || name === 'findOne');
  return routes.every(isRead);
}

const isRead = ({ method }: Route): boolean => method === 'GET' || method === 'HEAD';

/** The routes of project code with `auth: false` that write, by their actions. */
function openWrites(source: ActionSource): PublicWrite[] {
  const { code, own } = source;
  const open = [
    ...code.ownRoutes.filter(({ written }) => written.config?.auth === false).map(nameOf),
    ...(own?.definition.routes ?? []).filter(({ auth }) => auth === false).map(({ name }) => routeAction(name)),
  ];
  return [...new Set(open)].flatMap((action) => {
    const routes = openRoutesOf(source, action).filter((route) => !isRead(route));
    return routes.length === 0 ? [] : [{ words: `call ${action}`, requests: routes.map(requestOf) }];
  });
}

/** The action of a route of project code; a function has none. */
const nameOf = (route: ListedRoute): string => actionOf(route) ?? 'a function';

/** The content type of an action, if it has one, and the name of the action without it. */
function typeAndName({ catalog }: ActionSource, action: string): [type: ContentType | undefined, name: string] {
  const dot = action.lastIndexOf('.');
  return [catalog.contentTypes.get(action.slice(0, dot)), action.slice(dot + 1)];
}

/** The known routes of an action, with whole paths. */
function routesOf(source: ActionSource, action: string): Route[] {
  const { prefix } = source.config.rest;
  const [type, name] = typeAndName(source, action);
  const builtIn = BUILT_IN_ACTIONS.filter((route) => route.action === action).map(({ method, path }) => ({
    method,
    path: prefix + path,
  }));
  return [...(type ? routesOfType(source, type, name) : builtIn), ...codeRoutesOf(source, action, () => true)];
}

/** The routes of an action in project code that need no authentication. */
const openRoutesOf = (source: ActionSource, action: string): Route[] =>
  codeRoutesOf(source, action, (auth) => auth === false);

/** The routes of an action in project code whose `auth` passes a test. */
function codeRoutesOf(
  { config, code, own }: ActionSource,
  action: string,
  passes: (auth: unknown) => boolean,
): Route[] {
  const { prefix } = config.rest;
  const written = code.ownRoutes
    .filter((route) => nameOf(route) === action && passes(route.written.config?.auth))
    .map(({ method, path, isAtRoot }) => ({ method: method.toUpperCase(), path: isAtRoot ? path : prefix + path }));
  const galleys = (own?.definition.routes ?? [])
    .filter(({ name, auth }) => routeAction(name) === action && passes(auth))
    .map(({ method, path }) => ({ method, path: prefix + path }));
  return [...written, ...galleys];
}

function routesOfType({ config, code }: ActionSource, type: ContentType, name: string): Route[] {
  const { prefix } = config.rest;
  const ours = ownRoutesOf(type).find((route) => route.name === name);
  if (ours) return [{ method: ours.method, path: prefix + ours.path }];
  if (!(name in VERBS) && name !== 'find' && name !== 'findOne') return [];
  const core = name === 'createLocalization' ? 'update' : name;
  const routers = code.routes.get(type.uid) ?? [{ prefix: '', names: new Set([core]) }];
  const { method, path } = coreRoute(type, core);
  return routers
    .filter(({ names }) => names.has(core))
    .map((router) => ({ method, path: prefix + router.prefix + path }));
}
