/** Name and version of this package, from its package.json. */
import { readFileSync } from 'node:fs';

/** `0.1.0`. The file lies two folders above this one, in the checkout as in the installed package. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
