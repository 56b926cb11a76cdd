/** Lines of the log that no request has brought about: JSON on standard error, in the form of all others. */

/** What a line has besides its level, its time and what it says. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Writes a line at once, whether or not a server has opened its log: code that runs beside the requests has no other way
 * to tell of a failure. What may be secret must not be in it.
 */
export function writeLogLine(level: 'info' | 'warn' | 'error', message: string, fields: LogFields = {}): void {
  const line = { level, time: new Date().toISOString(), ...fields, msg: message };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
