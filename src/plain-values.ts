/** Helpers for plain values, as JSON, configuration and rows of the database hold them. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object that is neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object, or one without keys in place of any other value. */
export const objectOrEmpty = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The text, or undefined for an empty one and for any other value. */
export const filledText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The number in a column that may be null. */
export const numberOrNull = (column: unknown): number | null => (column === null ? null : Number(column));

/** The text in a column that may be null. */
export const textOrNull = (column: unknown): string | null => (column === null ? null : String(column));
