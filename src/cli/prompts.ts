/** Questions to the user: texts and secrets at the terminal, and new passwords, which are never arguments. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { hashPassword } from '../content/validation/password-hashing.ts';
import { UsageError } from '../errors.ts';
import { weakness } from '../users/administrators/administrator-bodies.ts';
import type { Surroundings } from './command.ts';

/** Asks for a text at the terminal. @throws UsageError if the user cancels. */
export function promptForText(question: string): Promise<string> {
  return nextLine(createInterface({ input: process.stdin, output: process.stderr, historySize: 0 }), question);
}

/** Asks for a text without showing it. @throws UsageError if the user cancels. */
export function promptForSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  return nextLine(lines, '').finally(() => void process.stderr.write('\n'));
}

function nextLine(lines: Interface, question: string): Promise<string> {
  lines.setPrompt(question);
  lines.prompt();
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('SIGINT', () => reject(new UsageError('cancelled', 130)));
    lines.once('close', () => reject(new UsageError('cancelled', 130)));
  }).finally(() => lines.close());
}

/**
 * Reads a new password, twice at a terminal or once from standard input, and returns its bcrypt hash.
 *
 * @throws UsageError for an empty or weak password, and for two that differ.
 */
export async function askForPassword({ input, askSecret }: Surroundings): Promise<string> {
  const password = askSecret ? await askTwice(askSecret) : ((await input?.()) ?? '').replace(/\r?\n$/, '');
  if (password === '') throw new UsageError('no password: type one, or send it to standard input');
  const lack = /\p{Cc}/u.test(password) ? 'must be one line' : weakness(password)?.said;
  if (lack !== undefined) throw new UsageError(`the password ${lack}`);
  return hashPassword(password);
}

async function askTwice(ask: NonNullable<Surroundings['askSecret']>): Promise<string> {
  const password = await ask('Password: ');
  if ((await ask('Again: ')) !== password) throw new UsageError('the two passwords differ');
  return password;
}
