/**
 * The log: JSON lines on standard error, by pino, or text for people. It never contains secrets of callers: no headers,
 * bodies or query strings, and of an error only its name, message, code and stack.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { type HttpConfig, LOG_LEVELS, type LogLevel } from '../../config/config.ts';
import type { ContentError } from '../../errors.ts';
import { countCodeLine, countLine, countRefusal } from '../../log-counts.ts';
import {
  type CodeLog,
  errorField,
  errorName,
  type LoggedError,
  summaryOf,
  writeRequestLine,
  writeTextLine,
} from '../../log-line.ts';
import { OutageLines, type OutageWriter } from './outage-lines.ts';
import { type KnownNames, pathShape } from './request-shape.ts';

const STANDARD_ERROR = 2;
/** Bytes that wait for a slow reader of the log; later lines are dropped. */
const WAITING = 16 * 1024 * 1024;
/** Bytes that are written together; fewer wait for up to FLUSH. */
const CHUNK = 8 * 1024;
/**
 * The same where several processes write to one stream: the size that a pipe writes atomically (pipe(7), `PIPE_BUF`),
 * so that lines do not mix.
 */
const UNDIVIDED = 4096;
const SHARED_CHUNK = 2048;
/** Milliseconds. */
const FLUSH = 200;

/** A writer of lines: pino, or text. */
type Writer = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'flush'>;

/** The most lines with advice, each written once: their number grows with roles and actions, not with requests. */
const ADVISED = 1000;

export class Log {
  readonly #level: LogLevel;
  readonly #codeLevel: LogLevel;
  readonly #worker: number | undefined;
  readonly #outages: OutageLines;
  readonly #isText: boolean;
  readonly #names: KnownNames;
  #logger: Writer | undefined;
  /** Writes lines of project code. */
  #code: Writer | undefined;
  #flush: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #logged = new Set<string>();
  readonly #advised = new Set<string>();

  /**
   * @param names of the project, which counted lines may contain.
   * @param worker the number of this process, in every line, where several processes write to one log.
   * @param isBack whether the database answers, called when an outage may be over.
   */
  constructor(
    { logLevel, codeLogLevel, logFormat }: Pick<HttpConfig, 'logLevel' | 'codeLogLevel' | 'logFormat'>,
    names: KnownNames,
    worker: number | undefined,
    isBack: () => Promise<boolean>,
  ) {
    this.#level = logLevel;
    this.#codeLevel = codeLogLevel;
    this.#names = names;
    this.#worker = worker;
    this.#isText = logFormat === 'text';
    this.#outages = new OutageLines(isBack);
  }

  /** Whether every request has a line. */
  get hasRequests(): boolean {
    return this.#level === 'trace' || this.#level === 'debug' || this.#level === 'info';
  }

  /** Creates the writer. Project code may need it before the first request, or in a command. */
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
        // the log has no reader any more
      }
    };
    const options: LoggerOptions = {
      level: this.#level,
      base: this.#worker === undefined ? null : { worker: this.#worker },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // the functions below format errors: pino's own format always has a stack
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

  /** A line of project code, or about it. @param error the thrown error, if any. */
  code(...[level, message, error]: Parameters<CodeLog>): void {
    this.open();
    if (level === 'warn' || level === 'error') countCodeLine(level, summaryOf(error));
    this.#code?.[level](error === undefined ? {} : errorField(error), message);
    if (level === 'error') this.#code?.flush();
  }

  /** The line of an internal error: the caller gets a 500. */
  failure(request: FastifyRequest, error: Error): void {
    this.#error({ ...ofRequest(request), ...errorField(error) }, 'failure', summaryOf(error));
  }

  /**
   * The line of a failure of the database or the disk: the code and message of its cause, without a stack. During an
   * outage lines become rare, with the number of further failures in `more`, and one line reports its end.
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
        countLine('warn', 'outage over');
        this.#logger?.warn({ failures, ms, err: line.err }, 'outage over');
        this.#logger?.flush();
      },
    };
  }

  /** Writes the parts of a refusal that its client does not get. */
  explain({ logged, advice }: Pick<ContentError, 'logged' | 'advice'>): void {
    if (logged !== undefined) this.#once(logged);
    if (advice !== undefined) this.#advise(advice);
  }

  /** A line at level `warn` about a problem of the project that requests show, written once. */
  #once(message: string): void {
    if (this.#logged.has(message)) return;
    this.#logged.add(message);
    countLine('warn', message);
    this.#logger?.warn(message);
    this.#logger?.flush();
  }

  /** Writes the command that permits a refused action, at level `warn` and once for each role and action. */
  #advise(message: string): void {
    if (this.#advised.has(message) || this.#advised.size >= ADVISED) return;
    this.#advised.add(message);
    countRefusal(message);
    this.#logger?.warn(message);
  }

  /** Writes waiting lines. */
  close(): void {
    this.#outages.close();
    clearInterval(this.#timer);
    this.#flush?.();
  }

  /** @param summary of an error of project code. */
  #error(line: ErrorLine, message: string, summary = errorName(line.err)): void {
    const place = line.path === undefined ? '' : ` at ${line.method} ${pathShape(line.path, this.#names)}`;
    countLine('error', message, `${summary}${place}`);
    this.#logger?.error(line, message);
    this.#logger?.flush();
  }
}

/** The fields of a line about an error. */
interface ErrorLine {
  readonly err: unknown;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly more?: number;
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

/** The text of a cause. A refused connection to several addresses is an AggregateError without a message. */
function causeOf(cause: unknown): LoggedError {
  const { type, message, code } = errorField(cause).err;
  return { type, message: message || String(code), code };
}

/** The path without the query string, which may contain tokens of e-mails. */
function pathOf({ originalUrl: url }: FastifyRequest): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
