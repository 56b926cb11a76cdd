/** Objects of options as text. */
import { isJson } from './working-type.ts';

/** An object of options as JSON; undefined if the text is none. */
export function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of an object of options; empty if there are none. */
export function objectText(value: Readonly<Record<string, unknown>>): string {
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);
}
