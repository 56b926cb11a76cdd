/**
 * What is being written and is not in the form yet: a password, which counts only as a whole and is put into it when one
 * goes on, or a name that is being made from a title.
 */
import { useEffect, useRef } from 'react';

/** Puts it into the form; a promise where that takes a moment. */
type Commit = () => Promise<void> | undefined;

const pending = new Set<Commit>();

/** Has `commit` called when somebody saves without leaving the field. */
export function useUncommitted(commit: Commit): void {
  const latest = useRef(commit);
  latest.current = commit;
  useEffect(() => {
    const run: Commit = () => latest.current();
    pending.add(run);
    return () => void pending.delete(run);
  }, []);
}

/** Puts all that is being written into its form: somebody saves or publishes it. */
export async function commitWritten(): Promise<void> {
  await Promise.all([...pending].map((commit) => commit()));
}
