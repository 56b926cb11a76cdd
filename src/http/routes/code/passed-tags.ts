/**
 * Entity tags of answers that code of the project has had in its hands. The server's tag is of what it answered: were it
 * kept, clients would be told that they have what code has changed since, and could tell from it what code has removed.
 */
import { hash } from 'node:crypto';
import type { ProjectResponse } from '../../../extend/running/requests/response.ts';
import { knownTag } from '../../protocol/entity-tag.ts';

/** What the server has answered. */
export interface PassedAnswer {
  readonly tag: string;
  /** Its text, as the response holds it while nobody looks into it. */
  readonly json: object;
}

/**
 * Puts the tag right: that of a changed answer is of the change, with the version that writes are made against; what is
 * no success, and what is not known as a whole, has none. A tag that code has set is its own. What was written is told
 * whatever the client has.
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
  // an answer to HEAD does not show what code would have made of the body
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
