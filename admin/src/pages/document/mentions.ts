/** People in the text of a comment: `@` and their names. */
import type { Person } from '../../../contract/documents.ts';
import type { Comment } from '../../../contract/review.ts';

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The parts of a text: mentions of these people, and the text between them. Longer names come before their beginnings. */
export function mentionParts(text: string, people: readonly Person[]): readonly (string | Person)[] {
  const byName = new Map(people.map((person) => [person.name, person]));
  const names = [...byName.keys()].filter((name) => name !== '').sort((a, b) => b.length - a.length);
  if (names.length === 0) return text === '' ? [] : [text];
  const mention = new RegExp(`@(${names.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'gu');
  const parts: (string | Person)[] = [];
  let end = 0;
  for (const { index, 0: whole, 1: name } of text.matchAll(mention)) {
    if (index > end) parts.push(text.slice(end, index));
    parts.push(byName.get(name!)!);
    end = index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

/** The people whose names a text mentions, all of the same name. */
export function mentionedIn(text: string, people: readonly Person[]): readonly Person[] {
  const names = new Set(mentionParts(text, people).map((part) => typeof part !== 'string' && part.name));
  return people.filter(({ name }) => names.has(name));
}

/** The people whom an edited comment mentions: those that its text names, and those that it mentioned without a name. */
export function mentionedAfter(
  { body, mentions }: Pick<Comment, 'body' | 'mentions'>,
  text: string,
  people: readonly Person[],
): readonly Person[] {
  const named = mentionedIn(text, people);
  const before = mentionedIn(body, mentions);
  const unnamed = mentions.filter((one) => !before.includes(one) && !named.some(({ id }) => id === one.id));
  return [...named, ...unnamed];
}

/** Characters of a name that is being typed, which has up to three words. */
const LONGEST = 60;

/** The name that is being typed after `@` before the caret, with the place of the `@`; undefined if there is none. */
export function typedMention(
  text: string,
  caret: number,
): { readonly from: number; readonly name: string } | undefined {
  const before = text.slice(Math.max(0, caret - LONGEST), caret);
  // Within a word, as in an address, it is an ordinary character.
  const found = /(?:^|[\s("'„“])@(?! )([^\s@]*(?: [^\s@]*){0,2})$/u.exec(before);
  if (!found) return undefined;
  const name = found[1]!;
  return { from: caret - name.length - 1, name };
}
