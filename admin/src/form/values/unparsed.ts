/** What was written and cannot be read as a value of its type yet: kept as it is, and not sent. */
import { isValues } from './model.ts';

const TEXT = '__unparsed';

/** Stands in the place of a value. It survives being kept as JSON. */
export interface Unparsed {
  readonly [TEXT]: string;
}

export function unparsed(text: string): Unparsed {
  return { [TEXT]: text };
}

/** The text that was written, where it could not be read; else undefined. */
export function unparsedText(value: unknown): string | undefined {
  if (!isValues(value) || typeof value[TEXT] !== 'string') return undefined;
  return Object.keys(value).length === 1 ? value[TEXT] : undefined;
}
