/**
 * Reads `multipart/form-data` from the socket (RFC 7578). Files are written to the disk as they arrive, so memory does
 * not grow with them.
 */
import { createWriteStream } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BusboyFileStream, BusboyHeaders, BusboyInstance } from '@fastify/busboy';
import type { UploadConfig } from '../config/config.ts';
import { ContentError, validation } from '../errors.ts';
import { loading, storageFailure } from './failures.ts';

/** The name of parts with files, unless a form may use any name. */
const FILES = 'files';
/** Bytes of the headers of one part. */
const PART_HEADERS = 16 * 1024;

/** A file of a form on the disk. */
export interface IncomingFile {
  readonly path: string;
  /** The name of its part. */
  readonly field: string;
  /** Its name as sent; undefined for a part without a name. */
  readonly name: string | undefined;
  /** The media type declared by its part, in lower case. */
  readonly mime: string;
  /** Bytes. */
  readonly size: number;
}

/** The contents of a form. */
export interface Form {
  /** Files in order: those of parts named `files`, unless all names are accepted. */
  readonly files: readonly IncomingFile[];
  /** The values of the other parts by name, in order. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

/** Which parts of a form may be files. */
export type FileNames = 'all' | 'files';

export type FormLimits = Pick<UploadConfig, 'sizeLimit' | 'maxFiles' | 'maxFields' | 'maxFieldsSize'>;

const tooLarge = (message: string): ContentError => new ContentError('PayloadTooLargeError', message);

/**
 * Reads a form and writes its files into `folder`. After a rejection nothing more is written, and the rest of the body
 * is unread.
 *
 * @param names `all`: files may have any part name; otherwise only parts named `files` are stored.
 * @throws ContentError 400 for a body that is not a form or is cutOff off, 413 above a limit, 507 on a full disk, 503 if
 *   no file can be opened.
 */
export async function readForm(
  body: Readable,
  headers: IncomingHttpHeaders,
  folder: string,
  limits: FormLimits,
  names: FileNames = 'files',
): Promise<Form> {
  const { Busboy } = await loading(import('@fastify/busboy'));
  const { sizeLimit, maxFiles, maxFields, maxFieldsSize } = limits;
  let parser: BusboyInstance;
  try {
    parser = new Busboy({
      headers: headers as BusboyHeaders,
      // `sentName` decides about names that are paths
      preservePath: true,
      limits: {
        fileSize: sizeLimit,
        files: maxFiles,
        fields: maxFields,
        fieldSize: maxFieldsSize,
        parts: maxFiles + maxFields,
        headerSize: PART_HEADERS,
      },
    });
  } catch {
    throw validation('The multipart body has no boundary');
  }
  const fields = new Map<string, string[]>();
  const writes: Promise<IncomingFile | undefined>[] = [];
  const open = new Set<Readable>();
  let fieldBytes = 0;
  let failed = false;

  return new Promise((resolve, reject) => {
    const stop = (): void => {
      body.off('close', cutOff).off('error', cutOff).off('aborted', cutOff).off('end', ended);
      body.unpipe(parser);
    };
    const fail = (error: unknown): void => {
      if (failed) return;
      failed = true;
      stop();
      // errors of a stopped parser do not matter
      parser.on('error', () => undefined);
      // without an error, writing a stream that has already ended would never finish
      for (const stream of open) stream.destroy(new Error('the form is refused'));
      Promise.allSettled(writes).then(() => reject(error));
    };
    const cutOff = (): void => {
      if (!body.readableEnded) fail(validation('The request ended before its body was complete'));
    };

    parser.on(
      'file',
      (
        name: string | undefined,
        stream: BusboyFileStream,
        sent: string | undefined,
        _encoding: string,
        mime: string,
      ) => {
        stream.on('error', () => undefined);
        stream.on('limit', () => fail(tooLarge(`${named(sent)} exceeds the size limit of ${sizeLimit} bytes`)));
        if (failed || name === undefined || (names === 'files' && name !== FILES)) return void stream.resume();
        open.add(stream);
        const target = path.join(folder, `file-${writes.length}`);
        const write = pipeline(stream, createWriteStream(target, { flags: 'wx' })).then(
          () => {
            open.delete(stream);
            const file = { path: target, field: name, name: sent, mime: mime.toLowerCase(), size: stream.bytesRead };
            // a browser sends this for an empty file input
            return file.size === 0 && !sent ? undefined : file;
          },
          (error: unknown) => {
            open.delete(stream);
            throw failed ? error : storageFailure(error);
          },
        );
        writes.push(write);
        write.catch(fail);
      },
    );
    parser.on('field', (name: string | undefined, value: string, _nameCut: boolean, isCut: boolean) => {
      fieldBytes += Buffer.byteLength(value);
      if (isCut || fieldBytes > maxFieldsSize) {
        return fail(tooLarge(`The fields of the form exceed the limit of ${maxFieldsSize} bytes`));
      }
      if (name === undefined) return;
      const values = fields.get(name);
      if (values) values.push(value);
      else fields.set(name, [value]);
    });
    parser.on('filesLimit', () => fail(tooLarge(`A form can have at most ${maxFiles} files`)));
    parser.on('partsLimit', () => fail(tooLarge(`A form can have at most ${maxFiles + maxFields} parts`)));
    parser.on('fieldsLimit', () => fail(tooLarge(`A form can have at most ${maxFields} fields`)));
    parser.on('error', () => fail(validation('The multipart body is malformed or incomplete')));
    // after the last boundary the body may still be cutOff off
    let missing = 2;
    const ended = (): void => {
      missing -= 1;
      if (missing > 0) return;
      Promise.all(writes).then((files) => {
        if (failed) return;
        stop();
        resolve({ files: files.filter((file) => file !== undefined), fields });
      }, fail);
    };
    parser.once('finish', ended);
    body.once('end', ended);
    body.on('close', cutOff).on('error', cutOff).on('aborted', cutOff);
    if (body.destroyed) return cutOff();
    body.pipe(parser);
  });
}

/** The name of a file in a message. */
function named(name: string | undefined): string {
  return name ? name.slice(0, 100) : 'The file';
}
