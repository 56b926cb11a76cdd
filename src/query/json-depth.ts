/** How deep a JSON text is, before it is parsed: parsing hundreds of thousands of brackets takes a while. */

const [QUOTE, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = [...'"\\[]{}'].map((c) => c.charCodeAt(0));

/** Whether a JSON text has more levels of lists and objects. Examining the text is quicker than examining its value. */
export function isDeeper(text: string, levels: number): boolean {
  let level = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === BRACKET || code === BRACE) {
      if (++level > levels) return true;
    } else if (code === BRACKET_END || code === BRACE_END) level--;
  }
  return false;
}
