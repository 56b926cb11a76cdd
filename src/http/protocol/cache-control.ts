/** `Cache-Control` of content reads, by type, as `config/api` says (docs/reference/http.md, "Caching"). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UsageError } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { addVary } from './headers.ts';

/** For an answer that is not for everybody, or not for long: to revalidate the copy each time. */
const PRIVATE = 'private, no-cache';

/**
 * Changes the header of an answer whose addresses are signed, if it has one: they end, and a copy with addresses that
 * have ended must not be served.
 */
export function endWithAddresses(reply: FastifyReply): void {
  const value = reply.getHeader('cache-control');
  if (value !== undefined && !/\bno-store\b/i.test(String(value))) reply.header('cache-control', PRIVATE);
}

export class CacheControl {
  readonly #values: ReadonlyMap<string, string>;
  readonly #isPrivate: () => boolean;

  /**
   * Takes the values by uid.
   *
   * @param isPrivate whether answers depend on who asks in other ways than by `Authorization`.
   * @throws UsageError for a uid that is none of the types.
   */
  constructor(values: ReadonlyMap<string, string>, types: readonly ContentType[], isPrivate: () => boolean) {
    this.#values = values;
    this.#isPrivate = isPrivate;
    for (const uid of values.keys()) {
      if (types.some((type) => type.uid === uid)) continue;
      throw new UsageError(`config/api: rest.cacheControl names ${uid}, which is not a content type of the project`);
    }
  }

  /**
   * Sets the header of a read that succeeds; none for types that the configuration does not name. Caches that are
   * shared keep what the public gets apart from what a token gets.
   */
  set(type: ContentType, { headers }: FastifyRequest, reply: FastifyReply): void {
    const value = this.#values.get(type.uid);
    if (value === undefined) return;
    reply.header('cache-control', headers.authorization === undefined && !this.#isPrivate() ? value : PRIVATE);
    addVary(reply, 'Authorization');
    addVary(reply, 'Strapi-Response-Format');
  }
}
