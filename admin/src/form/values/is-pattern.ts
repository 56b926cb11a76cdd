/** Whether a text is a regular expression that this browser can compile. */
export function isPattern(text: string): boolean {
  try {
    return new RegExp(text) !== null;
  } catch {
    return false;
  }
}
