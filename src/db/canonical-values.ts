/** Parts of the canonical form of values that engines share. */
import type { Misfit } from './interface/canonical-rows.ts';

const TIME = /^(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?$/;

/** A time with at least three decimals: `23:59:58.700`; any other text unchanged. */
export function canonicalTime(text: string): string {
  const match = TIME.exec(text);
  if (!match) return text;
  const [, minutes, seconds = '00', fraction = ''] = match;
  return `${minutes}:${seconds}.${fraction.replace(/0+$/, '').padEnd(3, '0')}`;
}

/** A text as a number, unless it is none or a number cannot hold it. */
export function toNumber(text: string): string | number {
  const number = Number(text);
  return text.trim() === '' || !Number.isFinite(number) ? text : number;
}

/** Whether a text is not one of Unicode characters, which no engine stores. */
export function unlikeText(text: string): Misfit | undefined {
  return text.isWellFormed() ? undefined : { reason: 'has half a character', instead: text.toWellFormed() };
}

/** JSON as it is; any other text of a JSON column, which the reference takes for a string, as a JSON string. */
export const canonicalJson = (text: string): string => (isJson(text) ? text : JSON.stringify(text));

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
