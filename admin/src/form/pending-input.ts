/**
 * Input that is not in the form yet: a password, which is put into the form only as a whole, or a uid that is being
 * generated.
 */
import { useEffect, useRef } from 'react';

/** Puts the input into the form. Returns a promise if that takes time. */
type Commit = () => Promise<void> | undefined;

const pending = new Set<Commit>();

/** Calls `commit` when the form is saved while the field still has the focus. */
export function usePendingInput(commit: Commit): void {
  const latest = useRef(commit);
  latest.current = commit;
  useEffect(() => {
    const run: Commit = () => latest.current();
    pending.add(run);
    return () => void pending.delete(run);
  }, []);
}

/** Puts all pending input into its forms, before saving or publishing. */
export async function commitPendingInput(): Promise<void> {
  await Promise.all([...pending].map((commit) => commit()));
}
