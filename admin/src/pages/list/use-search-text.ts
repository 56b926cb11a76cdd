/** The text in the search field of a list. */
import { useEffect, useRef, useState } from 'react';

/** The pause in typing, in milliseconds, after which the server is searched. */
const RESTED = 120;

/** The text in the field; it is sent after a pause. */
export function useWritten(asked: string, ask: (q: string) => void): readonly [string, (q: string) => void] {
  const [written, setWritten] = useState(asked);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const latest = useRef(ask);
  latest.current = ask;
  // If the address changes in another way, the field shows its text.
  const sent = useRef(asked);
  useEffect(() => {
    if (sent.current === asked) return;
    sent.current = asked;
    clearTimeout(timer.current);
    setWritten(asked);
  }, [asked]);
  const write = (next: string): void => {
    setWritten(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = next;
      latest.current(next);
    }, RESTED);
  };
  return [written, write];
}
