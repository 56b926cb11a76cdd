/** Changes that are shown before they are answered, and can be taken back. */
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { useToasts } from '../ui/toast.tsx';

export interface Change<Input, Seen> {
  /** What shows it. */
  readonly queryKey: QueryKey;
  /** What is seen once it is made. */
  readonly apply: (seen: Seen, input: Input) => Seen;
  /** Makes it; gives what is seen now where the server answers with it. */
  readonly send: (input: Input) => Promise<Seen | undefined>;
  /** The input that takes it back, from what was seen before; undefined: it cannot be. */
  readonly reverse: (before: Seen) => Input | undefined;
  /** Says that it is made. */
  readonly done: string;
}

/**
 * A change that appears at once. It is said in a notice with "Undo" in it; a refusal puts back what was there and says
 * why.
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
      // those at a field are said there
      const words = failureText(t, error);
      show({ text: words, tone: 'danger', retry: () => run(input, isUndo) });
    },
  });
  const run = (input: Input, isUndo: boolean): void => void mutateAsync({ input, isUndo }).catch(() => {});
  return async (input) => void (await mutateAsync({ input, isUndo: false }));
}
