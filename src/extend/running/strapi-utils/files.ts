/** `file` of `@strapi/utils`. */
import { type Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

const SIZES = ['Bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];

export const file = {
  bytesToKbytes: (bytes: number): number => Math.round((bytes / 1000) * 100) / 100,
  kbytesToBytes: (kilobytes: number): number => kilobytes * 1000,
  bytesToHumanReadable: (bytes: number): string => {
    const power = bytes === 0 ? 0 : Math.floor(Math.log(bytes) / Math.log(1000));
    return `${Math.round(bytes / 1000 ** power)} ${SIZES[power]}`;
  },
  streamToBuffer: (stream: Readable): Promise<Buffer> => buffer(stream),
  getStreamSize: async (stream: Readable): Promise<number> => {
    let size = 0;
    for await (const chunk of stream) size += Buffer.byteLength(chunk as Buffer | string);
    return size;
  },
  /** A stream that takes everything and keeps nothing. */
  writableDiscardStream: (options?: object): Writable =>
    new Writable({ ...options, write: (_chunk, _encoding, done) => setImmediate(done) }),
};
