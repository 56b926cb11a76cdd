/** A password for a command: typed at a terminal, unseen and twice, or read from standard input; never an argument. */
import { hashPassword } from '../../content/validation/password-hashing.ts';
import { UsageError } from '../../errors.ts';
import { weakness } from '../../users/administrators/administrator-bodies.ts';
import type { Surroundings } from '../command.ts';

/**
 * The bcrypt hash of a new password.
 *
 * @throws UsageError for none, one that is too weak, and two that differ.
 */
export async function askForPassword({ input, askSecret }: Surroundings): Promise<string> {
  const password = askSecret ? await askTwice(askSecret) : ((await input?.()) ?? '').replace(/\r?\n$/, '');
  if (password === '') throw new UsageError('no password: type it, or send it to standard input');
  const lack = /\p{Cc}/u.test(password) ? 'must be one line' : weakness(password);
  if (lack !== undefined) throw new UsageError(`the password ${lack}`);
  return hashPassword(password);
}

async function askTwice(ask: NonNullable<Surroundings['askSecret']>): Promise<string> {
  const password = await ask('Password: ');
  if ((await ask('Again: ')) !== password) throw new UsageError('the two passwords differ');
  return password;
}
