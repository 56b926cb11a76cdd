/** A number with its noun: `1 token`, `2,000 tokens`. @param plural the plural, unless it is the noun with an s. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : plural}`;

const LIST = new Intl.ListFormat('en-GB');

/** Words as a list in a sentence: `a`, `a and b`, `a, b and c`. */
export const listed = (words: Iterable<string>): string => LIST.format(words);
