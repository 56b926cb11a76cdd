/**
 * Counts the lines of the log by kind, for the health of the server. A kind is a message without its variable parts. Of
 * lines of project code only the number is counted, because they may contain content.
 */

export interface LoggedKind {
  readonly level: string;
  readonly kind: string;
  readonly count: number;
  /** The time of the last line in epoch milliseconds, and the line; null where it may contain content. */
  readonly at: number;
  readonly text: string | null;
}

/** Kinds that are distinguished, words of a kind, and characters of a line. */
export const MOST_KINDS = 50;
const WORDS = 9;
const LONGEST = 240;
const OTHERS = 'other lines';

const counts = new Map<string, { level: string; kind: string; count: number; at: number; text: string | null }>();

/** Counts a line of the server. The message contains no secrets, like all lines of the log. */
export function countLine(level: string, message: string, detail = ''): void {
  count(level, kindOf(message), shown(detail === '' ? message : `${message}: ${detail}`));
}

/** Counts a line of project code. @param summary of its error, without content. */
export function countCodeLine(level: string, summary?: string): void {
  count(level, 'project code', summary === undefined ? null : shown(summary));
}

/** Counts a line with the command that permits a refused request. */
export function countRefusal(message: string): void {
  count('warn', 'refused request', shown(message));
}

/** The counts since the last call with `isLast`, after which counting begins anew. */
export function loggedKinds(isLast: boolean): LoggedKind[] {
  const kinds = [...counts.values()].map((one) => ({ ...one }));
  if (isLast) counts.clear();
  return kinds;
}

function count(level: string, kind: string, text: string | null): void {
  const name = counts.has(`${level} ${kind}`) || counts.size < MOST_KINDS ? kind : OTHERS;
  const key = `${level} ${name}`;
  const known = counts.get(key);
  const at = Date.now();
  if (known) Object.assign(known, { count: known.count + 1, at, text });
  else counts.set(key, { level, kind: name, count: 1, at, text });
}

/** A message up to the first colon, without words that contain digits, addresses or quoted text. */
function kindOf(message: string): string {
  const head = message.replaceAll(/["'“‘][^"'“”‘’]*["'”’]/g, '…').split(/: |\n/, 1)[0]!;
  const words = head.split(/\s+/).slice(0, WORDS);
  const kind = words.map((word) => (/[\d_@/\\=]|::/.test(word) ? '…' : word)).join(' ');
  return /\p{L}/u.test(kind) ? kind.slice(0, LONGEST) : OTHERS;
}

/** The first line of a message without e-mail addresses, and without passwords and queries in addresses. */
function shown(message: string): string {
  const line = message.split('\n', 1)[0]!;
  return line
    .replaceAll(/[^\s@<>"']+@[^\s@<>"']+\.[a-z]{2,}/gi, '…@…')
    .replaceAll(/(\w+:\/\/)[^\s/@]*@/g, '$1…@')
    .replaceAll(/[?#][^\s"')]+/g, '?…')
    .slice(0, LONGEST);
}
