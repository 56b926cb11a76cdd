/** What was written and cannot be read as a value of its type yet: kept as it is, and not sent. */
import { isValues } from './model.ts';

const TEXT = '__unparsed';
const PLACE = '__at';

/** Where a text cannot be read on, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Stands in the place of a value. It survives being kept as JSON. */
export interface Unparsed {
  readonly [TEXT]: string;
  readonly [PLACE]?: TextPlace;
}

export function unparsed(text: string, place?: TextPlace): Unparsed {
  return { [TEXT]: text, ...(place && { [PLACE]: place }) };
}

/** The first place that could not be read, where it is known. */
export function unparsedPlace(value: unknown): TextPlace | undefined {
  return unparsedText(value) === undefined ? undefined : (value as Unparsed)[PLACE];
}

/** The text that was written, where it could not be read; else undefined. */
export function unparsedText(value: unknown): string | undefined {
  if (!isValues(value) || typeof value[TEXT] !== 'string') return undefined;
  return Object.keys(value).every((key) => key === TEXT || key === PLACE) ? value[TEXT] : undefined;
}
