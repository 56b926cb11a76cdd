/**
 * Keeps long values as the bytes that the server sent. pg decodes every value into a text. An answer is encoded into
 * bytes again when it is sent, so decoding it takes a sixth of the time of its request and, for an answer of some
 * megabytes, tens of milliseconds of the serving thread and several times its memory.
 */
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { BufferReader } from 'pg-protocol/dist/buffer-reader.js';
import { Parser } from 'pg-protocol/dist/parser.js';

/** Bytes from which a value is long: decoding a shorter one is as fast as returning its bytes. */
const LONG = 1024;
/** Bytes from which a message is assembled here instead of by pg. */
const LONG_MESSAGE = 16 * 1024;
/** Bytes of the longest message of a server; a longer announcement comes from another program. */
const LONGEST = 2 ** 30;
/** Bytes of a message's type, and of its length, which includes itself but not the type. */
const TYPE = 1;
const HEADER = TYPE + 4;

/** The members of pg's classes that their types omit. */
interface Internals {
  readonly connection: {
    attachListeners(stream: Duplex): void;
    emit(event: string, message: unknown): void;
  };
}

/** Returns long values as views of the received bytes, which are not reused (`WholeMessages`). */
class LongValueReader extends BufferReader {
  override string(length: number): string {
    return length < LONG ? super.string(length) : (this.bytes(length) as unknown as string);
  }
}

/**
 * Cuts received bytes into whole messages (https://www.postgresql.org/docs/current/protocol-message-formats.html). A
 * long message is assembled in memory of exactly its size.
 */
class WholeMessages {
  readonly #take: (messages: Buffer) => void;
  #rest: Buffer | undefined;
  /** A long message; `#filled` is the number of its bytes received so far. */
  #long: Buffer | undefined;
  #filled = 0;

  /** @param take receives one or several whole messages at a time. */
  constructor(take: (messages: Buffer) => void) {
    this.#take = take;
  }

  /** @throws Error for bytes that no server sends. */
  push(arrived: Buffer): void {
    let chunk = arrived;
    if (this.#long) {
      const copied = chunk.copy(this.#long, this.#filled);
      this.#filled += copied;
      if (this.#filled < this.#long.length) return;
      const whole = this.#long;
      this.#long = undefined;
      this.#take(whole);
      chunk = chunk.subarray(copied);
    } else if (this.#rest) {
      chunk = Buffer.concat([this.#rest, chunk]);
      this.#rest = undefined;
    }
    let end = 0;
    while (end + HEADER <= chunk.length) {
      const length = TYPE + chunk.readUInt32BE(end + TYPE);
      if (end + length <= chunk.length) end += length;
      else {
        if (length > LONGEST + TYPE) throw new Error('the server that answers is not PostgreSQL');
        if (length >= LONG_MESSAGE) this.#long = Buffer.allocUnsafe(length);
        break;
      }
    }
    if (end > 0) this.#take(chunk.subarray(0, end));
    if (this.#long) this.#filled = chunk.copy(this.#long, 0, end);
    else if (end < chunk.length) this.#rest = chunk.subarray(end);
  }
}

/**
 * Makes a client pass long values to the parsers of their types as bytes (`Buffer`) instead of text. Called before the
 * client connects.
 */
export function keepLongValues(client: pg.ClientBase): void {
  const { connection } = client as unknown as Internals;
  connection.attachListeners = (stream) => {
    const parser = new Parser();
    Object.assign(parser, { reader: new LongValueReader() });
    const messages = new WholeMessages((whole) =>
      parser.parse(whole, (message) => {
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
      }),
    );
    stream.on('data', (chunk: Buffer) => {
      try {
        messages.push(chunk);
      } catch (error) {
        stream.destroy(error as Error);
      }
    });
  };
}
