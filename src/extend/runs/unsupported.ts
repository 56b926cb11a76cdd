/** Finds what code asks of strapi that Galley does not have, so that it is known before the code is run. */

import { posix } from 'node:path';
import type { Module } from '../reading/module.ts';
import { type AnyNode, type Step, textOf, useOf, walk } from '../reading/syntax.ts';
import { allImports } from '../strapi/imports.ts';
import { isAddable, MUTE_PLUGINS } from '../strapi/meaning.ts';
import {
  isInContainer,
  MEMBERS_IN_CONTAINER,
  PANEL_SERVICES,
  pluginOf,
  REGISTRIES,
  SERVICES,
} from '../strapi/reference.ts';

/** Members of strapi; where one has members of its own, which of these there are. */
const SUPPORTED: Readonly<Record<string, readonly string[] | true>> = {
  EE: true,
  add: true,
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
  db: [
    ...[
      'connection',
      'getConnection',
      'getSchemaConnection',
      'config',
      'dialect',
      'entityManager',
      'getSchemaName',
      'inTransaction',
      'lifecycles',
      'logger',
      'metadata',
    ],
    ...['query', 'transaction'],
  ],
  dirs: true,
  documents: true,
  ee: ['features', 'isEE', 'isTrial', 'planPriceId', 'seats', 'subscriptionId', 'type'],
  entityService: ['count', 'create', 'delete', 'findMany', 'findOne', 'findPage', 'load', 'loadPages', 'update'],
  entityValidator: ['validateEntityCreation', 'validateEntityUpdate'],
  eventHub: [
    ...['addListener', 'emit', 'off', 'on', 'once', 'removeAllListeners', 'removeAllSubscribers', 'removeListener'],
    ...['subscribe', 'unsubscribe'],
  ],
  features: ['config', 'future', 'isEnabled'],
  fetch: true,
  fs: true,
  get: true,
  getModel: true,
  has: true,
  hook: true,
  hooks: true,
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
  sanitizers: ['get', 'has'],
  server: ['routes', 'use', 'httpServer', 'router', 'app'],
  service: true,
  services: true,
  startupLogger: true,
  store: true,
  telemetry: ['bootstrap', 'destroy', 'isDisabled', 'register', 'send'],
  validators: ['get', 'has'],
  webhookRunner: ['add', 'update', 'remove', 'run'],
  webhookStore: true,
};
/** Services of built-in plugins. */
const PLUGIN_SERVICES: Readonly<Record<string, readonly string[]>> = {
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

/** What a project has of plugins. */
export interface WhatIsThere {
  /** Names of its own. */
  readonly plugins: ReadonlySet<string>;
  /** Built-in ones whose services its code changes. */
  readonly extended: ReadonlySet<string>;
  /** Whether the project may have a plugin in the reference. */
  readonly mayHave: (name: string) => boolean;
}

/** A use of what is not there. */
export interface UnsupportedUse {
  /** A member of strapi, with the line. */
  readonly what: string;
  /** The nodes around it, the nearest first. */
  readonly around: readonly AnyNode[];
}

/**
 * Where a module asks for members of strapi that are not there, and are in the reference: what that does not have either
 * is undefined.
 */
export function unsupportedUses(module: Module, text: string, there: WhatIsThere): UnsupportedUse[] {
  const found: UnsupportedUse[] = [];
  walk(module.program, (node, around) => {
    if (!isStrapi(node, around)) return;
    const { steps, end, within } = useOf(node, around);
    // `'redis' in strapi.plugins`
    const looked = within?.type === 'BinaryExpression' && within.operator === 'in' && within.right === end;
    const name = looked ? textOf(within.left) : undefined;
    const what = missing(name === undefined ? steps : [...steps, name], there);
    if (what !== undefined) found.push({ what: `${what} (${module.path}:${lineOf(text, node)})`, around });
  });
  return found;
}

/** Folders whose code is read, whoever imports it. */
const READ_FOLDERS = /^(?:[^/.]+\/)?(?:src\/(?!admin\/|plugins\/)|config\/)/;

/** Where a module imports what is not known by reading it: it may ask for anything. */
export function unreadUses(module: Module, text: string): UnsupportedUse[] {
  const { known, unread } = allImports(module, text);
  const { path } = module;
  const words = (line: number) => `an import that is not written out (${path}:${line})`;
  const others = known.filter(({ source, isFolder }) => {
    return isFolder && !READ_FOLDERS.test(posix.join(posix.dirname(path), source));
  });
  return [
    ...unread.map(({ line, around }) => ({ what: words(line), around })),
    ...others.map(({ line, around }) => ({ what: words(line), around })),
  ];
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

function missing([first, second, ...rest]: readonly Step[], there: WhatIsThere): string | undefined {
  if (typeof first !== 'string') return undefined;
  const members = Object.hasOwn(SUPPORTED, first) ? SUPPORTED[first] : undefined;
  if (members === undefined) return isAddable(first) || first in Object.prototype ? undefined : `strapi.${first}`;
  const argument = givenText(second);
  if (first === 'plugin') return missingPlugin(argument, rest, there);
  if (first === 'plugins') return missingPlugin(second, rest, there);
  if (OF_UIDS.has(first)) {
    const place = typeof second === 'string' ? `strapi.${first}['${second}']` : `strapi.${first}('${argument}')`;
    return missingPart(argument ?? second, place, there);
  }
  if (first === 'service' && argument !== undefined) return missingService(argument, rest[0], there);
  if (first === 'admin' && second === 'services' && typeof rest[0] === 'string')
    return missingOfPanel(rest[0], `strapi.admin.services.${rest[0]}`, rest[1]);
  if (first === 'get' && argument !== undefined) return missingInContainer(argument, rest, there);
  if (first === 'hook' && typeof rest[0] === 'string') return `strapi.hook().${rest[0]}`;
  if (members === true || typeof second !== 'string' || members.includes(second)) return undefined;
  return `strapi.${first}.${second}`;
}

/** What is asked of `strapi.get(name)`. */
function missingInContainer(name: string, rest: readonly Step[], there: WhatIsThere): string | undefined {
  if (name === 'query-params' || !isInContainer(name)) return undefined;
  const place = `strapi.get('${name}')`;
  const member = Object.hasOwn(MEMBERS_IN_CONTAINER, name) ? MEMBERS_IN_CONTAINER[name]! : undefined;
  if (member === undefined || !Object.hasOwn(SUPPORTED, member)) return place;
  if (!REGISTRIES.has(name)) return missing([member, ...rest], there)?.replace(`strapi.${member}`, place);
  const [asked, given] = rest;
  if (typeof asked !== 'string') return undefined;
  if (!READING.has(asked)) return `${place}.${asked}`;
  const key = givenText(given);
  if (name === 'plugins') return missingPlugin(key, [], there);
  return missingPart(key, `${place}.${asked}('${key}')`, there);
}

/** Members that have parts of the project and its plugins by their uids, and are silent about those that are not there. */
const OF_UIDS: ReadonlySet<string> = new Set([
  ...['policy', 'policies', 'middleware', 'middlewares', 'controller', 'controllers', 'services'],
  ...['contentType', 'contentTypes', 'getModel'],
]);

/** A part by its uid, of a plugin that may be there in the reference and is not here. */
function missingPart(uid: Step | undefined, place: string, { plugins, mayHave }: WhatIsThere): string | undefined {
  const name = typeof uid === 'string' ? pluginOf(uid) : undefined;
  if (name === undefined || plugins.has(name) || MUTE_PLUGINS.includes(name)) return undefined;
  return !Object.hasOwn(PLUGIN_SERVICES, name) && mayHave(name) ? place : undefined;
}

/** What registries of `strapi.get` are asked that only reads. */
const READING: ReadonlySet<string> = new Set(['get', 'getAll', 'has', 'keys']);

/** What is asked of a service by its uid. */
function missingService(uid: string, member: Step | undefined, there: WhatIsThere): string | undefined {
  const [, plugin, name] = /^plugin::([^.]+)\.(.+)$/.exec(uid) ?? [];
  if (plugin !== undefined) return missingPlugin(plugin, ['service', name], there);
  const [, panel] = /^admin::(.+)$/.exec(uid) ?? [];
  return panel === undefined ? undefined : missingOfPanel(panel, `strapi.service('${uid}')`, member);
}

function missingOfPanel(name: string, place: string, member: Step | undefined): string | undefined {
  const members = Object.hasOwn(OF_PANEL, name) ? OF_PANEL[name]! : undefined;
  if (!members) return PANEL_SERVICES.includes(name) ? place : undefined;
  return members === true || typeof member !== 'string' || members.includes(member) ? undefined : `${place}.${member}`;
}

function missingPlugin(
  name: Step | undefined,
  [member, argument]: readonly Step[],
  { plugins, extended, mayHave }: WhatIsThere,
): string | undefined {
  if (typeof name !== 'string' || plugins.has(name) || MUTE_PLUGINS.includes(name)) return undefined;
  const services = Object.hasOwn(PLUGIN_SERVICES, name) ? PLUGIN_SERVICES[name]! : undefined;
  if (!services) return mayHave(name) ? `strapi.plugin('${name}')` : undefined;
  if (member === 'controller' || member === 'controllers' || member === 'routes' || member === 'provider')
    return `strapi.plugin('${name}').${member}`;
  const asked = typeof argument === 'string' ? argument : givenText(argument);
  const service = member === 'service' || member === 'services' ? asked : undefined;
  // which of them there are is known when the extension has run; what the reference does not have is undefined
  return service === undefined || services.includes(service) || extended.has(name) || !SERVICES[name]?.includes(service)
    ? undefined
    : `strapi.plugin('${name}').service('${service}')`;
}

/** The text that a call is given first. */
function givenText(step: Step | undefined): string | undefined {
  const argument = typeof step === 'object' ? step.call[0] : undefined;
  return argument && textOf(argument);
}

function lineOf(text: string, node: AnyNode): number {
  const { start } = node as unknown as { start: number };
  return text.slice(0, start).split('\n').length;
}
