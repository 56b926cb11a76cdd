/** What permits a request, and what its caller does not see, in words. */
import { type Grants, may } from '../../access/grants.ts';
import type { View } from '../../access/view.ts';
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
      : 'read-only tokens may do whatever only reads';
  return reason === undefined ? granted : `${granted}, but closed: ${reason}`;
}

/** Attributes of a type that a View does not show, each with the reason. */
export function unseen(view: View, type: ContentType): string[] {
  const shown = view.of(type);
  return [...type.attributes.values()].flatMap((attribute) => {
    const named = shown.named(attribute.name);
    if (named.kind === 'hidden')
      return [`${attribute.name} (${attribute.type === 'password' ? 'password' : 'private'})`];
    if (attribute.type !== 'relation' || attribute.target === undefined) return [];
    const target = view.catalog.contentTypes.get(attribute.target);
    if (!target || view.of(target).isSeen) return [];
    const why = view.finds(target.uid) ? `${target.uid} is closed` : `${target.uid}.find is not granted`;
    return [`${attribute.name} (${why})`];
  });
}
