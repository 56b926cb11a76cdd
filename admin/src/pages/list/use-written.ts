/** What is written into the search of a list. */
import { useEffect, useRef, useState } from 'react';

/** Milliseconds after the last letter before the server is asked. */
const RESTED = 120;

/** What is written, at once, and what is asked for, shortly after. */
export function useWritten(asked: string, ask: (q: string) => void): readonly [string, (q: string) => void] {
  const [written, setWritten] = useState(asked);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const latest = useRef(ask);
  latest.current = ask;
  // an address that is gone to by another way says what is written
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
