/**
 * One statement as pg hands it to the server and its answer back. pg's own query writes five messages, each to the
 * socket by itself, and has the columns described and read with every execution. This one writes once, and a prepared
 * statement is described once: the server refuses to run it with other columns than those that it had
 * (https://www.postgresql.org/docs/current/protocol-flow.html, "Extended Query").
 */
import type { Writable } from 'node:stream';
import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { SqlValue } from '../../sql/fragment.ts';
import type { Named } from './prepared.ts';

export interface Answer {
  readonly rows: unknown[][];
  /** The first word of what the server did: `COMMIT`, `ROLLBACK`, `UPDATE`. */
  readonly command: string;
  /** Rows returned or changed. */
  readonly count: number;
  /** The columns of a raw statement, whose rows are texts as the server sends them. */
  readonly fields?: readonly Field[];
}

/** A column: its name, and its type by the server's catalogue. */
export interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

export type Outcome = { readonly answer: Answer } | { readonly error: unknown };

/** What is asked. Without a name it is parsed each time; without values, too, it may be several statements. */
export interface Asked {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly named: Named | undefined;
  /** Whether long texts may come as their bytes. */
  readonly bytes: boolean;
  /** Whether it is sent with others that are asked in the same turn of the event loop, and else of the same callback. */
  readonly waits: boolean;
  /** Whether it is one of a batch with those like it that are sent with it: what follows a refused one is not run. */
  readonly joins: boolean;
  /** Whether rows stay texts, with the names of their columns. */
  readonly isRaw: boolean;
}

/** The part of pg's connection that its types leave out. */
interface Wire {
  readonly stream: Writable;
}

const DESCRIBE = serialize.describe({ type: 'P' });
const EXECUTE = serialize.execute({});
/** Ends a batch, or a statement by itself: the server sends its answers, and is ready for the next. */
const SYNC = serialize.sync();

/** What is about to be sent over a connection, as one piece. */
class Outgoing {
  static readonly #all = new WeakMap<Writable, Outgoing>();
  readonly #stream: Writable;
  #messages: Buffer[] = [];
  /** The last statement of a batch that has not ended yet. */
  #last: Query | undefined;

  private constructor(stream: Writable) {
    this.#stream = stream;
  }

  static over(stream: Writable): Outgoing {
    let outgoing = Outgoing.#all.get(stream);
    if (!outgoing) {
      outgoing = new Outgoing(stream);
      Outgoing.#all.set(stream, outgoing);
    }
    return outgoing;
  }

