/** `Content-Disposition` of an answer (RFC 6266), as code asks Koa for it. */
import { basename } from 'node:path';

export interface DispositionOptions {
  /** `attachment`, unless it says otherwise. */
  readonly type?: string;
}

/** @param name of the file; a path stands for its last part. */
export function disposition(name: string | undefined, { type = 'attachment' }: DispositionOptions = {}): string {
  if (name === undefined) return type;
  const file = basename(name);
  // which bytes stand for other letters depends on what follows the headers
  const plain = file.replaceAll(/[^\x20-\x7e]/g, '?');
  const quoted = `${type}; filename="${plain.replaceAll(/["\\]/g, '\\$&')}"`;
  // clients take what looks encoded for encoded
  const isPlain = plain === file && !/%[0-9A-Fa-f]{2}/.test(file);
  return isPlain ? quoted : `${quoted}; filename*=UTF-8''${encoded(file)}`;
}

const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
