/**
 * What the server's values become. pg makes a text of every value before anything else; of an answer of some megabytes,
 * which is bytes again when it is sent, that takes tens of milliseconds of the thread that serves. So long values stay
 * bytes until it is known what they are for.
 */
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { BufferReader } from 'pg-protocol/dist/buffer-reader.js';
import { Parser } from 'pg-protocol/dist/parser.js';

/** Bytes from which a value is long. */
const LONG = 16 * 1024;

/** The parts of pg's and pg-protocol's classes that their types leave out. */
interface Protocol {
  attachListeners(stream: Duplex): void;
  emit(event: string, message: unknown): void;
}
interface Internals {
  readonly connection: Protocol;
}

/** Gives long values as bytes. They are copied: pg-protocol uses its buffer again. */
class LongValueReader extends BufferReader {
  override string(length: number): string {
    if (length < LONG) return super.string(length);
    return Buffer.from(this.bytes(length)) as unknown as string;
  }
}

/**
 * Has a client hand long values to the parsers of their types as bytes (`Buffer`) in place of text. To be called before
 * the client connects.
 */
export function keepLongValues(client: pg.ClientBase): void {
  const { connection } = client as unknown as Internals;
  connection.attachListeners = (stream) => {
    const parser = new Parser();
    Object.assign(parser, { reader: new LongValueReader() });
    stream.on('data', (chunk: Buffer) =>
      parser.parse(chunk, (message) => {
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
      }),
    );
  };
}

/** Type ids of the server's catalogue, and how their texts become values. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text),
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  1700: Number,
  // a wall clock in UTC, as epoch milliseconds
  1114: (text) => Date.parse(`${text.replace(' ', 'T')}Z`),
};

const typesWith = (texts: (value: string | Buffer) => string | Buffer) =>
  ({ getTypeParser: (oid: number) => PARSERS[oid] ?? texts }) as unknown as pg.CustomTypesConfig;
const decoded = typesWith((value) => value.toString());
const asSent = typesWith((value) => value);

/** The types of a statement; `bytes`: whether long texts may stay bytes. */
export function typesOf(bytes: boolean): pg.CustomTypesConfig {
  return bytes ? asSent : decoded;
}
