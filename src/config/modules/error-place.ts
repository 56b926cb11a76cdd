/** Where in a project's files an error arose, for messages about configuration. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What went wrong while a configuration file was evaluated, on one line, and where: `config/server.js:3: …`, and of an
 * error in a file that it requires `config/server.js: … (config/helpers/cors.js:12)`.
 *
 * @param stack the error's stack, in the lines of the files as they were written.
 * @param file its path, `dir` that of the project, both absolute.
 * @param shown what messages call the file.
 */
export function messageWithPlace(error: unknown, stack: string, file: string, dir: string, shown: string): string {
  const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!;
  const place = placeOf(error, stack, file, dir);
  if (place === undefined) return `${shown}: ${reason}`;
  if (place.file === file) return `${shown}:${place.line}: ${reason}`;
  return `${shown}: ${reason} (${path.relative(dir, place.file).split(path.sep).join('/')}:${place.line})`;
}

interface Place {
  readonly file: string;
  readonly line: string;
}

function placeOf(error: unknown, stack: string, file: string, dir: string): Place | undefined {
  if (!(error instanceof Error)) return undefined;
  // Node and acorn put the line of what they could not parse into the message, or in front of the stack
  const inMessage = /\(line (\d+) column \d+\)/.exec(error.message)?.[1];
  if (inMessage !== undefined) return { file, line: inMessage };
  for (const found of stack.matchAll(
    /(?:^|[\s(])(file:\/\/\/[^\s()]+?|\/[^\n()]+?|[A-Z]:\\[^\n()]+?)(?:\?[^:\n]*)?:(\d+)(?=[:)\n]|$)/gm,
  )) {
    const [, name = '', line = ''] = found;
    const place = { file: name.startsWith('file:') ? fileURLToPath(name) : name, line };
    const isOwn = place.file.startsWith(dir + path.sep) && !place.file.includes(`${path.sep}node_modules${path.sep}`);
    if (isOwn) return place;
  }
  return undefined;
}
