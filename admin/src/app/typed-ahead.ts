/** What somebody writes into a field that is still on its way: it is kept for the field, and is no shortcut meanwhile. */
import { useCallback, useEffect, useRef } from 'react';

/**
 * Keeps what is written while something is opening.
 *
 * @param isOpening whether it is; it ends with the first `take`.
 * @returns `take`, which gives what was written and ends the keeping.
 */
export function useTypedAhead(isOpening: boolean): () => string {
  const typed = useRef('');
  const stop = useRef<() => void>(undefined);
  const isTaken = useRef(false);
  useEffect(() => {
    if (!isOpening) isTaken.current = false;
    // a field that is there at once takes before this is begun
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
