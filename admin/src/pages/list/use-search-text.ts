/** The text in the search field of a list. */
import { useEffect, useRef, useState } from 'react';

/** The pause in typing, in milliseconds, after which the server is searched. */
const RESTED = 120;

/** The text in the field; it is sent after a pause. */
export function useWritten(search: string, ask: (q: string) => void): readonly [string, (q: string) => void] {
  const [written, setWritten] = useState(search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const latest = useRef(ask);
  latest.current = ask;
  // If the address changes in another way, the field shows its text.
  const sent = useRef(search);
  useEffect(() => {
    if (sent.current === search) return;
    sent.current = search;
    clearTimeout(timer.current);
    setWritten(search);
  }, [search]);
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
