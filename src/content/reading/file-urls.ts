/**
 * Addresses of files in a private store. Statements put a mark in front of each (`FileMarks`), and the text of the
 * answer gets the signed address in the mark's place as its last step, so that nothing between the database and the
 * reply waits for a signature or sees one.
 */
import type { FileMarks } from '../../plan/read-plan.ts';
import type { JsonBody } from './answers.ts';

/** How the addresses of a private store leave the server. */
export interface FileUrls {
  /** The marks that statements are compiled with. */
  readonly marks: FileMarks;
  /** A signed address for one of the store; others as they are. Local computation. */
  sign(url: string): string;
  /** Names the time in which signed addresses stay the same: a word of letters, digits, `-` and `_`. */
  period(): string;
}

/**
 * An answer with signed addresses in place of marked ones. An answer without marks is returned unchanged; bytes with
 * marks are decoded to text, in which replacing takes half the time.
 */
export function signMarked(urls: FileUrls | undefined, body: JsonBody): JsonBody {
  if (urls === undefined) return body;
  if (typeof body === 'string') return signText(urls, body);
  return body.includes(urls.marks.token) ? signText(urls, body.toString()) : body;
}

/** The same for text. */
export function signText(urls: FileUrls | undefined, text: string): string {
  if (urls === undefined) return text;
  const { token } = urls.marks;
  let result = '';
  let done = 0;
  for (let at = text.indexOf(token); at !== -1; at = text.indexOf(token, done)) {
    const start = at + token.length;
    const end = endOfString(text, start);
    result += text.slice(done, at) + signed(urls, text.slice(start, end));
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

/**
 * The answer without its marks, as it would be if the store were public, and the period that its addresses are signed
 * for; an empty period if none is signed.
 */
export function withoutMarks(urls: FileUrls | undefined, body: JsonBody): { body: JsonBody; period: string } {
  if (urls === undefined || !body.includes(urls.marks.token)) return { body, period: '' };
  return { body: body.toString().replaceAll(urls.marks.token, ''), period: urls.period() };
}

/** The end of the JSON string that contains `from`. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - escapes > from && text[end - escapes - 1] === '\\') escapes++;
    if (escapes % 2 === 0) return end;
  }
  throw new Error('a marked address does not end');
}

/** The inside of a JSON string: an address and its replacement. */
function signed(urls: FileUrls, inside: string): string {
  if (!inside.includes('\\')) return JSON.stringify(urls.sign(inside)).slice(1, -1);
  return JSON.stringify(urls.sign(JSON.parse(`"${inside}"`) as string)).slice(1, -1);
}
