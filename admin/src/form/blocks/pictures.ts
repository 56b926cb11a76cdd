/** A file of the library as a picture within a text. */

import type { MediaFile } from '../values/links.ts';
import type { Values } from '../values/model.ts';

/** What is stored of a file in a block: a copy of what it was when it was chosen, as the reference has it. */
export function pictureOfFile(file: MediaFile): Values {
  const {
    id,
    documentId,
    name,
    alternativeText,
    caption,
    width,
    height,
    formats,
    hash,
    ext,
    mime,
    size,
    url,
    provider,
  } = file;
  return {
    id,
    documentId,
    name,
    alternativeText,
    caption,
    // the server asks for numbers and a text, which a drawing need not have
    width: width ?? 0,
    height: height ?? 0,
    formats,
    hash,
    ext: ext ?? '',
    mime,
    size,
    url,
    previewUrl: null,
    provider,
  };
}
