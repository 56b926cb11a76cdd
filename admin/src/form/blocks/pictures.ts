/** A file of the library as a picture within a text. */

import type { MediaFile } from '../values/links.ts';
import type { Values } from '../values/model.ts';

/** What is stored of a file in a block: a copy of what it was when it was chosen, as the reference has it. */
export function pictureOfFile(file: MediaFile): Values {
  const { id, documentId, name, alternativeText, caption, width, height, formats, hash, ext, mime, size } = file;
  const { url, provider, createdAt, updatedAt } = file;
  return mendedPicture({
    id,
    documentId,
    name,
    alternativeText,
    caption,
    // the server asks for numbers, which a drawing need not have
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

/** The same with the texts that the server and the reference ask for, where the copy of a file has none. */
export function mendedPicture(picture: Values): Values {
  const now = new Date().toISOString();
  const { ext, createdAt, updatedAt } = picture;
  if (ext && createdAt && updatedAt) return picture;
  return { ...picture, ext: ext || endingOf(picture), createdAt: createdAt || now, updatedAt: updatedAt || now };
}

/** With its dot: that of its name, else one after its kind. */
function endingOf({ name, mime }: Values): string {
  const [ending] = /\.\w+$/.exec(String(name)) ?? [];
  const [, kind = 'bin'] = /^image\/(\w+)/.exec(String(mime)) ?? [];
  return ending ?? `.${kind}`;
}
