/** Writes lines of the log outside of requests, in the same form as all others. */
import { countCodeLine, countLine } from './log-counts.ts';
import { type AnsweredRequest, type LoggedError, lineText, requestText } from './log-text.ts';

export type { LoggedError };

/** Further fields of a line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Replaces a message that may contain a secret. */
const WITHHELD = 'not shown, since it may contain a secret';

/** The field of an error. */
export function errorField(error: unknown): { readonly err: LoggedError } {
  if (typeof error !== 'object' || error === null) return { err: { type: typeof error, message: String(error) } };
  const { name, message, code, stack } = error as Partial<NodeJS.ErrnoException>;
  return { err: { type: name ?? 'Error', message: String(message ?? code ?? ''), code, stack } };
}

/** The name of a member of errors of project code: the error without texts that may have content. */
export const SUMMARY = Symbol('summary');

/** An error of project code without texts that may have content; undefined for other errors. */
export const summaryOf = (error: unknown): string | undefined =>
  error instanceof Error && SUMMARY in error ? String(error[SUMMARY]) : undefined;

/** The name and code of an error in a line, which reveal no content; empty without an error. */
export function errorName(err: unknown): string {
  const { type, code } = (err ?? {}) as Partial<LoggedError>;
  return [type, code].filter((part) => part !== undefined).join(' ');
}

/** An error without its message and stack, which may be secret. */
export function withheld(error: unknown): object {
  const { type, code, stack } = errorField(error).err;
  const frames = stack?.split('\n').filter((line) => /^ +at /.test(line));
  return { name: type, message: WITHHELD, code, stack: frames?.join('\n') };
}

/** Receives the lines of a project's code. */
export type CodeLog = (level: 'debug' | 'info' | 'warn' | 'error', message: string, error?: unknown) => void;

/** The project's folder if the log is text; undefined for JSON. Standard error belongs to the process. */
let textFolder: string | undefined;

/** Sets the form of the log of this process: JSON for programs, text for people. */
export function setLogFormat(format: 'json' | 'text', dir: string): void {
  textFolder = format === 'text' ? dir : undefined;
}

/** Writes a line as text. */
export function writeTextLine(level: string, message: string, fields: LogFields = {}): void {
  process.stderr.write(`${lineText(level, message, fields, textFolder ?? '')}\n`);
}

/** Writes the line of a request as text. */
export function writeRequestLine(request: AnsweredRequest): void {
  process.stderr.write(`${requestText(request)}\n`);
}

/** Writes a line of project code at once. */
export function writeCodeLine(level: 'info' | 'warn' | 'error', message: string, error?: unknown): void {
  countCodeLine(level, summaryOf(error));
  write(level, message, error === undefined ? {} : errorField(error));
}

/** Writes a line at once, also before a server has opened its log. It must not contain secrets. */
export function writeLogLine(level: 'info' | 'warn' | 'error', message: string, fields: LogFields = {}): void {
  countLine(level, message, errorName(fields['err']));
  write(level, message, fields);
}

function write(level: string, message: string, fields: LogFields): void {
  if (textFolder !== undefined) {
    writeTextLine(level, message, fields);
    return;
  }
  const line = { level, time: new Date().toISOString(), ...fields, msg: message };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
