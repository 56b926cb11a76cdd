/** Letters beyond ASCII as escapes. */

/** A letter that a backslash stands before: together with the escape's own it would be another text. */
const BEHIND_BACKSLASH = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/;
/** A template whose text is taken as it is written, with letters within. */
const RAW_TEMPLATE = /\braw`[^`]*[^\0-\x7f]/;

/**
 * The text of a program with escapes, which esbuild does not write in regular expressions and comments. One letter beyond
 * ASCII has V8 keep the text of a file in twice the memory, and a start read it letter by letter.
 *
 * @param file names the program in errors.
 * @throws Error where an escape would mean something else than the letter.
 */
export function withEscapes(text: string, file: string): string {
  const wrong = BEHIND_BACKSLASH.exec(text) ?? RAW_TEMPLATE.exec(text);
  if (wrong) throw new Error(`${file}: a letter beyond ASCII that cannot be escaped: ${wrong[0].slice(-80)}`);
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
