/** `Cache-Control` of content reads, by type, as `config/api` says (docs/reference/http.md, "Caching"). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UsageError } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { addVary } from './headers.ts';

/** The value for answers that are private or short-lived: caches revalidate them each time. */
const PRIVATE = 'private, no-cache';

/**
 * Changes the header of an answer with signed addresses, if it has one: copies must not be served after the addresses
 * have expired.
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
   * @param isPrivate whether answers depend on the caller in other ways than by `Authorization`.
   * @throws UsageError for a uid that is not a content type of the project.
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
   * Sets the header of a successful read, for types in the configuration. Shared caches keep answers for the public
   * apart from answers for tokens.
   */
  set(type: ContentType, { headers }: FastifyRequest, reply: FastifyReply): void {
    const value = this.#values.get(type.uid);
    if (value === undefined) return;
    reply.header('cache-control', headers.authorization === undefined && !this.#isPrivate() ? value : PRIVATE);
    addVary(reply, 'Authorization');
    addVary(reply, 'Strapi-Response-Format');
  }
}
