/**
 * What is chosen of one list. Another list begins with nothing chosen: what is chosen can always be seen where it is
 * changed or deleted.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { useToasts } from './toast.tsx';

export interface OneChoice {
  readonly chosen: ReadonlySet<string>;
  /** Does nothing once another list is there. */
  readonly choose: (chosen: ReadonlySet<string>) => void;
  readonly isAsking: boolean;
  /**
   * Asks for what is to be chosen. Undefined where that fails, which it has told, and where the answer has come too late:
   * another list is there, or everything was let go of since.
   */
  readonly ask: (request: Request) => Promise<readonly string[] | undefined>;
}

type Request = (signal: AbortSignal) => Promise<readonly string[]>;

const NONE: ReadonlySet<string> = new Set();

/** @param list names the list that is there. */
export function useOneChoice(list: string): OneChoice {
  const t = useText();
  const { show } = useToasts();
  const [{ of, chosen }, setChosen] = useState({ of: list, chosen: NONE });
  const [asking, setAsking] = useState(0);
  const current = useRef(list);
  current.current = list;
  const asked = useRef(new Set<AbortController>());
  const callOff = (): void => {
    for (const controller of asked.current) controller.abort();
  };
  // whoever comes back to a list does not know any more what they had chosen there
  if (of !== list) setChosen({ of: list, chosen: NONE });
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each list
  useLayoutEffect(() => callOff, [list]);
  return {
    chosen: of === list ? chosen : NONE,
    choose: (next) => {
      if (current.current !== list) return;
      if (next.size === 0) callOff();
      setChosen({ of: list, chosen: next });
    },
    isAsking: asking > 0,
    ask: async (request) => {
      const controller = new AbortController();
      const { signal } = controller;
      asked.current.add(controller);
      setAsking((count) => count + 1);
      try {
        const keys = await request(signal);
        return signal.aborted ? undefined : keys;
      } catch (error) {
        if (!signal.aborted) show({ text: failureText(t, error), tone: 'danger' });
        return undefined;
      } finally {
        asked.current.delete(controller);
        setAsking((count) => count - 1);
      }
    },
  };
}

interface Coming {
  /** Whether rows that were seen before stand in the place of the list. */
  readonly isComing: boolean;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  /** What has come of the list. */
  readonly there: () => Iterable<string>;
}

/** Once a list has come, lets go of what was chosen among the rows in its place and is not in it. */
export function useOnlyThere({ isComing, chosen, onChoose, there }: Coming): void {
  const wasComing = useRef(false);
  useEffect(() => {
    if (wasComing.current && !isComing && chosen.size > 0) {
      const have = new Set(there());
      onChoose(new Set([...chosen].filter((key) => have.has(key))));
    }
    wasComing.current = isComing;
  });
}
