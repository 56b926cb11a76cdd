/** Sentences about the permission of a request, and about content hidden from its caller. */
import { ACCESS_ACTIONS, type AccessAction, type Grants, may } from '../../access/grants.ts';
import type { TypeRules } from '../../access/rules/access-rules.ts';
import type { View } from '../../access/view.ts';
import { type GuardingCode, guardName } from '../../runtime/guards.ts';
import type { ContentType } from '../../schema/catalog.ts';

/** Whether and why an action is granted, and what closes it nevertheless. */
export function grantText({ all, reads, actions, closed }: Grants, action: string): string {
  // a batch has no grant of its own
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
 * The rules of access for a request: rows and fields.
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

/** The hidden attributes of a type, each with the reason. */
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

/** A policy of `src/galley`, with its place in the file. */
export interface NamedPolicy {
  readonly name: string;
  readonly place: string;
}

/**
 * The code of the project that runs for an action, each piece with its file.
 *
 * @param policies those of `src/galley`. @param hasRules whether the type has rules of access.
 */
export function codeText(
  guards: readonly GuardingCode[],
  policies: readonly NamedPolicy[],
  hasRules: boolean,
): string[] {
  const lines = [
    ...guards.map((guard) => `code      ${guardName(guard)}: is run`),
    ...policies.map(({ name, place }) => `code      policy ${name} of ${place}: is run`),
  ];
  const note = 'note      explain runs none of this code, which may refuse the request or change its answer';
  const ofRules =
    'note      rules of access apply to calls of core services in this code, not to strapi.documents and strapi.db.query';
  const answers = hasRules && guards.some((guard) => guard.answers);
  return [...lines, ...(lines.length > 0 ? [note] : []), ...(answers ? [ofRules] : [])];
}
