/** Changes that appear before the server answers, and that can be undone. */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { useToasts } from '../ui/toast.tsx';

export interface Change<Input, Seen> {
  /** The query whose data changes. */
  readonly queryKey: QueryKey;
  /** Returns the data as it is after the change. */
  readonly apply: (seen: Seen, input: Input) => Seen;
  /** Sends the change. Returns the new data if the server answers with it. */
  readonly send: (input: Input) => Promise<Seen | undefined>;
  /** Returns the input that undoes the change; undefined if it cannot be undone. */
  readonly reverse: (before: Seen) => Input | undefined;
  /** The text of the notice. */
  readonly done: string;
}

/**
 * Makes a change that appears at once. A notice offers "Undo". If the server refuses the change, the old data returns
 * and a notice says why.
 */
export function useChange<Input, Seen>(change: Change<Input, Seen>): (input: Input) => Promise<void> {
  const client = useQueryClient();
  const { show } = useToasts();
  const t = useText();
  const { mutateAsync } = useMutation({
    mutationFn: ({ input }: { readonly input: Input; readonly isUndo: boolean }) => change.send(input),
    onMutate: async ({ input }) => {
      await client.cancelQueries({ queryKey: change.queryKey });
      const before = client.getQueryData<Seen>(change.queryKey);
      if (before !== undefined) client.setQueryData(change.queryKey, change.apply(before, input));
      return { before };
    },
    onSuccess: (now, { isUndo }, { before }) => {
      if (now !== undefined) client.setQueryData(change.queryKey, now);
      else void client.invalidateQueries({ queryKey: change.queryKey });
      const back = before === undefined ? undefined : change.reverse(before);
      if (isUndo) show({ text: t('undone') });
      else if (back === undefined) show({ text: change.done });
      else show({ text: change.done, undo: () => run(back, true) });
    },
    onError: (error, { input, isUndo }, context) => {
      if (context) client.setQueryData(change.queryKey, context.before);
      // The form shows errors of fields.
      const words = failureText(t, error);
      show({ text: words, tone: 'danger', retry: () => run(input, isUndo) });
    },
  });
  const run = (input: Input, isUndo: boolean): void => void mutateAsync({ input, isUndo }).catch(() => {});
  return async (input) => void (await mutateAsync({ input, isUndo: false }));
}
