/** The actions of the content API for administrators: by subject, with the requests and the risk of each. */
import { AUTH, FILES, LOCALES, ROLES, SCHEMAS, USERS } from '../../access/actions.ts';
import { ACCESS_ACTIONS, type Grants } from '../../access/grants.ts';
import { type ActionSource, onlyReads, readsHistory, requestsOf } from '../../runtime/action-requests.ts';
import type { HttpContext } from '../routes/context.ts';

type SubjectsContext = Pick<HttpContext, 'config' | 'catalog' | 'code' | 'galley' | 'policies' | 'roles'>;

const sourceOf = ({ config, catalog, code, galley }: SubjectsContext): ActionSource => ({
  ...{ config, catalog, code },
  own: galley,
});

/** Subjects of built-in actions by the prefixes of their names. */
const BUILT_IN = {
  [FILES]: 'files',
  [AUTH]: 'signIn',
  [USERS]: 'accounts',
  [ROLES]: 'roles',
  'plugin::users-permissions.permissions': 'roles',
  [LOCALES]: 'locales',
  [`${SCHEMAS}.content-types`]: 'schemas',
  [`${SCHEMAS}.components`]: 'schemas',
} as const;

/** The order of subjects; content types come first. */
const KINDS = ['files', 'signIn', 'accounts', 'roles', 'locales', 'schemas', 'code'] as const;

/** Actions with which callers can extend their own rights. */
const RAISING: ReadonlySet<string> = new Set([
  ...[`${USERS}.create`, `${USERS}.update`],
  ...[`${ROLES}.createRole`, `${ROLES}.updateRole`],
]);

/** All actions that can be granted, by subject: the types by name, then the parts of the server and project code. */
export function actionSubjects(context: SubjectsContext): readonly object[] {
  const { catalog, roles } = context;
  const source = sourceOf(context);
  const groups = Map.groupBy(roles.grantable, (action) => subjectOf(context, action));
  const described = (actions: readonly string[]) => actions.map((action) => describedAction(context, source, action));
  const types = [...catalog.contentTypes.values()]
    .filter(({ uid }) => groups.has(uid))
    .map((type) => ({
      ...{ uid: type.uid, kind: type.kind, name: type.displayName },
      ...{ singularName: type.singularName, pluralName: type.pluralName, drafts: type.draftAndPublish },
      actions: described(groups.get(type.uid)!),
    }))
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
  const isOfType = new Set<string>(types.map(({ uid }) => uid));
  const others = [...groups]
    .filter(([subject]) => !isOfType.has(subject))
    .map(([subject, actions]) => {
      const kind = KINDS.find((known) => known === subject) ?? 'code';
      const names = { singularName: null, pluralName: null, drafts: false };
      return { uid: subject, kind, name: subject, ...names, actions: described(actions) };
    })
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  return [...types, ...others];
}

/** The uid of the type of an action, a word of `BUILT_IN`, or the controller of project code. */
function subjectOf({ catalog }: SubjectsContext, action: string): string {
  const owner = action.slice(0, action.lastIndexOf('.'));
  return catalog.contentTypes.has(owner) && !(owner in BUILT_IN)
    ? owner
    : (BUILT_IN[owner as keyof typeof BUILT_IN] ?? owner);
}

function describedAction(context: SubjectsContext, source: ActionSource, action: string) {
  const { code, policies } = context;
  const isGuarded = policies?.has(action) || code.guardsOf(action).length > 0;
  return {
    action,
    name: action.slice(action.lastIndexOf('.') + 1),
    requests: requestsOf(source, action),
    risk: riskOf(source, action),
    state: code.closed.has(action) ? 'closed' : isGuarded ? 'guarded' : 'open',
  };
}

/**
 * What a grant to the public or to accounts puts at risk. Endpoints with which callers manage their own account protect
 * themselves.
 */
function riskOf(source: ActionSource, action: string): 'writes' | 'history' | 'accounts' | 'rights' | null {
  if (action.startsWith(`${AUTH}.`) || action === `${USERS}.me`) return null;
  if (RAISING.has(action)) return 'rights';
  if (action.startsWith(`${USERS}.`)) return 'accounts';
  if (readsHistory(source, action)) return 'history';
  return onlyReads(source, action) ? null : 'writes';
}

/**
 * The rules of access of `src/galley` for callers with some grants: conditions on rows as JSON, null for no row, and
 * lists of attributes.
 */
export function shownRules({ catalog, galley }: SubjectsContext, grants: Grants): readonly object[] {
  return [...catalog.contentTypes.keys()].flatMap((uid) => {
    const rules = galley?.access.of(uid, grants);
    if (!rules) return [];
    const rows = ACCESS_ACTIONS.flatMap((action) => {
      const rule = rules.rows[action];
      return rule === undefined || rule === true
        ? []
        : [{ action, filter: rule === false ? null : JSON.stringify(rule) }];
    });
    return [{ uid, rows, read: rules.read ?? null, write: rules.write ?? null }];
  });
}
