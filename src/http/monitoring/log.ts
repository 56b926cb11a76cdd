/**
 * The log: JSON lines on standard error, by pino, or text for people. What may be a caller's secret is never in it: no header, no body, no
 * query string, and of an error its name, message, code and stack alone.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { type HttpConfig, LOG_LEVELS, type LogLevel } from '../../config/config.ts';
import { type CodeLog, errorField, type LoggedError, writeRequestLine, writeTextLine } from '../../log-line.ts';
import { OutageLines, type OutageWriter } from './outage-lines.ts';

const STANDARD_ERROR = 2;
/** Bytes that wait for a reader of the log who does not keep up; what comes later is dropped. */
const WAITING = 16 * 1024 * 1024;
/** Bytes that are written at once; fewer wait for others, as long as FLUSH. */
const CHUNK = 8 * 1024;
/**
 * The same where several processes write to one stream: the bytes that a pipe takes whole (pipe(7), `PIPE_BUF`), so that
 * no line of one stands within a line of another.
 */
const UNDIVIDED = 4096;
const SHARED_CHUNK = 2048;
/** Milliseconds. */
const FLUSH = 200;

/** What writes lines: pino, or text. */
type Writer = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'flush'>;

/** Lines with advice that are written, each once: their number grows with roles and actions, not with requests. */
const ADVISED = 1000;

export class Log {
  readonly #level: LogLevel;
  readonly #codeLevel: LogLevel;
  readonly #worker: number | undefined;
  readonly #outages: OutageLines;
  readonly #isText: boolean;
  #logger: Writer | undefined;
  /** Writes what the project's code has to say. */
  #code: Writer | undefined;
  #flush: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #told = new Set<string>();
  readonly #advised = new Set<string>();

  /**
   * @param worker the number of this process, which every line names, where several write to one log.
   * @param isBack whether the database answers, asked when an outage may be over.
   */
  constructor(
    { logLevel, codeLogLevel, logFormat }: Pick<HttpConfig, 'logLevel' | 'codeLogLevel' | 'logFormat'>,
    worker: number | undefined,
    isBack: () => Promise<boolean>,
  ) {
    this.#level = logLevel;
    this.#codeLevel = codeLogLevel;
    this.#worker = worker;
    this.#isText = logFormat === 'text';
    this.#outages = new OutageLines(isBack);
  }

  /** Whether every request has a line. */
  get hasRequests(): boolean {
    return this.#level === 'trace' || this.#level === 'debug' || this.#level === 'info';
  }

  /**
   * Makes the writer. Code of the project that has something to say before the first request, or in a command, has it
   * made then.
   */
  open(): void {
    if (this.#level === 'silent' || this.#logger) return;
    if (this.#isText) {
      this.#logger = textWriter(this.#level);
      this.#code = textWriter(this.#codeLevel);
      return;
    }
    const chunks = this.#worker === undefined ? { minLength: CHUNK } : { minLength: SHARED_CHUNK, maxWrite: UNDIVIDED };
    const destination = pino.destination({ dest: STANDARD_ERROR, sync: false, ...chunks, maxLength: WAITING });
    this.#timer = setInterval(() => destination.flush(), FLUSH).unref();
    this.#flush = () => {
      try {
        destination.flushSync();
      } catch {
        // nobody reads it any more
      }
    };
    const options: LoggerOptions = {
      level: this.#level,
      base: this.#worker === undefined ? null : { worker: this.#worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // an error is what the lines below make of it: pino's own form has a stack always
      serializers: { err: (err) => err },
    };
    const logger = pino(options, destination);
    this.#logger = logger;
    this.#code = logger.child({}, { level: this.#codeLevel });
  }

  /** The line of an answered request: 5xx at level `error`, all others at `info`. */
  request(request: FastifyRequest, reply: FastifyReply): void {
    if (this.#isText) {
      const length = reply.getHeader('content-length');
      const bytes = length === undefined ? undefined : Number(length);
      writeRequestLine({
        method: request.method,
        path: pathOf(request),
        status: reply.statusCode,
        ms: reply.elapsedTime,
        bytes,
      });
      return;
    }
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

  /** A line that the project's code writes, or that tells of it. @param error what was thrown, if anything was. */
  code(...[level, message, error]: Parameters<CodeLog>): void {
    this.open();
    this.#code?.[level](error === undefined ? {} : errorField(error), message);
    if (level === 'error') this.#code?.flush();
  }

  /** The line of an error that no input explains: the caller sees a 500. */
  failure(request: FastifyRequest, error: Error): void {
    this.#error({ ...ofRequest(request), ...errorField(error) }, 'failure');
  }

  /**
   * The line of what the database or the disk fails at: the code and the message of the cause, without its stack. While
   * that lasts there are lines now and then, whose `more` counts the failures that have none, and one when it is over.
   */
  outage(request: FastifyRequest, status: number, cause: unknown): void {
    const err = causeOf(cause);
    const line = { ...ofRequest(request), status, err };
    this.#outages.report(`${status} ${err.code ?? err.message}`, this.#lines(line, 'outage'));
  }

  /** The line of connections that cannot be accepted. */
  unaccepted(cause: Error): void {
    const err = causeOf(cause);
    this.#outages.report(`accept ${err.code}`, this.#lines({ err }, 'a connection could not be accepted'));
  }

  #lines(line: { readonly err: object }, message: string): OutageWriter {
    return {
      failed: (more) => this.#error(more > 0 ? { ...line, more } : line, message),
      over: (failures, ms) => {
        this.#logger?.warn({ failures, ms, err: line.err }, 'outage over');
        this.#logger?.flush();
      },
    };
  }

  /** A line at level `warn` of what requests show about the project, the first time that it is met. */
  once(message: string): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#logger?.warn(message);
    this.#logger?.flush();
  }

  /** Writes the command that permits a refused action, at level `warn` and once for each role and action. */
  advise(message: string): void {
    if (this.#advised.has(message) || this.#advised.size >= ADVISED) return;
    this.#advised.add(message);
    this.#logger?.warn(message);
  }

  /** Writes what waits. */
  close(): void {
    this.#outages.close();
    clearInterval(this.#timer);
    this.#flush?.();
  }

  #error(line: object, message: string): void {
    this.#logger?.error(line, message);
    this.#logger?.flush();
  }
}

/** Writes lines as text, from a level on. */
function textWriter(least: LogLevel): Writer {
  const write = (level: LogLevel) => (fields: unknown, message?: string) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    if (typeof fields === 'string') writeTextLine(level, fields);
    else writeTextLine(level, message ?? '', fields as Record<string, unknown>);
  };
  const [debug, info, warn, error] = [write('debug'), write('info'), write('warn'), write('error')];
  return { debug, info, warn, error, flush: () => {} };
}

function ofRequest(request: FastifyRequest): { reqId: string; method: string; path: string } {
  return { reqId: request.id, method: request.method, path: pathOf(request) };
}

/**
 * What the log says about a cause. A refused connection to several addresses is an AggregateError without a message.
 */
function causeOf(cause: unknown): LoggedError {
  const { type, message, code } = errorField(cause).err;
  return { type, message: message || String(code), code };
}

/** Without the query string: it may contain tokens from e-mails. */
function pathOf({ originalUrl: url }: FastifyRequest): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
