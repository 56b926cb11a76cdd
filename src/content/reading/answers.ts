/** The answers of reads and writes: the database's own JSON, and the envelopes around it. */
import { isUtf8 } from 'node:buffer';
import { ContentError, notFound, tooLong, unavailable } from '../../errors.ts';
import { type Page, pageMeta } from '../../query/page.ts';
import { surround } from '../../spare-room.ts';
import type { SqlValue } from '../../sql/fragment.ts';

/** What an answer depends on, besides the caller's View and the request. */
export interface Origin {
  /** The statement: all tables that were read are read by it. */
  readonly text: string;
  readonly values: readonly SqlValue[];
  /** The default locale at that time; empty for types that are not localized. */
  readonly locale: string;
}

/** A list as JSON text, or as its bytes. */
export interface ListText<Data extends JsonBody = string> {
  readonly data: Data;
  readonly page: Page;
  /** Undefined when it was not counted. */
  readonly total: number | undefined;
  /** The cursor of the next page, if the request pages by cursor and there is more. */
  readonly next?: string | undefined;
  /** The state of the database that was read, if it was requested (`Dialect.snapshot`) and the engine knows it. */
  readonly snapshot?: string | undefined;
  /** Of an answer to a query string. */
  readonly origin?: Origin | undefined;
}

/** One document as JSON text, or as its bytes. */
export interface OneText<Data extends JsonBody = string> {
  readonly data: Data;
  /** The newest `updatedAt` of the document's rows in that locale (epoch ms); undefined for rows without one. */
  readonly version: number | undefined;
  /** Of an answer to a query string. */
  readonly origin?: Origin | undefined;
}

/** The answer of a write: the document, or how to read it once the transaction is over. */
export type Answer = OneText | { readonly read: () => Promise<OneText> };

/** Milliseconds that the answers of one request, which were put off, may take together. */
const SETTLING = 10_000;

/** Waits for answers that were put off. They count towards one time and one length. */
export class Settling {
  readonly #budget: AnswerBudget;
  #until: number | undefined;

  /** @param budget the budget of the request's answers, with all other answers charged already. */
  constructor(budget: AnswerBudget) {
    this.#budget = budget;
  }

  /**
   * The answer of a write whose transaction has ended.
   *
   * @throws ContentError 503, which says that the write has happened, if its answer takes too long or is too long; 404
   * if the document has been deleted since.
   */
  async settle(answer: Answer): Promise<OneText> {
    if (!('read' in answer)) return answer;
    this.#until ??= performance.now() + SETTLING;
    try {
      if (performance.now() > this.#until) throw unavailable('the answers of the request together take too long');
      const text = await answer.read();
      this.#budget.take(text.data);
      return text;
    } catch (error) {
      if (!(error instanceof ContentError) || error.name === 'NotFoundError') throw error;
      // a client that sends the request again would write again
      const message = 'The change was saved, but its answer took too long or is too large: populate less';
      throw unavailable(message, error);
    }
  }

  /** The same for several, one after the other: they are one caller's. */
  async settleAll(answers: readonly Answer[]): Promise<OneText[]> {
    const texts: OneText[] = [];
    for (const answer of answers) texts.push(await this.settle(answer));
    return texts;
  }
}

/** The answer of a list: `{data, meta: {pagination}}`. */
export function listEnvelope({ data, page, total, next }: ListText<JsonBody>): JsonBody {
  return enclose('{"data":', data, `,"meta":{"pagination":${pageMeta(page, total, next)}}}`);
}

/**
 * The answer of one document: `{data, meta: {}}`.
 *
 * @throws ContentError 404 when there is none.
 */
export function documentEnvelope(document: OneText<JsonBody> | undefined): JsonBody {
  if (document === undefined) throw notFound();
  return enclose('{"data":', document.data, ',"meta":{}}');
}

export type JsonBody = string | Buffer;

/** Whether JSON has more bytes. */
export function isLonger(json: JsonBody, bytes: number): boolean {
  if (typeof json !== 'string') return json.length > bytes;
  // a character has at most three bytes for each unit of its length
  return json.length > bytes || (json.length * 3 > bytes && Buffer.byteLength(json) > bytes);
}

/** The bytes that the parts of one answer may have together. */
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

/** Another program may have stored half a surrogate pair; decoding replaces it. */
function wellFormed(data: Buffer): Buffer {
  return isUtf8(data) ? data : Buffer.from(data.toString());
}
