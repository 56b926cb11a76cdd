/**
 * Sends long values from a reader process to the server unchanged, on a separate pipe, after a message with the rest of
 * the rows. In a message each value would be copied several times, as a whole, on either side.
 */
import { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { allocateWithRoom } from '../../../spare-room.ts';
import type { Row } from '../../interface/queryable.ts';

/** The number of the pipe in the reader process, after the channel of messages. */
export const LONG_VALUES = 4;
/** Bytes from which a value is long: a message transfers a shorter one as fast. */
const LONG = 64 * 1024;

/** A value that follows on the pipe: its place, and whether its bytes are a text. */
interface Following {
  readonly row: number;
  readonly column: number;
  readonly bytes: number;
  readonly isText: boolean;
}

/** Rows as a message transfers them. */
export interface SentRows {
  readonly rows: readonly Row[];
  /** The values that follow on the pipe, in their order. */
  readonly following: readonly Following[];
}

/** Separates rows from their long values. */
export function takeLongValues(rows: readonly Row[]): { readonly sent: SentRows; readonly values: readonly Buffer[] } {
  const values: Buffer[] = [];
  const following: Following[] = [];
  const short = rows.map((columns, row) =>
    columns.map((value, column) => {
      const isText = typeof value === 'string';
      if (!(isText || Buffer.isBuffer(value)) || value.length < LONG) return value;
      const bytes = isText ? Buffer.from(value) : value;
      values.push(bytes);
      following.push({ row, column, bytes: bytes.length, isText });
      return null;
    }),
  );
  return { sent: { rows: short, following }, values };
}

/**
 * Sends long values and frees their memory at once: the process produces little other garbage, so it would collect them
 * late.
 *
 * @throws Error if the server is gone.
 */
export function sendLongValues(values: readonly Buffer[]): void {
  for (const value of values) {
    for (let sent = 0; sent < value.length; ) sent += writeSync(LONG_VALUES, value, sent);
    release(value);
  }
}

/**
 * Fills in the values that follow on the pipe, each in memory of exactly its size.
 *
 * @param done receives the rows; it is not called if the pipe ends before.
 */
export function receiveLongValues({ rows, following }: SentRows, pipe: Readable, done: (rows: Row[]) => void): void {
  if (following.length === 0) {
    done([...rows]);
    return;
  }
  const whole = rows.map((row) => [...row]);
  const values = following.map(({ bytes, isText }) =>
    isText ? Buffer.allocUnsafeSlow(bytes) : allocateWithRoom(bytes),
  );
  let at = 0;
  let filled = 0;
  const take = (piece: Buffer): void => {
    for (let from = 0; from < piece.length; ) {
      const value = values[at]!;
      const copied = piece.copy(value, filled, from);
      from += copied;
      filled += copied;
      if (filled < value.length) continue;
      const { row, column, isText } = following[at++]!;
      whole[row]![column] = isText ? takeText(value) : value;
      filled = 0;
    }
    release(piece);
    if (at < values.length) return;
    pipe.off('data', take).pause();
    done(whole);
  };
  pipe.on('data', take).resume();
}

/** Decodes a text and frees its bytes. */
function takeText(bytes: Buffer): string {
  const text = bytes.toString();
  release(bytes);
  return text;
}

/** Frees memory that is not used any more, unless it is part of a shared buffer. */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
