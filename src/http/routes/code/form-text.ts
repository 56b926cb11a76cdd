/** Encodes a form again, for the server, from `ctx.request.body` and `ctx.request.files` after project code. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Context } from '../../../runtime/requests/context.ts';

/** A file of project code. */
interface FormFile {
  readonly filepath: string;
  readonly originalFilename?: string | null;
  readonly mimetype?: string | null;
}

/** The parts of a form by name: one, or a list of several. */
type FormParts = Readonly<Record<string, unknown>>;

/**
 * Writes a form (RFC 7578) while it is read; files are read from the disk as they are needed.
 *
 * @returns its media type and its text.
 */
export function formText({ body, files }: Pick<Context['request'], 'body' | 'files'>): {
  readonly type: string;
  readonly body: Readable;
} {
  const boundary = randomUUID();
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Readable.from(partsOf(boundary, (body ?? {}) as FormParts, (files ?? {}) as FormParts)),
  };
}

async function* partsOf(boundary: string, fields: FormParts, files: FormParts): AsyncGenerator<string | Buffer> {
  const head = (name: string, rest: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${rest}\r\n\r\n`;
  for (const [name, value] of eachOf(fields)) {
    yield `${head(name, '')}${typeof value === 'string' ? value : JSON.stringify(value)}\r\n`;
  }
  for (const [name, value] of eachOf(files)) {
    const { filepath, originalFilename, mimetype } = value as FormFile;
    // letters of every language, and any other character of a name (RFC 5987)
    const fileName = originalFilename == null ? '' : `; filename*=UTF-8''${encodeURIComponent(originalFilename)}`;
    yield head(name, `${fileName}\r\ncontent-type: ${unbroken(mimetype ?? 'application/octet-stream')}`);
    yield* createReadStream(filepath) as AsyncIterable<Buffer>;
    yield '\r\n';
  }
  yield `--${boundary}--\r\n`;
}

/** The entries of a form. */
function eachOf(parts: FormParts): (readonly [string, unknown])[] {
  return Object.entries(parts).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined || one === null ? [] : [[name, one] as const])),
  );
}

const unbroken = (text: string): string => text.replaceAll(/[\r\n]/g, ' ');

const quoted = (name: string): string => unbroken(name).replaceAll(/["\\]/g, '\\$&');
