/** Numbers that cannot be kept as they are written. */

/** A number as it is written, and as it is read again. */
export interface Rounded {
  readonly written: string;
  readonly kept: string;
}

const TEXTS = /"(?:[^"\\]|\\.)*"/g;
const NUMBERS = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** The first number of a JSON text that becomes another one; undefined where all stay what they are. */
export function roundedIn(text: string): Rounded | undefined {
  for (const [written] of text.replaceAll(TEXTS, '""').matchAll(NUMBERS)) {
    const number = Number(written);
    if (!Number.isFinite(number)) return { written, kept: 'null' };
    const kept = JSON.stringify(number);
    if (digitsOf(written) !== digitsOf(kept)) return { written, kept };
  }
  return undefined;
}

/** Digits and their place: the same for all ways to write a number. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = PARTS.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits === '') return '0';
  const bare = digits.replace(/0+$/, '');
  return `${sign}${bare} ${Number(exponent) - fraction.length + (digits.length - bare.length)}`;
}
