/**
 * Sends one statement to the server and receives its answer. pg's own query writes five messages, each to the socket by
 * itself, and has the columns described with every execution. This one writes once, and a prepared statement is
 * described once: the server refuses to run it if its columns have changed
 * (https://www.postgresql.org/docs/current/protocol-flow.html, "Extended Query").
 */
import type { Writable } from 'node:stream';
import pg from 'pg';
import { serialize } from 'pg-protocol';
import type { SqlValue } from '../../sql/fragment.ts';
import type { Named } from './prepared.ts';

export interface Answer {
  readonly rows: unknown[][];
  /** The first word of the command tag: `COMMIT`, `ROLLBACK`, `UPDATE`. */
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

/** A request. Without a name it is parsed each time; without values, too, it may be several statements. */
export interface QueryRequest {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly named: Named | undefined;
  /** Whether long texts may be returned as bytes. */
  readonly bytes: boolean;
  /**
   * Whether it is sent together with requests of the same turn of the event loop; otherwise with those of the same
   * callback.
   */
  readonly waits: boolean;
  /** Whether it is in one batch with such requests that are sent with it: after a refused one the rest is not run. */
  readonly joins: boolean;
  /** Whether rows stay texts, with the names of their columns. */
  readonly isRaw: boolean;
}

/** The members of pg's connection that its types omit. */
interface Wire {
  readonly stream: Writable;
}

const DESCRIBE = serialize.describe({ type: 'P' });
const EXECUTE = serialize.execute({});
/** Ends a batch, or a single statement: the server sends its answers and is ready for the next. */
const SYNC = serialize.sync();

/** The messages that are about to be sent over a connection in one piece. */
class Outgoing {
  static readonly #all = new WeakMap<Writable, Outgoing>();
  readonly #stream: Writable;
  #messages: Buffer[] = [];
  /** The last statement of an unfinished batch. */
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
   * Adds messages to the next piece.
   *
   * @param waits whether it is sent in this turn of the event loop; otherwise in this callback.
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

  /** Adds a statement, to the unfinished batch if it joins it. */
  addQuery(query: Query, messages: readonly Buffer[], { joins, waits }: QueryRequest): void {
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

/** Closes a prepared statement together with the next piece, after earlier statements. */
export function dropPrepared({ stream }: Wire, name: string): void {
  Outgoing.over(stream).add([serialize.close({ type: 'S', name })]);
}

/** A value as text in the form that the server accepts for its type. */
const encoded = (value: SqlValue | undefined): string | null => ((value ?? null) === null ? null : String(value));

/**
 * One statement on its way. pg only accepts its own queries on connections that pipeline, so this has their prototype
 * (below), but does not interpret the text as they do.
 */
export class Query {
  readonly #request: QueryRequest;
  readonly #settle: (outcome: Outcome) => void;
  /** Types of the columns, by the server's catalogue. */
  #columns: readonly number[] = [];
  #fields: readonly Field[] = [];
  #rows: unknown[][] = [];
  #command = '';
  #count = 0;
  /** Whether one of several statements is complete: the answer of a text is that of its last statement. */
  #isOver = false;

  #prepares = false;
  /** Whether another statement of its batch follows: the server does not report readiness in between. */
  isFollowed = false;

  /** @param settle called once with the outcome. */
  constructor(request: QueryRequest, settle: (outcome: Outcome) => void) {
    this.#request = request;
    this.#settle = settle;
  }

  submit({ stream }: Wire): Error | null {
    // pg notices a closed stream by itself, and fails its queries
    if (stream.writable) Outgoing.over(stream).addQuery(this, this.#messages(), this.#request);
    return null;
  }

  #messages(): Buffer[] {
    const { text, values, named, joins } = this.#request;
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
    const { bytes, isRaw } = this.#request;
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
    const { named } = this.#request;
    if (named) named.columns ??= this.#columns;
    const answer = { rows: this.#rows, command: this.#command, count: this.#count };
    this.#settle({ answer: this.#request.isRaw ? { ...answer, fields: this.#fields } : answer });
  }

  handleError(error: unknown): void {
    // either preparing or running may have failed
    if (this.#prepares) this.#request.named!.state = 'unsure';
    this.#settle({ error });
  }
}

Object.setPrototypeOf(Query.prototype, pg.Query.prototype);

/** Type ids of the server's catalogue, with parsers of their texts. */
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
  // a time with the session's offset, which is UTC
  1184: (text) => Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')),
};

/**
 * Parses a column's text, which is given as bytes if it is long (`long-values.ts`).
 *
 * @param type of the column, by the server's catalogue.
 * @param bytes whether it may stay bytes.
 */
function valueFrom(sent: string | Buffer, type: number, bytes: boolean): unknown {
  const parse = PARSERS[type];
  if (!parse && bytes) return sent;
  const text = typeof sent === 'string' ? sent : sent.toString();
  return parse ? parse(text) : text;
}
