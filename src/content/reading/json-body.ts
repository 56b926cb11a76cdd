/** The body of an answer: JSON text, or its bytes as an engine handed them over, which nothing decodes on their way. */
import { isUtf8 } from 'node:buffer';
import { tooLong } from '../../errors.ts';
import { surround } from '../../spare-room.ts';

export type JsonBody = string | Buffer;

/** Whether JSON has more bytes. */
export function isLonger(json: JsonBody, bytes: number): boolean {
  if (typeof json !== 'string') return json.length > bytes;
  // a character has three bytes at most for each unit of its length
  return json.length > bytes || (json.length * 3 > bytes && Buffer.byteLength(json) > bytes);
}

/** What the parts of one answer may have together. */
export class AnswerBudget {
  #left: number;

  /** @param bytes of the longest answer. */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /**
   * Takes in a part.
   *
   * @throws ContentError 400 when the answer becomes too long.
   */
  take(part: JsonBody): void {
    this.#left -= Buffer.byteLength(part);
    if (this.#left < 0) throw tooLong();
  }
}

/** JSON with text before and after it, in the same form. */
export function enclose(before: string, data: JsonBody, after: string): JsonBody {
  if (typeof data === 'string') return before + data + after;
  return surround(Buffer.from(before), wellFormed(data), Buffer.from(after));
}

/** Another program may have stored half a character; it becomes what decoding makes of it. */
function wellFormed(data: Buffer): Buffer {
  return isUtf8(data) ? data : Buffer.from(data.toString());
}
