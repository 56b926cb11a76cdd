/** Asks for a secret at the terminal, without showing what is typed. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from '../../errors.ts';

/** @throws UsageError when it is cancelled. */
export function promptForSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  return new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('SIGINT', () => reject(new UsageError('cancelled', 130)));
    lines.once('close', () => reject(new UsageError('cancelled', 130)));
  }).finally(() => {
    process.stderr.write('\n');
    lines.close();
  });
}
