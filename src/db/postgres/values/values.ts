/** What the server's values become. */

/** Type ids of the server's catalogue, and how their texts become values. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : text),
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  1700: Number,
  // a wall clock in UTC, as epoch milliseconds
  1114: (text) => Date.parse(`${text.replace(' ', 'T')}Z`),
  // a time with the offset of the session, which is UTC
  1184: (text) => Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')),
};

/**
 * What a column's text becomes, which is bytes where it is long (`long-values.ts`).
 *
 * @param type of the column, by the server's catalogue.
 * @param bytes whether it may stay bytes.
 */
export function valueFrom(sent: string | Buffer, type: number, bytes: boolean): unknown {
  const parse = PARSERS[type];
  if (!parse && bytes) return sent;
  const text = typeof sent === 'string' ? sent : sent.toString();
  return parse ? parse(text) : text;
}
