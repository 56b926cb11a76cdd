/** What permissions open, in words. */
import type { ActionSubject, SiteAction } from '../../../contract/permissions.ts';
import { en } from '../../language/en.ts';
import type { MessageKey, PlainKey, Text } from '../../language/messages.ts';
import { pluralNameOf } from '../../language/type-name.ts';

/** The callers that get a permission. */
export type Audience =
  | { readonly kind: 'public' }
  | { readonly kind: 'authenticated' | 'role'; readonly name: string }
  | { readonly kind: 'token' };

/** The audience of a role. */
export function audienceOf({ type, name }: { readonly type: string; readonly name: string }): Audience {
  if (type === 'public') return { kind: 'public' };
  return { kind: type === 'authenticated' ? 'authenticated' : 'role', name };
}

/** The actions of types, in the order of their columns. */
export const COLUMNS = [
  ...(['find', 'findOne', 'create', 'update', 'delete'] as const),
  ...(['publish', 'unpublish', 'discardDraft', 'createLocalization'] as const),
  ...(['findVersions', 'restoreVersion'] as const),
] as const;
export type Column = (typeof COLUMNS)[number];

export const isColumn = (name: string): name is Column => (COLUMNS as readonly string[]).includes(name);

/** The column of an action; undefined for actions of project code. A single type is read without a list. */
export function columnOf(
  { kind }: Pick<ActionSubject, 'kind'>,
  { name }: Pick<SiteAction, 'name'>,
): Column | undefined {
  if (!isColumn(name)) return undefined;
  return kind === 'singleType' && name === 'find' ? 'findOne' : name;
}

export const columnText = (t: Text, column: Column): string => t(`perms.column.${column}`);

export const isType = ({ kind }: ActionSubject): boolean => kind === 'collectionType' || kind === 'singleType';

/** The subject of granted actions that the project no longer has. */
export const GONE = 'gone';

const PART_NAMES: Readonly<Partial<Record<ActionSubject['kind'], PlainKey>>> = {
  files: 'perms.files',
  signIn: 'perms.signIn',
  accounts: 'perms.accounts',
  roles: 'perms.roleActions',
  locales: 'perms.locales',
  schemas: 'perms.schemas',
};

/** The name of a subject. @param defaultLocale that of the content, in which types are named. */
export function subjectName(t: Text, subject: ActionSubject, defaultLocale: string | undefined): string {
  const { kind, name, singularName, pluralName } = subject;
  if ((kind === 'collectionType' || kind === 'singleType') && singularName !== null && pluralName !== null) {
    return pluralNameOf({ kind, displayName: name, singularName, pluralName }, defaultLocale);
  }
  if (subject.uid === GONE) return t('perms.gone');
  const key = PART_NAMES[kind];
  return key === undefined ? name : t(key);
}

/** Texts of types, some of which differ for types with drafts. */
const WITH_DRAFTS: ReadonlySet<string> = new Set(['find', 'findOne', 'create', 'update']);
const OF_SINGLE: ReadonlySet<string> = new Set(['find', 'update', 'delete']);

/** What an action opens: `Anyone can list “Articles”`. */
export function actionText(
  t: Text,
  audience: Audience,
  subject: ActionSubject,
  { action, name }: SiteAction,
  things: string,
): string {
  const who = whoText(t, audience);
  const key = isType(subject) ? keyOfType(subject, name) : keyOfPart(subject, name);
  // Every key takes some of these values.
  return (t as (key: MessageKey, values: object) => string)(key, { who, things, action });
}

function keyOfType({ kind, drafts }: ActionSubject, name: string): MessageKey {
  if (!isColumn(name)) return 'perms.can.call';
  const single = kind === 'singleType' && OF_SINGLE.has(name) ? 'single.' : '';
  return `perms.can.${single}${name}${drafts && WITH_DRAFTS.has(name) ? '.drafts' : ''}` as MessageKey;
}

/** Project code may add actions to parts of the server. */
function keyOfPart({ kind }: ActionSubject, name: string): MessageKey {
  const key = `perms.can.${kind}.${name}`;
  return Object.hasOwn(en, key) ? (key as MessageKey) : 'perms.can.call';
}

function whoText(t: Text, audience: Audience): string {
  if (audience.kind === 'public') return t('perms.who.public');
  return audience.kind === 'token' ? t('perms.who.token') : t('perms.who.role', { name: audience.name });
}

/** Warnings about a permission for an audience. */
export function riskTexts(t: Text, audience: Audience, { risk, requests }: SiteAction): readonly string[] {
  if (risk === null) return [];
  const isReading = requests.length > 0 && requests.every(({ method }) => method === 'GET');
  const own = risk === 'writes' ? [] : [t(`perms.risk.${risk}`)];
  if (audience.kind === 'public') return [...own, t(isReading ? 'perms.risk.publicReads' : 'perms.risk.publicWrites')];
  return audience.kind === 'authenticated' ? [...own, t('perms.risk.everyAccount')] : own;
}

/** The requests of an action: `GET /api/articles`. */
export const requestTexts = ({ requests }: SiteAction): readonly string[] =>
  requests.map(({ method, path }) => `${method} ${path}`);

/** The subject of granted actions that no subject has; undefined if there are none. */
export function goneSubject(subjects: readonly ActionSubject[], granted: Iterable<string>): ActionSubject | undefined {
  const known = new Set(subjects.flatMap(({ actions }) => actions.map(({ action }) => action)));
  const missing = [...granted].filter((action) => !known.has(action)).sort();
  if (missing.length === 0) return undefined;
  const names = { singularName: null, pluralName: null, drafts: false };
  const actions = missing.map(
    (action): SiteAction => ({ action, name: action, requests: [], risk: null, state: 'open' }),
  );
  return { uid: GONE, kind: 'code', name: GONE, ...names, actions };
}
