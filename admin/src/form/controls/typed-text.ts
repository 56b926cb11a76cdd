/** The text in a control whose value is not a text. */
import { useState } from 'react';

/**
 * The text of a control: as typed while it stands for the value, otherwise the value's own.
 *
 * @param own the text of the value.
 * @param means returns whether a text stands for the value.
 */
export function useTypedText(
  own: string,
  means: (text: string) => boolean,
): readonly [text: string, write: (text: string) => void] {
  const [typed, setTyped] = useState(own);
  const text = typed === own || means(typed) ? typed : own;
  return [text, setTyped];
}
