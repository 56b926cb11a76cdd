/** A text on one line, as headers of mails and logs need it: no control character makes another line of it. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
