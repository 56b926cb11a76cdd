/** The texts of entries. Actions and kinds that the app does not know are shown as they are stored. */
import type { AuditEntry } from '../../../contract/audit.ts';
import { en } from '../../language/en.ts';
import type { PlainKey, Text } from '../../language/messages.ts';

/** "Published", "Signed in". */
export function actionText(t: Text, action: string): string {
  const key = `audit.action.${action}`;
  return key in en ? t(key as PlainKey) : action;
}

/** A person by name, anything else with its kind: "API token importer". */
export function actorText(t: Text, { kind, id, name }: AuditEntry['actor']): string {
  const own = name ?? (id === null ? undefined : String(id));
  if (kind === 'administrator' && name !== null) return name;
  if (own === undefined) return t(`audit.actor.${kind}`);
  return t('audit.actor.named', { kind: t(`audit.actor.${kind}`), name: own });
}

const KINDS: readonly string[] = ['administrator', 'token', 'user', 'public', 'code', 'command', 'server'];

/** The text of an actor of the filter, such as `administrator 3`. */
export function actorOfFilter(
  t: Text,
  { value, name }: { readonly value: string; readonly name: string | null },
): string {
  const [, kind = value, own] = /^(\S+)(?: (.*))?$/s.exec(value) ?? [];
  if (!KINDS.includes(kind)) return value;
  return actorText(t, { kind: kind as AuditEntry['actor']['kind'], id: null, name: name ?? own ?? null });
}

/** Kinds of subjects that are no content types. */
const SUBJECTS: Readonly<Record<string, PlainKey>> = {
  'admin::user': 'people.title',
  'admin::role': 'roles.title',
  'admin::api-token': 'place.tokens',
  'plugin::users-permissions.role': 'place.permissions',
  'plugin::users-permissions.user': 'audit.type.siteUsers',
  'plugin::upload.file': 'place.media',
  'plugin::upload.folder': 'audit.type.folders',
  'plugin::i18n.locale': 'place.locales',
  'strapi::webhook': 'place.webhooks',
  'plugin::content-releases.release': 'releases.title',
  'plugin::review-workflows.workflow': 'workflows.title',
  settings: 'place.site',
  job: 'place.jobs',
};

/** The name of a type. @param types the content types that the administrator sees. */
export function typeText(
  t: Text,
  type: string,
  types: readonly { readonly uid: string; readonly displayName: string }[] | undefined,
): string {
  const key = SUBJECTS[type];
  return key === undefined ? (types?.find(({ uid }) => uid === type)?.displayName ?? type) : t(key);
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** What is known besides: fields, locales, rights, counts. */
export function detailTexts(t: Text, { details }: AuditEntry): string[] {
  const lists = (['fields', 'locales', 'granted', 'revoked', 'accounts'] as const).flatMap((key) => {
    const names = namesIn(details[key]);
    return names.length === 0 ? [] : [t(`audit.details.${key}`, { names: names.join(', ') })];
  });
  const { count, indirect, device, from, to } = details;
  return [
    ...lists,
    ...(typeof count === 'number' ? [t('audit.details.count', { count })] : []),
    ...(typeof from === 'string' && typeof to === 'string' ? [`${from} → ${to}`] : []),
    ...(indirect === true ? [t('audit.details.indirect')] : []),
    ...(typeof device === 'string' ? [device] : []),
  ];
}
