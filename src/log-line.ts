/** Lines of the log that no request has brought about, in the form of all others. */
import { type AnsweredRequest, type LoggedError, lineText, requestText } from './log-text.ts';

export type { LoggedError };

/** What a line has besides its level, its time and what it says. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What is said in the place of a message that may contain a secret. */
const WITHHELD = 'not shown, since it may contain a secret';

/** The field of whatever was thrown. */
export function errorField(error: unknown): { readonly err: LoggedError } {
  if (typeof error !== 'object' || error === null) return { err: { type: typeof error, message: String(error) } };
  const { name, message, code, stack } = error as Partial<NodeJS.ErrnoException>;
  return { err: { type: name ?? 'Error', message: String(message ?? code ?? ''), code, stack } };
}

/** An error that says nothing of what it was about: its message, which stands in its stack as well, may be secret. */
export function withheld(error: unknown): object {
  const { type, code, stack } = errorField(error).err;
  const frames = stack?.split('\n').filter((line) => /^ +at /.test(line));
  return { name: type, message: WITHHELD, code, stack: frames?.join('\n') };
}

/** What takes the lines of a project's code. */
export type CodeLog = (level: 'debug' | 'info' | 'warn' | 'error', message: string, error?: unknown) => void;

/** The folder of the project whose log is written as text; undefined: lines are JSON. Standard error is the process's. */
let textFolder: string | undefined;

/** Has the lines of this process written in a form: JSON for programs, text for people. */
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

/**
 * Writes a line at once, whether or not a server has opened its log: code that runs beside the requests has no other way
 * to tell of a failure. What may be secret must not be in it.
 */
export function writeLogLine(level: 'info' | 'warn' | 'error', message: string, fields: LogFields = {}): void {
  if (textFolder !== undefined) {
    writeTextLine(level, message, fields);
    return;
  }
  const line = { level, time: new Date().toISOString(), ...fields, msg: message };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
