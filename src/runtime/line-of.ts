/** Finds the line of a file in which a value is written, for messages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MistakeInFile } from '../errors.ts';

/**
 * A mistake with its line, by a search for its words in the text: `src/api/note/routes/note.js:3: …`.
 *
 * @param dir absolute path of the project.
 */
export function placeOfMistake(dir: string, { file, mistake }: MistakeInFile): string {
  return `${placeIn(dir, file, mistake.trail)}: ${mistake.message.split('\n', 1)[0]}`;
}

/**
 * The line of a value in a file of the project, by keys and indexes: `src/galley.ts:12`.
 *
 * @param file inside the project. @param trail the keys from the outside in; computed ones are skipped.
 */
export function placeIn(dir: string, file: string, trail: readonly (string | number)[]): string {
  try {
    const line = lineOf(readFileSync(join(dir, file), 'utf8'), trail);
    return line === undefined ? file : `${file}:${line}`;
  } catch {
    // the message without its line says more than that the file cannot be read
    return file;
  }
}

/** The line of a place in a text; the first line is 1. */
export const lineAt = (text: string, place: number): number => text.slice(0, place).split('\n').length;

/** The line to which a trail leads; undefined where nothing of it is written in the text. */
export function lineOf(source: string, trail: readonly (string | number)[]): number | undefined {
  // comments keep their length, so that positions do not change
  const text = source.replace(STRING_OR_COMMENT, (part) => (part.startsWith('/') ? part.replace(/[^\n]/g, ' ') : part));
  let place = 0;
  let isFound = false;
  for (const step of trail) {
    const next = typeof step === 'number' ? itemAt(text, place, step) : nameAt(text, place, step);
    if (next === undefined) continue;
    place = next;
    isFound = true;
  }
  return isFound ? lineAt(source, place) : undefined;
}

const STRING_OR_COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** The next position of a name: in quotes, as a key, or as the name of a declaration. */
function nameAt(text: string, from: number, name: string): number | undefined {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // any expression may follow `export default`
  const behind = name === 'default' ? '' : '(?=\\s*[:=(,}])';
  const written = new RegExp(`(['"\`])${escaped}\\1|(?<![\\w$.])${escaped}(?![\\w$])${behind}`, 'g');
  written.lastIndex = from;
  return written.exec(text)?.index;
}

/** The position of an item in the next list. */
function itemAt(text: string, from: number, index: number): number | undefined {
  const start = text.indexOf('[', from);
  if (start < 0) return undefined;
  const token = /['"`]|[[({]|[\])}]|,/g;
  token.lastIndex = start + 1;
  let depth = 0;
  let position = index;
  let at = start + 1;
  while (position > 0) {
    const found = token.exec(text);
    if (!found) return undefined;
    const [character] = found;
    if (/['"`]/.test(character)) {
      const string = new RegExp(STRING_OR_COMMENT.source, 'y');
      string.lastIndex = found.index;
      if (string.test(text)) token.lastIndex = string.lastIndex;
    } else if (/[[({]/.test(character)) depth++;
    else if (character === ',') {
      if (depth === 0) {
        position--;
        at = found.index + 1;
      }
    } else if (depth-- === 0) return undefined;
  }
  return at + /^\s*/.exec(text.slice(at))![0].length;
}
