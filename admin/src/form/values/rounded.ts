/** Numbers that lose precision. */

/** A number as it was typed, and as it is stored. */
export interface Rounded {
  readonly written: string;
  readonly stored: string;
}

const TEXTS = /"(?:[^"\\]|\\.)*"/g;
const NUMBERS = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** The first number of a JSON text that would change; undefined if none would. */
export function roundedIn(text: string): Rounded | undefined {
  for (const [written] of text.replaceAll(TEXTS, '""').matchAll(NUMBERS)) {
    const number = Number(written);
    if (!Number.isFinite(number)) return { written, stored: 'null' };
    const stored = JSON.stringify(number);
    if (digitsOf(written) !== digitsOf(stored)) return { written, stored: stored };
  }
  return undefined;
}

/** The digits and the exponent, which are equal for all notations of a number. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = PARTS.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '0';
  const bare = digits.replace(/0+$/, '');
  return `${sign}${bare} ${Number(exponent) - fraction.length + (digits.length - bare.length)}`;
}
