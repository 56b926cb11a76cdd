/** Finds what code asks of strapi that Galley does not have, so that it is known before the code is run. */

import type { Module } from '../reading/module.ts';
import { type AnyNode, plain, type Step, useOf, walk } from '../reading/syntax.ts';
import { isAddable, MUTE_PLUGINS, OF_CONTAINER } from '../strapi/meaning.ts';

/** Members of strapi; where one has members of its own, which of these there are. */
const MEMBERS: Readonly<Record<string, readonly string[] | true>> = {
  EE: true,
  admin: ['services'],
  api: true,
  apis: true,
  components: true,
  config: true,
  contentAPI: ['sanitize', 'validate', 'permissions', 'addQueryParams', 'addInputParams'],
  contentType: true,
  contentTypes: true,
  controller: true,
  controllers: true,
  cron: ['add', 'remove', 'jobs'],
  customFields: ['register'],
  db: ['query', 'lifecycles', 'transaction', 'inTransaction', 'metadata'],
  dirs: true,
  documents: true,
  entityService: [...['findMany', 'findPage', 'findOne', 'count', 'create', 'update', 'delete', 'load']],
  entityValidator: ['validateEntityCreation', 'validateEntityUpdate'],
  eventHub: ['emit', 'on', 'once', 'off', 'addListener', 'removeListener', 'subscribe', 'unsubscribe'],
  features: ['config', 'future', 'isEnabled'],
  fetch: true,
  get: true,
  getModel: true,
  isLoaded: true,
  log: true,
  middleware: true,
  middlewares: true,
  plugin: true,
  plugins: true,
  policies: true,
  policy: true,
  query: true,
  requestContext: ['get', 'run'],
  server: ['routes', 'use', 'httpServer', 'router', 'app'],
  service: true,
  services: true,
  startupLogger: true,
  store: true,
  telemetry: ['send', 'register'],
  webhookRunner: ['add', 'update', 'remove', 'run'],
  webhookStore: true,
};
const PLUGINS: Readonly<Record<string, readonly string[]>> = {
  'users-permissions': ['user', 'jwt', 'role'],
  upload: ['upload', 'folder', 'file', 'image-manipulation', 'api-upload-folder'],
  email: ['email'],
  i18n: ['locales'],
};

/** Services of the administration's part of strapi. */
const OF_PANEL: Readonly<Record<string, readonly string[] | true>> = {
  permission: true,
  'api-token': true,
  auth: ['hashPassword', 'validatePassword'],
  user: [
    ...['create', 'updateById', 'exists', 'count', 'findOne', 'findOneByEmail', 'findPage', 'sanitizeUser'],
    ...['deleteById', 'deleteByIds', 'resetPasswordByEmail', 'isLastSuperAdminUser', 'countUsersWithoutRole'],
  ],
  role: [
    ...['find', 'findOne', 'findOneWithUsersCount', 'exists', 'count'],
    ...['getSuperAdmin', 'getSuperAdminWithUsersCount', 'sanitizeRole'],
  ],
};

/** A use of what is not there. */
export interface UnsupportedUse {
  /** A member of strapi, with the line. */
  readonly what: string;
  /** The nodes around it, the nearest first. */
  readonly around: readonly AnyNode[];
}

/**
 * Where a module asks for members of strapi that are not there.
 *
 * @param plugins names of the project's own.
 * @param extended built-in ones whose services code of the project changes.
 */
export function unsupportedUses(
  module: Module,
  text: string,
  plugins: ReadonlySet<string>,
  extended: ReadonlySet<string>,
): UnsupportedUse[] {
  const found: UnsupportedUse[] = [];
  walk(module.program, (node, around) => {
    if (!isStrapi(node, around)) return;
    const { steps } = useOf(node, around);
    const what = missing(steps, plugins, extended);
    if (what !== undefined) found.push({ what: `${what} (${module.path}:${lineOf(text, node)})`, around });
  });
  return found;
}

/** Whether a node is strapi by its name: a name that is used, or a member such as `global.strapi`. */
function isStrapi(node: AnyNode, around: readonly AnyNode[]): boolean {
  if (node.type === 'MemberExpression') {
    return !node.computed && node.property.type === 'Identifier' && node.property.name === 'strapi';
  }
  const [parent] = around;
  if (node.type !== 'Identifier' || node.name !== 'strapi' || !parent) return false;
  if (parent.type === 'MemberExpression') return parent.object === node;
  return parent.type !== 'Property' && parent.type !== 'ImportSpecifier';
}

function missing(
  [first, second, ...rest]: readonly Step[],
  plugins: ReadonlySet<string>,
  extended: ReadonlySet<string>,
): string | undefined {
  if (typeof first !== 'string') return undefined;
  const members = Object.hasOwn(MEMBERS, first) ? MEMBERS[first] : undefined;
  if (members === undefined) return isAddable(first) || first in Object.prototype ? undefined : `strapi.${first}`;
  if (first === 'plugin' || first === 'plugins') {
    const name = first === 'plugin' ? textOf(second) : second;
    const isThere = typeof name === 'string' && (plugins.has(name) || MUTE_PLUGINS.includes(name));
    return isThere ? undefined : missingPlugin(name, rest, extended);
  }
  const [, panel] = (first === 'service' && /^admin::(.*)$/.exec(textOf(second) ?? '')) || [];
  if (panel !== undefined) return missingOfPanel(panel, `strapi.service('admin::${panel}')`, rest[0]);
  if (first === 'admin' && second === 'services' && typeof rest[0] === 'string')
    return missingOfPanel(rest[0], `strapi.admin.services.${rest[0]}`, rest[1]);
  const asked = first === 'get' ? textOf(second) : undefined;
  if (asked !== undefined && !OF_CONTAINER.has(asked)) return `strapi.get('${asked}')`;
  if (members === true || typeof second !== 'string' || members.includes(second)) return undefined;
  return `strapi.${first}.${second}`;
}

function missingOfPanel(name: string, place: string, member: Step | undefined): string | undefined {
  const members = Object.hasOwn(OF_PANEL, name) ? OF_PANEL[name]! : undefined;
  if (!members) return place;
  return members === true || typeof member !== 'string' || members.includes(member) ? undefined : `${place}.${member}`;
}

function missingPlugin(
  name: Step | undefined,
  [member, argument]: readonly Step[],
  extended: ReadonlySet<string>,
): string | undefined {
  if (typeof name !== 'string') return undefined;
  const services = Object.hasOwn(PLUGINS, name) ? PLUGINS[name]! : undefined;
  if (!services) return `strapi.plugin('${name}')`;
  if (member === 'controller' || member === 'controllers' || member === 'routes' || member === 'provider')
    return `strapi.plugin('${name}').${member}`;
  const service = member === 'service' ? textOf(argument) : member === 'services' ? argument : undefined;
  // which of them there are is known when the extension has run
  return typeof service !== 'string' || services.includes(service) || extended.has(name)
    ? undefined
    : `strapi.plugin('${name}').service('${service}')`;
}

/** The text that a call is given. */
function textOf(step: Step | undefined): string | undefined {
  const argument = typeof step === 'object' ? step.call[0] : undefined;
  const node = argument && plain(argument);
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

function lineOf(text: string, node: AnyNode): number {
  const { start } = node as unknown as { start: number };
  return text.slice(0, start).split('\n').length;
}
