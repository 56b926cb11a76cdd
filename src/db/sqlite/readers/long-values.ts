/**
 * How long values get from a reader process to the server: as they are, on a pipe of their own, behind a message with
 * all the rest. In a message they would be copied several times on either side, each time as a whole.
 */
import { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { allocateWithRoom } from '../../../spare-room.ts';
import type { Row } from '../../interface/queryable.ts';

/** The number of the pipe in the process that reads, behind the channel of messages. */
export const LONG_VALUES = 4;
/** Bytes from which a value is long: a message brings a shorter one as soon. */
const LONG = 64 * 1024;

/** A value that follows: its place, and whether its bytes stand for a text. */
interface Following {
  readonly row: number;
  readonly column: number;
  readonly bytes: number;
  readonly isText: boolean;
}

/** Rows as a message brings them. */
export interface SentRows {
  readonly rows: readonly Row[];
  /** The values that follow on the pipe, in their order: which row and column each belongs to. */
  readonly following: readonly Following[];
}

/** Rows without their long values, and these. */
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
 * Sends long values, and gives up their memory at once: the process has little else to collect, and would do so late.
 *
 * @throws Error when the server is gone.
 */
export function sendLongValues(values: readonly Buffer[]): void {
  for (const value of values) {
    for (let sent = 0; sent < value.length; ) sent += writeSync(LONG_VALUES, value, sent);
    release(value);
  }
}

/**
 * Fills in what follows on the pipe, each value in memory of its very size.
 *
 * @param done gets the rows; it is not called when the pipe ends before.
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

/** The text that bytes stand for; they are given up. */
function takeText(bytes: Buffer): string {
  const text = bytes.toString();
  release(bytes);
  return text;
}

/** Frees memory that nobody looks at any more, unless it is a part of some that is shared. */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
