/** What is being written and counts only as a whole, such as a password: it is put into the form when one goes on. */
import { useEffect, useRef } from 'react';

const pending = new Set<() => void>();

/** Has `commit` called when somebody saves without leaving the field. */
export function useUncommitted(commit: () => void): void {
  const latest = useRef(commit);
  latest.current = commit;
  useEffect(() => {
    const run = (): void => latest.current();
    pending.add(run);
    return () => void pending.delete(run);
  }, []);
}

/** Puts all that is being written into its form: somebody saves or publishes it. */
export function commitWritten(): void {
  for (const commit of pending) commit();
}
