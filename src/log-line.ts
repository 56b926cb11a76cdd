/** Lines of the log that no request has brought about: JSON on standard error, in the form of all others. */

/** What a line has besides its level, its time and what it says. */
export type LogFields = Readonly<Record<string, unknown>>;

/** An error in a line of the log, always in the field `err`. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string | undefined;
}

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

/**
 * Writes a line at once, whether or not a server has opened its log: code that runs beside the requests has no other way
 * to tell of a failure. What may be secret must not be in it.
 */
export function writeLogLine(level: 'info' | 'warn' | 'error', message: string, fields: LogFields = {}): void {
  const line = { level, time: new Date().toISOString(), ...fields, msg: message };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
