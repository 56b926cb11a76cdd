/**
 * `connect` of a to-many relation as a change of an ordered list (specification, "Relation payloads"; behaviour-writes.md,
 * "Relations"). Members are keys: of the rows that are linked.
 */
import { relationError } from '../../query/relation-payload.ts';

/** An entry of `connect`. */
export interface ConnectEntry {
  /** As the caller named the document: for messages. */
  readonly documentId: string;
  /** What is linked, together and in this order: the rows of one document. */
  readonly keys: readonly string[];
  readonly position: ConnectPosition;
}

export type ConnectPosition =
  | { readonly kind: 'start' | 'end' }
  | {
      readonly kind: 'before' | 'after';
      readonly documentId: string;
      /** Rows of that document: it is linked where one of them is. */
      readonly keys: readonly string[];
    };

/**
 * Applies entries one after the other: each document is taken out of the list, where it is in it, and put at its
 * position. An entry that stands beside a document which is not linked yet, and which a later entry links, waits for
 * that one.
 *
 * @param name of the attribute, for messages.
 * @throws ContentError 400 for a position beside what is not linked, and for entries that wait for one another.
 */
export function connectAll(list: readonly string[], entries: readonly ConnectEntry[], name: string): string[] {
  const result = [...list];
  const linked = new Set(list);
  const entryOf = new Map<string, ConnectEntry>();
  for (const entry of entries) for (const key of entry.keys) entryOf.set(key, entry);
  const done = new Set<ConnectEntry>();
  for (const entry of entries) {
    for (const next of waitedFor(entry, linked, entryOf, done, name)) {
      apply(result, linked, next, name);
      done.add(next);
    }
  }
  return result;
}

/** An entry behind those that it waits for, in the order in which they are to be applied. */
function waitedFor(
  start: ConnectEntry,
  linked: ReadonlySet<string>,
  entryOf: ReadonlyMap<string, ConnectEntry>,
  done: ReadonlySet<ConnectEntry>,
  name: string,
): ConnectEntry[] {
  // a loop, not a recursion: a long chain must not overflow the stack
  const chain = new Set<ConnectEntry>();
  let entry: ConnectEntry | undefined = start;
  while (entry && !done.has(entry)) {
    if (chain.has(entry)) throw relationError(name, `the positions at ${name} refer to each other in a circle`);
    chain.add(entry);
    const beside: readonly string[] = 'keys' in entry.position ? entry.position.keys : [];
    if (beside.some((key) => linked.has(key))) break;
    entry = beside.map((key) => entryOf.get(key)).find((other) => other !== undefined);
  }
  return [...chain].reverse();
}

function apply(list: string[], linked: Set<string>, { keys, position }: ConnectEntry, name: string): void {
  for (const key of keys) if (linked.has(key)) list.splice(list.indexOf(key), 1);
  list.splice(indexOf(list, position, name), 0, ...keys);
  for (const key of keys) linked.add(key);
}

function indexOf(list: readonly string[], position: ConnectPosition, name: string): number {
  if (!('keys' in position)) return position.kind === 'start' ? 0 : list.length;
  const indexes = position.keys.map((key) => list.indexOf(key)).filter((index) => index >= 0);
  if (indexes.length === 0) {
    const message = `${position.documentId} is not linked at ${name}, so nothing can be placed ${position.kind} it`;
    throw relationError(name, message);
  }
  return position.kind === 'before' ? Math.min(...indexes) : Math.max(...indexes) + 1;
}
