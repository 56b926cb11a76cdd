/** The names of actions and conditions. Actions that the app does not know are shown as they are stored. */
import type { PlainKey, Text } from '../../language/messages.ts';

const GROUPS: Readonly<Record<string, PlainKey>> = {
  'plugin::upload': 'role.group.files',
  'plugin::content-manager': 'role.group.forms',
  'plugin::content-type-builder': 'role.group.types',
  'plugin::i18n': 'role.group.locales',
  'plugin::users-permissions': 'role.group.site',
  'plugin::email': 'role.group.mail',
  'admin::users': 'people.title',
  'admin::roles': 'roles.title',
  'admin::api-tokens': 'role.group.tokens',
  'admin::webhooks': 'webhooks.title',
  'admin::trash': 'place.trash',
  'admin::audit-logs': 'audit.title',
  'admin::review-workflows': 'workflows.title',
  'plugin::content-releases': 'releases.title',
};

const ACTIONS: Readonly<Record<string, PlainKey>> = {
  'plugin::upload.read': 'role.action.files.read',
  'plugin::upload.assets.create': 'role.action.files.create',
  'plugin::upload.assets.update': 'role.action.files.update',
  'plugin::upload.assets.download': 'role.action.files.download',
  'plugin::upload.assets.copy-link': 'role.action.files.copy',
  'plugin::upload.configure-view': 'role.action.files.arrange',
  'plugin::upload.settings.read': 'role.action.files.settings',
  'plugin::content-manager.single-types.configure-view': 'role.action.arrange.single',
  'plugin::content-manager.collection-types.configure-view': 'role.action.arrange.collection',
  'plugin::content-manager.components.configure-layout': 'role.action.arrange.components',
  'plugin::content-type-builder.read': 'role.action.types.use',
  'plugin::email.settings.read': 'role.action.mail.settings',
  'plugin::users-permissions.advanced-settings.read': 'role.action.accounts.read',
  'plugin::users-permissions.advanced-settings.update': 'role.action.accounts.update',
  'plugin::users-permissions.email-templates.read': 'role.action.templates.read',
  'plugin::users-permissions.email-templates.update': 'role.action.templates.update',
  'admin::api-tokens.access': 'role.action.tokens.access',
  'admin::api-tokens.regenerate': 'role.action.tokens.renew',
  'admin::trash.delete': 'role.action.trash.delete',
  'admin::audit-logs.export': 'role.action.audit.export',
  'plugin::content-releases.create-action': 'role.action.releases.add',
  'plugin::content-releases.delete-action': 'role.action.releases.remove',
};

const ENDINGS: Readonly<Record<string, PlainKey>> = {
  create: 'role.verb.create',
  read: 'role.verb.read',
  update: 'role.verb.update',
  delete: 'role.verb.delete',
  publish: 'role.verb.publish',
};

/** The group of an action without a type: the plugin, or the subject within the administration. */
export function groupOf(action: string): string {
  const [first = '', ...rest] = action.split('.');
  return first.startsWith('admin::') && rest.length > 1 ? [first, ...rest.slice(0, -1)].join('.') : first;
}

export function groupName(t: Text, group: string): string {
  const key = GROUPS[group];
  return key === undefined ? group : t(key);
}

/** The name of an action within its group. */
export function actionName(t: Text, action: string): string {
  const known = ACTIONS[action];
  if (known !== undefined) return t(known);
  const rest = action.slice(groupOf(action).length + 1).split('.');
  const ending = ENDINGS[rest.at(-1) ?? ''];
  const verb = ending === undefined ? (rest.at(-1) ?? '') : t(ending);
  const place = rest.slice(0, -1).filter((part) => part !== 'roles' && part !== 'locale');
  return place.length === 0 ? verb : `${verb} (${place.join(', ')})`;
}

const CONDITIONS: Readonly<Record<string, PlainKey>> = {
  'admin::is-creator': 'role.condition.creator',
  'admin::has-same-role-as-creator': 'role.condition.role',
};

export function conditionName(t: Text, condition: string): string {
  const key = CONDITIONS[condition];
  return key === undefined ? condition : t(key);
}
