/** Writes letters beyond ASCII as escapes. */

/** A letter after a backslash, which would change the meaning of its escape. */
const BEHIND_BACKSLASH = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/;
/** A raw template with letters, in which escapes are not interpreted. */
const RAW_TEMPLATE = /\braw`[^`]*[^\0-\x7f]/;

/**
 * The text of a program with escapes, which esbuild does not write in regular expressions and comments. With one letter
 * beyond ASCII, V8 needs twice the memory for the text of a file, and a start reads it letter by letter.
 *
 * @param file the name of the program, for errors.
 * @throws Error for a letter whose escape would have another meaning.
 */
export function withEscapes(text: string, file: string): string {
  const wrong = BEHIND_BACKSLASH.exec(text) ?? RAW_TEMPLATE.exec(text);
  if (wrong) throw new Error(`${file}: a letter beyond ASCII that cannot be escaped: ${wrong[0].slice(-80)}`);
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
