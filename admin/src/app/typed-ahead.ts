/** Text that is typed before its field has appeared. It is kept for the field and does not trigger shortcuts. */
import { useCallback, useEffect, useRef } from 'react';

/**
 * Collects typed text while a field is being opened.
 *
 * @param isOpening whether the field is being opened. Collecting ends with the first `take`.
 * @returns `take`, which returns the text and ends collecting.
 */
export function useTypedAhead(isOpening: boolean): () => string {
  const typed = useRef('');
  const stop = useRef<() => void>(undefined);
  const isTaken = useRef(false);
  useEffect(() => {
    if (!isOpening) isTaken.current = false;
    // A field that appears at once calls `take` before this effect runs.
    if (!isOpening || isTaken.current) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      event.preventDefault();
      typed.current += event.key;
    };
    addEventListener('keydown', onKey, { capture: true });
    const end = (): void => removeEventListener('keydown', onKey, { capture: true });
    stop.current = end;
    return end;
  }, [isOpening]);
  return useCallback(() => {
    isTaken.current = true;
    stop.current?.();
    const text = typed.current;
    typed.current = '';
    return text;
  }, []);
}
