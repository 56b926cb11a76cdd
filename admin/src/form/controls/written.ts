/** What is being written into a field whose value is not a text. */
import { useState } from 'react';

/**
 * The text of a control, as it is written, for as long as its value is what the text says; else the value's own.
 *
 * @param own how the value is written.
 * @param means whether a text means the value that is there.
 */
export function useWritten(
  own: string,
  means: (text: string) => boolean,
): readonly [text: string, write: (text: string) => void] {
  const [written, setWritten] = useState(own);
  const text = written === own || means(written) ? written : own;
  return [text, setWritten];
}
