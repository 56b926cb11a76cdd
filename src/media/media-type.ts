/**
 * The media type of an upload: determined by its content, its extension and its part together, and checked against the
 * types that the configuration allows (docs/reference/files.md).
 */
import { open } from 'node:fs/promises';
import { lookup } from 'mime-types';
import type { UploadConfig } from '../config/config.ts';
import { type ContentError, validation } from '../errors.ts';
import { loading } from './failures.ts';
import { extensionOf } from './file-name.ts';
import type { IncomingFile } from './form.ts';

/** Bytes at the start of a file that determine its type. */
const SAMPLE = 4100;
const UNTYPED = 'application/octet-stream';
/** Characters that a declared type may have: its column takes 255. */
const TYPE_LENGTH = 127;
/** Type and subtype (RFC 9110, section 8.3.1). */
const TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/;
/** Types that say nothing: browsers guess by the content then, and may find a page in it. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['*/*', 'unknown/unknown', 'application/unknown']);
const ARCHIVE = 'application/zip';

export type AllowedTypes = Pick<UploadConfig, 'allowedTypes' | 'deniedTypes'>;

/**
 * The media type that a file is stored with: that of its content where it fits the extension, or where there is no
 * extension or the part says nothing; else that of the extension; else what the part declares.
 *
 * @throws ContentError 400 for a type that the configuration denies or does not allow.
 */
export async function mediaTypeOf(file: IncomingFile, name: string, allowed: AllowedTypes): Promise<string> {
  const expected = lookup(extensionOf(name)) || undefined;
  const declared = declaredType(file.mime);
  const found = await contentType(file.path);
  const mime = chosen(found, expected, declared);
  const { allowedTypes, deniedTypes } = allowed;
  for (const type of [declared, expected, found, mime]) {
    if (type !== undefined && matches(type, deniedTypes)) throw notAllowed(type);
  }
  if (allowedTypes === undefined) return mime;
  if (!matches(mime, allowedTypes)) throw notAllowed(mime);
  // documents and drawings look like archives and markup by their bytes alone
  const isWrapped = found === ARCHIVE || (found === 'application/xml' && mime === 'image/svg+xml');
  if (found !== undefined && !isWrapped && !matches(found, allowedTypes)) throw notAllowed(found);
  return mime;
}

/** What a part declares, without parameters; undefined for what says nothing. */
function declaredType(mime: string): string | undefined {
  const type = mime.split(';', 1)[0]!.trim().toLowerCase();
  return type !== UNTYPED && saysSomething(type) ? type : undefined;
}

const saysSomething = (type: string): boolean =>
  type.length <= TYPE_LENGTH && TYPE.test(type) && !SAYS_NOTHING.has(type);

/** The media type that a file is served with, for what a record says of it: another program may have written that. */
export function servedType(mime: string): string {
  const type = mime.split(';', 1)[0]!.trim().toLowerCase();
  return saysSomething(type) && /^[ -~]{1,255}$/.test(mime) ? mime : UNTYPED;
}

function chosen(found: string | undefined, expected: string | undefined, declared: string | undefined): string {
  if (found !== undefined && (expected === undefined || found === expected || declared === undefined)) {
    return found === ARCHIVE && expected !== undefined ? expected : found;
  }
  return expected ?? declared ?? UNTYPED;
}

async function contentType(path: string): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await loading(import('file-type'));
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE), 0, SAMPLE, 0);
    return (await fileTypeFromBuffer(buffer.subarray(0, bytesRead)))?.mime;
  } finally {
    await file.close();
  }
}

/** Whether a type is among patterns, in which `*` stands for anything. */
function matches(type: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const source = pattern.replaceAll(/[.+]/g, '\\$&').replaceAll('*', '.*');
    return new RegExp(`^${source}$`, 'i').test(type);
  });
}

const notAllowed = (type: string): ContentError => validation(`File type '${type}' is not allowed`);
