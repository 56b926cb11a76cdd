/** Input that cannot be parsed as a value of its type yet. It is stored on the device and not sent. */
import { isValues } from './model.ts';

const TEXT = '__unparsed';
const PLACE = '__at';

/** The position of a syntax error, counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Takes the place of a value. It survives being stored as JSON. */
export interface Unparsed {
  readonly [TEXT]: string;
  readonly [PLACE]?: TextPlace;
}

export function unparsed(text: string, place?: TextPlace): Unparsed {
  return { [TEXT]: text, ...(place && { [PLACE]: place }) };
}

/** The position of the syntax error, if it is known. */
export function unparsedPlace(value: unknown): TextPlace | undefined {
  return unparsedText(value) === undefined ? undefined : (value as Unparsed)[PLACE];
}

/** The text of unparsed input; undefined for any other value. */
export function unparsedText(value: unknown): string | undefined {
  if (!isValues(value) || typeof value[TEXT] !== 'string') return undefined;
  return Object.keys(value).every((key) => key === TEXT || key === PLACE) ? value[TEXT] : undefined;
}
