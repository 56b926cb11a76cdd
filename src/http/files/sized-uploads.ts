/**
 * Images in the sizes that the configuration allows: `GET /uploads/<file>?width=&height=&fit=&format=&quality=`
 * (docs/reference/extensions.md, "Sizes on the fly").
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SizesConfig } from '../../config/config.ts';
import { notFound, validation } from '../../errors.ts';
import type { Resizing } from '../../media/images/images.ts';
import type { Sizes } from '../../media/images/sizes.ts';
import { knownTag } from '../protocol/entity-tag.ts';
import { sendError } from '../protocol/reply.ts';

/** Without it the image is neither cropped nor stretched. */
const DEFAULT_FIT = 'inside';
const KEYS = ['width', 'height', 'fit', 'format', 'quality'] as const;
/** The version of the file: any text that changes with the file. */
const VERSION = 'v';

/** An address with a version always returns the same bytes; one without returns the current file. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const REVALIDATED = 'public, max-age=0, must-revalidate';

/**
 * The resizing of a query; undefined without any.
 *
 * @throws ContentError 400 for sizes that the configuration does not allow.
 */
export function resizingOf(query: URLSearchParams, allowed: SizesConfig): Resizing | undefined {
  if (!KEYS.some((key) => query.has(key))) return undefined;
  return {
    width: oneOf(query, 'width', allowed.widths),
    height: oneOf(query, 'height', allowed.heights),
    fit: oneOf(query, 'fit', [...new Set([DEFAULT_FIT, ...allowed.fits] as const)]) ?? DEFAULT_FIT,
    format: oneOf(query, 'format', allowed.formats),
    quality: oneOf(query, 'quality', allowed.qualities),
  };
}

function oneOf<T extends string | number>(query: URLSearchParams, key: string, allowed: readonly T[]): T | undefined {
  const values = query.getAll(key);
  if (values.length === 0) return undefined;
  const found = values.length === 1 ? allowed.find((value) => String(value) === values[0]) : undefined;
  if (found !== undefined) return found;
  const says = allowed.length === 0 ? `${key} cannot be set` : `${key} must be one of ${allowed.join(', ')}`;
  throw validation(says, { key, source: 'query' });
}

/**
 * Answers with a resized image.
 *
 * @throws ContentError 400 for anything but a raster image, 503 when too many images are in progress.
 */
export async function sendSized(
  request: FastifyRequest,
  reply: FastifyReply,
  sizes: Sizes,
  wanted: { readonly name: string; readonly query: URLSearchParams; readonly resizing: Resizing },
): Promise<FastifyReply> {
  const { name, query, resizing } = wanted;
  const image = await sizes.open(name, resizing);
  if (image === 'missing') return sendError(reply, notFound());
  if (image === 'other') throw validation('Only raster images can be resized');
  const { handle, size, format, tag } = image;
  const header = request.headers['if-none-match'];
  reply.headers({ etag: `"${tag}"`, 'cache-control': query.get(VERSION) ? FOR_EVER : REVALIDATED });
  if (header !== undefined && knownTag(header, `"${tag}"`) !== undefined) {
    await handle.close();
    return reply.code(304).send();
  }
  reply.headers({ 'content-type': `image/${format}`, 'content-length': size });
  return reply.send(handle.createReadStream());
}
