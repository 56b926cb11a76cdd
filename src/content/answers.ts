/** What reads and writes answer with: the database's own JSON, and the envelopes around it. */
import { notFound } from '../errors.ts';
import { type Page, pageMeta } from '../query/page.ts';
import { enclose, type JsonBody } from './json-body.ts';

/** A list as JSON text, or as its bytes. */
export interface ListText<Data extends JsonBody = string> {
  readonly data: Data;
  readonly page: Page;
  /** Undefined when it was not counted. */
  readonly total: number | undefined;
}

/** One document as JSON text, or as its bytes. */
export interface OneText<Data extends JsonBody = string> {
  readonly data: Data;
  /** The newest `updatedAt` of the document's rows in that locale (epoch ms); undefined for rows without one. */
  readonly version: number | undefined;
}

/** The answer of a write: the document, or how to read it once the transaction is over. */
export type Answer = OneText | { readonly read: () => Promise<OneText> };

/** Waits for the answer of a write whose transaction is over. */
export async function settled(answer: Answer): Promise<OneText> {
  return 'read' in answer ? answer.read() : answer;
}

/** The same for several, one after the other. */
export async function allSettled(answers: readonly Answer[]): Promise<OneText[]> {
  const texts: OneText[] = [];
  for (const answer of answers) texts.push(await settled(answer));
  return texts;
}

/** The answer of a list: `{data, meta: {pagination}}`. */
export function listEnvelope({ data, page, total }: ListText<JsonBody>): JsonBody {
  return enclose('{"data":', data, `,"meta":{"pagination":${pageMeta(page, total)}}}`);
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
