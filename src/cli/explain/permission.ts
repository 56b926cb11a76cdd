/** What permits a request, and what its caller does not see, in words. */
import { type Grants, may } from '../../access/grants.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../access/rules/access-action.ts';
import type { TypeRules } from '../../access/rules/access-rules.ts';
import type { View } from '../../access/view.ts';
import { type StandingCode, standingName } from '../../extend/runs/standing.ts';
import type { ContentType } from '../../schema/catalog.ts';

/** Whether an action is granted, and by what; and what closes it all the same. */
export function grantText({ all, reads, actions, closed }: Grants, action: string): string {
  // a batch needs what its operations need: there is nothing to grant
  if (action.endsWith('.batch')) return 'needs the right to each of its operations';
  const without = { key: '', all, reads, actions, closed: new Map<string, string>() };
  if (!may(without, action)) return 'not granted';
  const reason = closed.get(action);
  const granted = all
    ? 'full-access tokens may do everything'
    : actions.has(action)
      ? 'granted'
      : 'read-only tokens may perform actions that end in find or findOne';
  return reason === undefined ? granted : `${granted}, but closed: ${reason}`;
}

/**
 * What rules of access say of a request: the rows that it is about, and fields.
 *
 * @param outcomes whether the document that it names meets them.
 */
export function accessText(
  { rows, read, write }: TypeRules,
  action: string,
  outcomes: ReadonlyMap<AccessAction, string>,
): string[] {
  const own = ACCESS_ACTIONS.filter((name) => name === 'find' || action.endsWith(`.${name}`));
  const rule = (name: AccessAction) => {
    const outcome = outcomes.get(name);
    return `rows      ${name}: ${JSON.stringify(rows[name])}${outcome === undefined ? '' : `, ${outcome}`}`;
  };
  return [
    ...own.filter((name) => rows[name] !== undefined).map(rule),
    ...(read ? [`fields    read: ${read.join(', ')}`] : []),
    ...(write ? [`fields    write: ${write.join(', ')}`] : []),
  ];
}

/** Attributes of a type that a View does not show, each with the reason. */
export function unseen(view: View, type: ContentType): string[] {
  const shown = view.of(type);
  return [...type.attributes.values()].flatMap((attribute) => {
    const named = shown.named(attribute.name);
    if (named.kind === 'hidden') {
      const isPrivate = attribute.private || attribute.secret;
      const why = attribute.type === 'password' ? 'password' : isPrivate ? 'private' : 'not among the fields of access';
      return [`${attribute.name} (${why})`];
    }
    if (attribute.type !== 'relation' || attribute.target === undefined) return [];
    const target = view.catalog.contentTypes.get(attribute.target);
    if (!target || view.of(target).isSeen) return [];
    const why = view.finds(target.uid) ? `${target.uid} is closed` : `${target.uid}.find is not granted`;
    return [`${attribute.name} (${why})`];
  });
}

/** What an extension says of itself that may take routes of its plugin away. */
const CHANGES_ROUTES = /^(?:change of routes\b|extension that is not written out$)/;

/** What is said of a route that an extension may have taken away, which is known once its code has run. */
export function withdrawnText(standing: readonly StandingCode[]): string {
  const found = standing.find(({ what, outcome }) => outcome === 'is run' && CHANGES_ROUTES.test(what));
  return found
    ? `, if the route is there: ${found.code} changes routes, and where it takes this one away, the answer is 404`
    : '';
}

/** What stands in the place of a core action or of its service. */
const ANSWERING = /^(?:overridden|controller|service|route to) /;

/** A policy of `src/galley`, and where it stands. */
export interface NamedPolicy {
  readonly name: string;
  readonly place: string;
}

/**
 * The code of the project that stands before an action or answers it, each with its file.
 *
 * @param policies those of `src/galley`. @param hasRules whether the type has rules of access.
 */
export function codeText(
  standing: readonly StandingCode[],
  policies: readonly NamedPolicy[],
  hasRules: boolean,
): string[] {
  const files = standing.map(
    (one) => `code      ${standingName(one)}: ${one.outcome ?? 'is not run, which closes the action'}`,
  );
  const asked = policies.map(({ name, place }) => `code      policy ${name} of ${place}: is run`);
  const isAsked = asked.length > 0 || standing.some(({ outcome }) => outcome === 'is run');
  const note = 'note      explain runs none of this code, which may refuse the request or change its answer';
  const answers = hasRules && standing.some(({ what, outcome }) => outcome === 'is run' && ANSWERING.test(what));
  const ofRules =
    'note      rules of access hold for what this code asks of core services: not for its strapi.documents and strapi.db.query';
  return [...files, ...asked, ...(isAsked ? [note] : []), ...(answers ? [ofRules] : [])];
}
