/**
 * Entity tags of responses that pass through project code. The server's tag belongs to the server's answer. If it
 * stayed, a 304 could refer to an answer that code has changed, and clients could see that code has removed something.
 */
import { hash } from 'node:crypto';
import type { ProjectResponse } from '../../../runtime/requests/response.ts';
import { knownTag } from '../../protocol/entity-tag.ts';

/** The server's answer. */
export interface PassedAnswer {
  readonly tag: string;
  /** Its text, as the response holds it until project code reads it. */
  readonly json: object;
}

/**
 * Corrects the tag: a changed answer gets the tag of the change, with the version for writes; an error and a stream
 * have none. A tag that project code has set stays. Answers of writes are always sent.
 *
 * @returns whether the client has the answer already.
 */
export function settleTag(
  { method, headers }: { readonly method: string; readonly headers: { readonly 'if-none-match'?: string | undefined } },
  response: ProjectResponse,
  { tag, json }: PassedAnswer,
): boolean {
  if (response.get('etag') !== tag) return false;
  const body = response.json === json ? undefined : response.body;
  const isWhole =
    typeof body === 'string' || Buffer.isBuffer(body) || Object.getPrototypeOf(body ?? 0) === Object.prototype;
  const isSuccess = response.status === 200 || response.status === 201;
  // a response to HEAD does not show how code would have changed the body
  if (!isSuccess || method === 'HEAD' || (response.json !== json && !isWhole)) {
    response.remove('etag');
    return false;
  }
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const own = text === undefined ? tag : tag.replace(/[^."]+"$/, `${hash('sha1', text, 'base64url')}"`);
  response.set('etag', own);
  const asked = method === 'GET' ? headers['if-none-match'] : undefined;
  const known = asked === undefined ? undefined : knownTag(asked, own);
  if (known !== undefined) response.set('etag', known);
  return known !== undefined;
}
