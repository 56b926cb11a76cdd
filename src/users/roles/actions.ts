/** The actions that a role or a token may be granted, and which of them are ours. */
import type { Catalog, ContentType } from '../../schema/catalog.ts';

const users = (controller: string, names: readonly string[]): string[] =>
  names.map((name) => `plugin::users-permissions.${controller}.${name}`);

/** Actions of the built-in endpoints, by the names that the reference gives them. */
const BUILT_IN_ACTIONS = [
  ...users('auth', [
    'callback',
    'connect',
    'register',
    'forgotPassword',
    'resetPassword',
    'changePassword',
    'emailConfirmation',
    'sendEmailConfirmation',
    'logout',
    'refresh',
    'getSessions',
    'revokeSession',
  ]),
  ...users('user', ['me', 'count', 'find', 'findOne', 'create', 'update', 'destroy']),
  ...users('role', ['find', 'findOne', 'createRole', 'updateRole', 'deleteRole']),
  ...users('permissions', ['getPermissions']),
  'plugin::upload.content-api.find',
  'plugin::upload.content-api.findPage',
  'plugin::upload.content-api.findOne',
  'plugin::upload.content-api.upload',
  'plugin::upload.content-api.destroy',
  'plugin::i18n.locales.listLocales',
  'plugin::content-type-builder.content-types.getContentTypes',
  'plugin::content-type-builder.content-types.getContentType',
  'plugin::content-type-builder.components.getComponents',
  'plugin::content-type-builder.components.getComponent',
];

/** Ours: writing locales over the content API (docs/reference/extensions.md). */
const OWN_BUILT_IN_ACTIONS = [
  'plugin::i18n.locales.createLocale',
  'plugin::i18n.locales.updateLocale',
  'plugin::i18n.locales.deleteLocale',
];

const OWN_NAMES = new Set(['createLocalization', 'publish', 'unpublish', 'discardDraft']);

/**
 * Whether the reference knows no such action. Grants of these are kept in `galley_permissions`: the reference deletes
 * actions that it does not know from its own tables at every start.
 */
export function isOwnAction(action: string): boolean {
  if (action.startsWith('api::galley.')) return true;
  return OWN_BUILT_IN_ACTIONS.includes(action) || OWN_NAMES.has(action.slice(action.lastIndexOf('.') + 1));
}

/**
 * Every action that can be granted in a project: those of its types, of the built-in endpoints and ours.
 *
 * @param own those of the project's own routes.
 */
export function grantableActions(catalog: Catalog, own: readonly string[] = []): ReadonlySet<string> {
  const actions = [...catalog.contentTypes.values()].filter((type) => type.routed).flatMap(actionsOfType);
  return new Set([...actions, ...BUILT_IN_ACTIONS, ...OWN_BUILT_IN_ACTIONS, ...own]);
}

/** Actions by what they belong to, as the reference shows them: `api::blog` → `post` → `find`. */
export type ActionTree = Readonly<
  Record<string, { readonly controllers: Readonly<Record<string, Readonly<Record<string, ActionState>>>> }>
>;

export interface ActionState {
  readonly enabled: boolean;
  /** Means nothing; the reference keeps it. */
  readonly policy: '';
}

/** The tree of actions, with those that are granted enabled. */
export function actionTree(actions: Iterable<string>, granted: ReadonlySet<string> = new Set()): ActionTree {
  const owners = new Map<string, Map<string, Map<string, ActionState>>>();
  for (const action of new Set([...actions, ...granted])) {
    const [owner = '', controller = '', ...name] = action.split('.');
    const controllers = owners.get(owner) ?? new Map<string, Map<string, ActionState>>();
    const states = controllers.get(controller) ?? new Map<string, ActionState>();
    owners.set(owner, controllers.set(controller, states));
    states.set(name.join('.'), { enabled: granted.has(action), policy: '' });
  }
  const inner = ([controller, states]: [string, Map<string, ActionState>]) => [controller, Object.fromEntries(states)];
  return Object.fromEntries(
    [...owners].map(([owner, controllers]) => [
      owner,
      { controllers: Object.fromEntries([...controllers].map(inner)) },
    ]),
  );
}

function actionsOfType(type: ContentType): string[] {
  const names =
    type.kind === 'singleType' ? ['find', 'update', 'delete'] : ['find', 'findOne', 'create', 'update', 'delete'];
  if (type.localized) names.push('createLocalization');
  if (type.draftAndPublish) names.push('publish', 'unpublish', 'discardDraft');
  return names.map((name) => `${type.uid}.${name}`);
}
