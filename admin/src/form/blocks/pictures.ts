/** A file of the library as a picture within a text. */

import type { MediaFile } from '../values/links.ts';
import type { Values } from '../values/model.ts';

/**
 * What is stored of a file in a block: a copy of what it was when it was chosen, as the reference has it. The server
 * asks for the hash and the provider as well; a hash is what a file is called by its address.
 */
export function pictureOfFile(file: MediaFile): Values {
  const { id, documentId, name, alternativeText, caption, width, height, formats, ext, mime, size, url } = file;
  const called = new URL(url, 'http://localhost').pathname.split('/').at(-1) ?? '';
  const extra = file as Partial<Record<'hash' | 'provider' | 'previewUrl', unknown>>;
  return {
    id,
    documentId,
    name,
    alternativeText,
    caption,
    width: width ?? 0,
    height: height ?? 0,
    formats,
    hash: typeof extra.hash === 'string' ? extra.hash : called.replace(/\.[^.]*$/, ''),
    ext: ext ?? '',
    mime,
    size,
    url,
    previewUrl: extra.previewUrl ?? null,
    provider: typeof extra.provider === 'string' ? extra.provider : 'local',
  };
}
