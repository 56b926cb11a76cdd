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
import { valueFrom } from './values/values.ts';

export interface Answer {
  readonly rows: unknown[][];
  /** The first word of what the server did: `COMMIT`, `ROLLBACK`, `UPDATE`. */
  readonly command: string;
  /** Rows returned or changed. */
  readonly count: number;
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
}

/** The part of pg's connection that its types leave out. */
interface Wire {
  readonly stream: Writable;
}

const DESCRIBE = serialize.describe({ type: 'P' });
const EXECUTE = serialize.execute({});
/** Ends a batch, or a statement by itself: the server sends its answers, and is ready for the next. */
const SYNC = serialize.sync();

/** The last statement of a batch that has not ended yet, by the connection that it is written to. */
const unended = new WeakMap<Writable, Query>();

/** Values as the text that the server takes for their types. */
const encoded = (value: SqlValue | undefined): string | null => ((value ?? null) === null ? null : String(value));

/** pg takes no queries on connections that pipeline but its own. */
export class Query extends pg.Query {
  readonly #asked: Asked;
  readonly #tell: (outcome: Outcome) => void;
  /** Types of the columns, by the server's catalogue. */
  #columns: readonly number[] = [];
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
    // without its name: what is prepared is known to `Prepared` alone
    super({ text: asked.text });
    this.#asked = asked;
    this.#tell = tell;
  }

  override submit = (connection: unknown): Error | null => {
    const { stream } = connection as Wire;
    // pg notices by itself, and fails what it was given
    if (stream.writable) {
      this.#gather(stream);
      const before = unended.get(stream);
      if (this.#asked.joins) {
        if (before) before.isFollowed = true;
        unended.set(stream, this);
      } else endBatch(stream);
      stream.write(this.#messages());
    }
    return null;
  };

  /** Has what is written to a connection from now on sent as one. */
  #gather(stream: Writable): void {
    if (stream.writableCorked > 0) return;
    stream.cork();
    const send = (): void => {
      endBatch(stream);
      stream.uncork();
    };
    if (this.#asked.waits) setImmediate(send);
    else process.nextTick(send);
  }

  #messages(): Buffer {
    const { text, values, named, joins } = this.#asked;
    if (!named && values.length === 0 && !joins) return serialize.query(text);
    const run = joins ? [EXECUTE] : [EXECUTE, SYNC];
    const bind = serialize.bind({ statement: named?.name ?? '', values: values.map(encoded) });
    if (!named) return Buffer.concat([serialize.parse({ text }), bind, DESCRIBE, ...run]);
    const { name, columns, state } = named;
    if (state !== 'sent') {
      named.state = 'sent';
      this.#prepares = true;
      const close = state === 'unsure' ? [serialize.close({ type: 'S', name })] : [];
      return Buffer.concat([...close, serialize.parse({ name, text }), bind, DESCRIBE, ...run]);
    }
    if (!columns) return Buffer.concat([bind, DESCRIBE, ...run]);
    this.#columns = columns;
    return Buffer.concat([bind, ...run]);
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly dataTypeID: number }[] }): void {
    this.#begin();
    this.#columns = fields.map(({ dataTypeID }) => dataTypeID);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | Buffer | null)[] }): void {
    const { bytes } = this.#asked;
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
    if (this.#isOver) this.#rows = [];
    this.#isOver = false;
  }

  handleReadyForQuery(): void {
    const { named } = this.#asked;
    if (named) named.columns ??= this.#columns;
    this.#tell({ answer: { rows: this.#rows, command: this.#command, count: this.#count } });
  }

  handleError(error: unknown): void {
    // it may be the preparing that failed, or what came after it
    if (this.#prepares) this.#asked.named!.state = 'unsure';
    this.#tell({ error });
  }
}

function endBatch(stream: Writable): void {
  if (unended.delete(stream)) stream.write(SYNC);
}
