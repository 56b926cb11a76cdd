/** Files of the library as pictures of a blocks document. */

import type { MediaFile } from '../values/links.ts';
import type { Values } from '../values/model.ts';

/** The stored picture of a file: a copy of its data at the time of insertion, as in Strapi. */
export function pictureOfFile(file: MediaFile): Values {
  const { id, documentId, name, alternativeText, caption, width, height, formats, hash, ext, mime, size } = file;
  const { url, provider, createdAt, updatedAt } = file;
  return mendedPicture({
    id,
    documentId,
    name,
    alternativeText,
    caption,
    // The server requires numbers, which vector graphics may lack.
    width: width ?? 0,
    height: height ?? 0,
    formats,
    hash,
    ext,
    mime,
    size,
    url,
    previewUrl: null,
    provider,
    createdAt,
    updatedAt,
  });
}

/** Adds the texts that the server and Strapi require to a picture without them. */
export function mendedPicture(picture: Values): Values {
  const now = new Date().toISOString();
  const { ext, createdAt, updatedAt } = picture;
  if (ext && createdAt && updatedAt) return picture;
  return { ...picture, ext: ext || endingOf(picture), createdAt: createdAt || now, updatedAt: updatedAt || now };
}

/** The ending of the name, with its dot; otherwise one for the MIME type. */
function endingOf({ name, mime }: Values): string {
  const [ending] = /\.\w+$/.exec(String(name)) ?? [];
  const [, kind = 'bin'] = /^image\/(\w+)/.exec(String(mime)) ?? [];
  return ending ?? `.${kind}`;
}
