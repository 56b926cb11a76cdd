/**
 * Determines the media type of an upload from its content, extension and declared type, and checks it against the
 * permitted types (docs/reference/files.md).
 */
import { open } from 'node:fs/promises';
import { lookup } from 'mime-types';
import type { UploadConfig } from '../config/config.ts';
import { type ContentError, validation } from '../errors.ts';
import { loading } from './failures.ts';
import { extensionOf } from './file-name.ts';
import type { IncomingFile } from './form.ts';

/** Bytes at the beginning of a file that determine its type. */
const SAMPLE = 4100;
const UNTYPED = 'application/octet-stream';
/** Characters of a declared type; its column holds 255. */
const TYPE_LENGTH = 127;
/** Type and subtype (RFC 9110, section 8.3.1). */
const TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/;
/** Types without information: browsers would guess by the content and might find a page in it. */
const UNINFORMATIVE: ReadonlySet<string> = new Set(['*/*', 'unknown/unknown', 'application/unknown']);
const ARCHIVE = 'application/zip';

export type AllowedTypes = Pick<UploadConfig, 'allowedTypes' | 'deniedTypes'>;

/**
 * The media type to store a file with: that of its content if it fits the extension, or if the extension or the
 * declared type is missing; else that of the extension; else the declared one.
 *
 * @throws ContentError 400 for a type that is denied or not permitted.
 */
export async function mediaTypeOf(file: IncomingFile, name: string, allowed: AllowedTypes): Promise<string> {
  const expected = lookup(extensionOf(name)) || undefined;
  const declared = declaredType(file.mime);
  const detected = await contentType(file.path);
  const mime = chosen(detected, expected, declared);
  const { allowedTypes, deniedTypes } = allowed;
  for (const type of [declared, expected, detected, mime]) {
    if (type !== undefined && matches(type, deniedTypes)) throw notAllowed(type);
  }
  if (allowedTypes === undefined) return mime;
  if (!matches(mime, allowedTypes)) throw notAllowed(mime);
  // the bytes of office documents and drawings look like archives and markup
  const isWrapped = detected === ARCHIVE || (detected === 'application/xml' && mime === 'image/svg+xml');
  if (detected !== undefined && !isWrapped && !matches(detected, allowedTypes)) throw notAllowed(detected);
  return mime;
}

/** The declared type without parameters; undefined if it has no information. */
function declaredType(mime: string): string | undefined {
  const type = mime.split(';', 1)[0]!.trim().toLowerCase();
  return type !== UNTYPED && isInformative(type) ? type : undefined;
}

const isInformative = (type: string): boolean =>
  type.length <= TYPE_LENGTH && TYPE.test(type) && !UNINFORMATIVE.has(type);

/** The media type to serve a file with, from its record, which another program may have written. */
export function servedType(mime: string): string {
  const type = mime.split(';', 1)[0]!.trim().toLowerCase();
  return isInformative(type) && /^[ -~]{1,255}$/.test(mime) ? mime : UNTYPED;
}

function chosen(detected: string | undefined, expected: string | undefined, declared: string | undefined): string {
  if (detected !== undefined && (expected === undefined || detected === expected || declared === undefined)) {
    return detected === ARCHIVE && expected !== undefined ? expected : detected;
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

/** Whether a type matches one of some patterns, in which `*` stands for any text. */
function matches(type: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const source = pattern.replaceAll(/[.+]/g, '\\$&').replaceAll('*', '.*');
    return new RegExp(`^${source}$`, 'i').test(type);
  });
}

const notAllowed = (type: string): ContentError => validation(`File type '${type}' is not allowed`);