  /**
   * Adds messages to what is sent next.
   *
   * @param waits whether that is in this turn of the event loop, and else in this callback.
   */
  add(messages: readonly Buffer[], waits = false): void {
    const isFirst = this.#messages.length === 0;
    this.#messages.push(...messages);
    if (!isFirst) return;
    const send = (): void => {
      this.#endBatch();
      const all = this.#messages;
      this.#messages = [];
      if (this.#stream.writable) this.#stream.write(all.length === 1 ? all[0] : Buffer.concat(all));
    };
    if (waits) setImmediate(send);
    else process.nextTick(send);
  }

  /** Adds a statement, to the batch that has not ended if it joins it. */
  addQuery(query: Query, messages: readonly Buffer[], { joins, waits }: Asked): void {
    if (!joins) this.#endBatch();
    else {
      if (this.#last) this.#last.isFollowed = true;
      this.#last = query;
    }
    this.add(messages, waits);
  }

  #endBatch(): void {
    if (this.#last) this.#messages.push(SYNC);
    this.#last = undefined;
  }
}

/** Ends a prepared statement along with what is sent next, and behind what was asked before. */
export function dropPrepared({ stream }: Wire, name: string): void {
  Outgoing.over(stream).add([serialize.close({ type: 'S', name })]);
}

/** Values as the text that the server takes for their types. */
const encoded = (value: SqlValue | undefined): string | null => ((value ?? null) === null ? null : String(value));

/**
 * pg takes no queries on connections that pipeline but its own, so this is one (below), without what pg's would make of the
 * text.
 */
export class Query {
  readonly #asked: Asked;
  readonly #tell: (outcome: Outcome) => void;
  /** Types of the columns, by the server's catalogue. */
  #columns: readonly number[] = [];
  #fields: readonly Field[] = [];
  #rows: unknown[][] = [];
  #command = '';
  #count = 0;
  /** Whether a statement of several is over: of those of one text the last one's answer is given. */
  #isOver = false;

  /** Whether the statement is prepared along with this. */
  #prepares = false;
  /** Whether another one of its batch was sent behind it: the server does not say that it is ready in between. */
  isFollowed = false;

  /** @param tell is told once. */
  constructor(asked: Asked, tell: (outcome: Outcome) => void) {
    this.#asked = asked;
    this.#tell = tell;
  }

  submit({ stream }: Wire): Error | null {
    // pg notices by itself, and fails what it was given
    if (stream.writable) Outgoing.over(stream).addQuery(this, this.#messages(), this.#asked);
    return null;
  }

  #messages(): Buffer[] {
    const { text, values, named, joins } = this.#asked;
    if (!named && values.length === 0 && !joins) return [serialize.query(text)];
    const run = joins ? [EXECUTE] : [EXECUTE, SYNC];
    const bind = serialize.bind({ statement: named?.name ?? '', values: values.map(encoded) });
    if (!named) return [serialize.parse({ text }), bind, DESCRIBE, ...run];
    const { name, columns, state } = named;
    if (state !== 'sent') {
      named.state = 'sent';
      this.#prepares = true;
      const close = state === 'unsure' ? [serialize.close({ type: 'S', name })] : [];
      return [...close, serialize.parse({ name, text }), bind, DESCRIBE, ...run];
    }
    if (!columns) return [bind, DESCRIBE, ...run];
    this.#columns = columns;
    return [bind, ...run];
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#begin();
    this.#fields = fields;
    this.#columns = fields.map(({ dataTypeID }) => dataTypeID);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | Buffer | null)[] }): void {
    const { bytes, isRaw } = this.#asked;
    if (isRaw) this.#rows.push(fields.map((field) => field && String(field)));
    else
      this.#rows.push(fields.map((field, n) => (field === null ? null : valueFrom(field, this.#columns[n]!, bytes))));
  }

  /** `SELECT 3`, `INSERT 0 3`, `COMMIT`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#begin();
    this.#isOver = true;
    const words = text.split(' ');
    this.#command = words[0]!;
    this.#count = words.length > 1 ? Number(words.at(-1)) || 0 : 0;
  }

  #begin(): void {
    if (this.#isOver) [this.#rows, this.#fields] = [[], []];
    this.#isOver = false;
  }

  handleReadyForQuery(): void {
    const { named } = this.#asked;
    if (named) named.columns ??= this.#columns;
    const answer = { rows: this.#rows, command: this.#command, count: this.#count };
    this.#tell({ answer: this.#asked.isRaw ? { ...answer, fields: this.#fields } : answer });
  }

  handleError(error: unknown): void {
    // it may be the preparing that failed, or what came after it
    if (this.#prepares) this.#asked.named!.state = 'unsure';
    this.#tell({ error });
  }
}

Object.setPrototypeOf(Query.prototype, pg.Query.prototype);

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
  // a time with the offset of the session, which is UTC
  1184: (text) => Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')),
};

/**
 * What a column's text becomes, which is bytes where it is long (`long-values.ts`).
 *
 * @param type of the column, by the server's catalogue.
 * @param bytes whether it may stay bytes.
 */
export function valueFrom(sent: string | Buffer, type: number, bytes: boolean): unknown {
  const parse = PARSERS[type];
  if (!parse && bytes) return sent;
  const text = typeof sent === 'string' ? sent : sent.toString();
  return parse ? parse(text) : text;
}
