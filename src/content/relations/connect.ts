/**
 * `connect` of a to-many relation as a change of an ordered list (docs/reference/writing.md, "Relations"). Members are
 * keys: of the rows that are linked.
 */
import { relationError } from '../../query/relation-payload.ts';

/** An entry of `connect`. */
export interface ConnectEntry {
  /** As the caller named the document: for messages. */
  readonly documentId: string;
  /** The rows of the document, in the order in which they are linked. */
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
 * Applies entries one after the other: each removes its document from the list and inserts it at its position. An entry
 * positioned beside a document that a later entry links waits for that entry.
 *
 * @param name the name of the attribute, for messages.
 * @throws ContentError 400 for a position beside a document that is not linked, and for entries that wait for one
 * another.
 */
export function connectAll(list: readonly string[], entries: readonly ConnectEntry[], name: string): string[] {
  const result = new OrderedKeys(list);
  const entryOf = new Map<string, ConnectEntry>();
  for (const entry of entries) for (const key of entry.keys) entryOf.set(key, entry);
  const done = new Set<ConnectEntry>();
  for (const entry of entries) {
    for (const next of waitedFor(entry, result, entryOf, done, name)) {
      apply(result, next, name);
      done.add(next);
    }
  }
  return result.keys();
}

/** The entries to apply, in order: an entry, preceded by the entries that it waits for. */
function waitedFor(
  start: ConnectEntry,
  linked: OrderedKeys,
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

function apply(list: OrderedKeys, { keys, position }: ConnectEntry, name: string): void {
  for (const key of keys) list.remove(key);
  let previous = keyBefore(list, position, name);
  for (const key of keys) {
    list.insert(key, previous);
    previous = key;
  }
}

/** The key that precedes a position; undefined for the start of the list. */
function keyBefore(list: OrderedKeys, position: ConnectPosition, name: string): string | undefined {
  if (!('keys' in position)) return position.kind === 'start' ? undefined : list.last;
  const { kind, documentId } = position;
  const [first, ...others] = position.keys.filter((key) => list.has(key));
  if (first === undefined) {
    throw relationError(name, `${documentId} is not linked at ${name}, so nothing can be placed ${kind} it`);
  }
  const isBetter = (a: string, b: string) => (kind === 'before' ? list.precedes(a, b) : list.precedes(b, a));
  const beside = others.reduce((best, key) => (isBetter(key, best) ? key : best), first);
  return kind === 'before' ? list.before(beside) : beside;
}

interface Node {
  readonly key: string | undefined;
  previous: Node;
  next: Node;
  /** Rises along the list. */
  place: number;
}

/** Keys in an order, each once: however many there are, taking one out and putting one in takes the same time. */
class OrderedKeys {
  /** A sentinel that precedes the first key and follows the last. */
  readonly #ends: Node;
  readonly #nodes = new Map<string, Node>();

  constructor(keys: readonly string[]) {
    const ends = { key: undefined, place: 0 } as Node;
    ends.previous = ends;
    ends.next = ends;
    this.#ends = ends;
    for (const key of keys) this.insert(key, this.last);
  }

  has(key: string): boolean {
    return this.#nodes.has(key);
  }

  get last(): string | undefined {
    return this.#ends.previous.key;
  }

  /** The key in front of one; undefined for the first. */
  before(key: string): string | undefined {
    return this.#nodes.get(key)!.previous.key;
  }

  precedes(a: string, b: string): boolean {
    return this.#nodes.get(a)!.place < this.#nodes.get(b)!.place;
  }

  remove(key: string): void {
    const node = this.#nodes.get(key);
    if (!node) return;
    node.previous.next = node.next;
    node.next.previous = node.previous;
    this.#nodes.delete(key);
  }

  /** Inserts a key after another one; at the start if `behind` is undefined. */
  insert(key: string, behind: string | undefined): void {
    const previous = behind === undefined ? this.#ends : this.#nodes.get(behind)!;
    const { next } = previous;
    const place = next === this.#ends ? previous.place + 1 : (previous.place + next.place) / 2;
    const node = { key, previous, next, place };
    previous.next = node;
    next.previous = node;
    this.#nodes.set(key, node);
    // halves run out after some fifty insertions at one place
    if (place <= previous.place || (next !== this.#ends && place >= next.place)) this.#renumber();
  }

  keys(): string[] {
    const keys: string[] = [];
    for (let node = this.#ends.next; node !== this.#ends; node = node.next) keys.push(node.key!);
    return keys;
  }

  #renumber(): void {
    let place = 0;
    for (let node = this.#ends.next; node !== this.#ends; node = node.next) node.place = ++place;
  }
}
