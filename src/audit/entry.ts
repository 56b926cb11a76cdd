/** An entry of the log of actions: who did what to which subject, when and from where. Never content, and no secrets. */
import { type Actor, actorKey, actorOf } from '../db/interface/actor.ts';
import type { Row } from '../db/interface/queryable.ts';
import { cut } from '../errors.ts';
import { textOrNull } from '../plain-values.ts';

export interface NewEntry {
  readonly action: string;
  readonly by: Actor;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly type: string | null;
  readonly id: string | null;
  readonly name: string | undefined;
  readonly details: EntryDetails;
}

/** Names and numbers; the lists of names among them are cut. */
export type EntryDetails = Readonly<Record<string, unknown>>;

/** A stored entry, as clients and targets receive it. */
export interface Entry {
  readonly id: number;
  /** ISO 8601. */
  readonly at: string;
  readonly action: string;
  readonly actor: { readonly kind: Actor['kind']; readonly id: number | null; readonly name: string | null };
  readonly address: string | null;
  readonly subject: { readonly type: string; readonly id: string | null; readonly name: string | null } | null;
  readonly details: EntryDetails;
}

/** Characters of a column. */
const COLUMN = 200;
/** Characters of details that are stored as they are; in longer ones, names of a list, and characters of a name. */
const DETAILS = 2000;
const NAMES = 200;
const NAME = 300;

/** The values of an entry in the order of its columns. */
export function valuesOf({ at, action, by, type, id, name, details }: NewEntry): (string | number | null)[] {
  return [
    ...[at, action, storable(actorKey(by)), storable(by.name), storable(by.address), storable(type), storable(id)],
    ...[storable(name ?? null), textOfDetails(details)],
  ];
}

/** A text that every column of text takes. */
function storable(text: string | null): string | null {
  if (text === null || (text.length <= COLUMN && !text.includes('\0') && text.isWellFormed())) return text;
  return cut(text.replaceAll('\0', '').toWellFormed(), COLUMN);
}

function textOfDetails(details: EntryDetails): string | null {
  const text = JSON.stringify(details);
  if (text === '{}') return null;
  return text.length <= DETAILS ? text : JSON.stringify(Object.fromEntries(Object.entries(details).map(shortened)));
}

function shortened([key, value]: [string, unknown]): [string, unknown] {
  if (typeof value === 'string') return [key, cut(value, NAME)];
  if (!Array.isArray(value)) return [key, value];
  const first = value.slice(0, NAMES).map((name) => (typeof name === 'string' ? cut(name, NAME) : name));
  return [key, value.length > NAMES ? [...first, `… ${value.length - NAMES}`] : first];
}

/** The entry of a row. */
export function entryOf(row: Row): Entry {
  const [id, at, action, actor, name, address, type, subject, subjectName, details] = row;
  return {
    id: Number(id),
    at: new Date(Number(at)).toISOString(),
    action: String(action),
    actor: actorOf(String(actor), textOrNull(name)),
    address: textOrNull(address),
    subject: type === null ? null : { type: String(type), id: textOrNull(subject), name: textOrNull(subjectName) },
    details: details === null ? {} : (JSON.parse(String(details)) as EntryDetails),
  };
}
