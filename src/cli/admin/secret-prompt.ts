/** Asks for a text at the terminal, or for a secret, without showing what is typed. */
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from '../../errors.ts';

/** Asks for a text. @throws UsageError when it is cancelled. */
export function promptForText(question: string): Promise<string> {
  return nextLine(createInterface({ input: process.stdin, output: process.stderr, historySize: 0 }), question);
}

/** Asks for a text that stays unseen. @throws UsageError when it is cancelled. */
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
