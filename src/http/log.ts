/**
 * The log: JSON lines on standard error, by pino. What a caller may hold secret is never in it: no header, no body, no
 * query string, and of an error its name, message, code and stack alone.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { LogLevel } from '../config/config.ts';

const STANDARD_ERROR = 2;
/** Bytes that wait for a reader of the log who does not keep up; what comes later is dropped. */
const WAITING = 16 * 1024 * 1024;
/** Bytes that are written at once; fewer wait for others, as long as FLUSH. */
const CHUNK = 8 * 1024;
/** Milliseconds. */
const FLUSH = 200;

export class Log {
  readonly #level: LogLevel;
  #opened: Promise<Logger> | undefined;
  #logger: Logger | undefined;
  #flush: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(level: LogLevel) {
    this.#level = level;
  }

  /** Whether every request has a line. */
  get hasRequests(): boolean {
    return this.#level === 'trace' || this.#level === 'debug' || this.#level === 'info';
  }

  /** Loads the writer. What is logged earlier waits for it. */
  open(): Promise<Logger> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** The line of an answered request: 5xx at level `error`, all others at `info`. */
  request(request: FastifyRequest, reply: FastifyReply): void {
    const line = {
      reqId: request.id,
      method: request.method,
      path: pathOf(request),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      ip: request.ip,
    };
    if (reply.statusCode >= 500) this.#logger?.error(line, 'request');
    else this.#logger?.info(line, 'request');
  }

  /** The line of an error that is nobody's input: what its caller sees as a 500. */
  failure(request: FastifyRequest, error: Error & { readonly code?: unknown }): void {
    const { name, message, code, stack } = error;
    const line = {
      reqId: request.id,
      method: request.method,
      path: pathOf(request),
      err: { type: name, message, code, stack },
    };
    void this.open().then((logger) => {
      logger.error(line, 'failure');
      logger.flush();
    });
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    await this.#opened;
    clearInterval(this.#timer);
    this.#flush?.();
  }

  async #open(): Promise<Logger> {
    const { pino } = await import('pino');
    const destination = pino.destination({ dest: STANDARD_ERROR, sync: false, minLength: CHUNK, maxLength: WAITING });
    this.#timer = setInterval(() => destination.flush(), FLUSH).unref();
    this.#flush = () => {
      try {
        destination.flushSync();
      } catch {
        // nobody reads it any more
      }
    };
    const levelName = { level: (label: string) => ({ level: label }) };
    this.#logger = pino(
      { level: this.#level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: levelName },
      destination,
    );
    return this.#logger;
  }
}

/** Without the query string: tokens of e-mails stand in it. */
function pathOf({ url }: FastifyRequest): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
