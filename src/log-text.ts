/**
 * Formats lines of the log for people: time, level, message, and for an error the lines of the project that lead to it.
 * In colour on a terminal with colours, unless `NO_COLOR` is set.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';

/** An error in a line of the log, always in the field `err`. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string | undefined;
}

/** An answered request. */
export interface AnsweredRequest {
  readonly method: string;
  /** Without the query string, which may contain tokens. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** Bytes of the body; undefined if unknown. */
  readonly bytes: number | undefined;
}

type Style = Parameters<typeof styleText>[0];

const styled = (style: Style, text: string): string => styleText(style, text, { stream: process.stderr });

const LEVELS: Readonly<Record<string, Style>> = {
  trace: 'dim',
  debug: 'dim',
  info: 'cyan',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

/** Frames of the server and packages that are shown if none is of the project. */
const FRAMES = 5;
/** Bytes of a kilobyte and of a megabyte. */
const [KB, MB] = [1000, 1_000_000];

/** The line of an answered request: method, path, status, milliseconds, size. */
export function requestText({ method, path: target, status, ms, bytes }: AnsweredRequest): string {
  const style: Style = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  const rest = [`${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`, ...(bytes === undefined ? [] : [sizeOf(bytes)])];
  const head = `${styled('bold', method)} ${visible(target)} ${styled(style, String(status))}`;
  return `${timeNow()} ${head} ${styled('dim', rest.join(' '))}`;
}

/** Any other line. @param dir the project's folder, whose frames come first with relative paths. */
export function lineText(
  level: string,
  message: string,
  fields: Readonly<Record<string, unknown>>,
  dir: string,
): string {
  const {
    err,
    method,
    path: target,
    status,
    reqId: _id,
    ...others
  } = fields as Readonly<Record<string, unknown>> & {
    readonly err?: LoggedError;
  };
  const request = [method, target, status].filter((part) => part !== undefined).join(' ');
  const values = Object.entries(others).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const error = err && messageOf(err, message);
  const text = [request, message === error ? '' : message, ...values].filter((part) => part !== '').join(' ');
  const head = [text, error].filter((part) => part !== undefined && part !== '').join(': ');
  const first = `${timeNow()} ${styled(LEVELS[level] ?? 'reset', level.padEnd(5))} ${visible(head)}`;
  return [first, ...framesOf(err?.stack, dir).map((frame) => styled('dim', `    ${frame}`))].join('\n');
}

/** The message of an error, with its code, and its type if that is more specific than Error. */
function messageOf({ type, message, code }: LoggedError, line: string): string {
  if (message === line) return message;
  const named = type === 'Error' || type === '' ? message : `${type}: ${message}`;
  return code === undefined || named.includes(String(code)) ? named : `${named} (${code})`;
}

/** The lines of a stack: those of the project, else the first of the others. */
export function framesOf(stack: string | undefined, dir: string): string[] {
  const frames = (stack ?? '').split('\n').flatMap((line) => /^ +(at .*)$/.exec(line)?.[1] ?? []);
  const own = frames.filter((frame) => isOwn(frame, dir));
  const shown = own.length > 0 ? own : frames.slice(0, FRAMES);
  const rest = frames.length - shown.length;
  const more = rest === 0 ? [] : [`… ${rest} more outside the project`];
  return [
    ...shown.map((frame) =>
      visible(frame.replaceAll(/file:\/\/[^\s():]+/g, pathOf).replaceAll(`${dir}${path.sep}`, '')),
    ),
    ...more,
  ];
}

const pathOf = (address: string): string => {
  try {
    return fileURLToPath(address);
  } catch {
    return address;
  }
};

function isOwn(frame: string, dir: string): boolean {
  const file = frame.replaceAll(/file:\/\/[^\s():]+/g, pathOf);
  return file.includes(`${dir}${path.sep}`) && !file.includes(`${path.sep}node_modules${path.sep}`);
}

/** Text without characters that move the cursor, since it may be from a caller. Colours of the project's code stay. */
const visible = (text: string): string =>
  text.replaceAll(/\x1b(?!\[[\d;]*m)|[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g, '\ufffd');

const timeNow = (): string => styled('dim', new Date().toTimeString().slice(0, 8));

function sizeOf(bytes: number): string {
  if (bytes < KB) return `${bytes} B`;
  return bytes < MB ? `${(bytes / KB).toFixed(1)} kB` : `${(bytes / MB).toFixed(1)} MB`;
}
