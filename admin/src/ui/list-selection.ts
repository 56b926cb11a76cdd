/**
 * The selection of one list. It is cleared when another list is shown, so that all selected entries belong to the
 * visible list.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { useToasts } from './toast.tsx';

export interface OneChoice {
  readonly chosen: ReadonlySet<string>;
  /** Does nothing once another list is shown. */
  readonly choose: (chosen: ReadonlySet<string>) => void;
  readonly isAsking: boolean;
  /**
   * Requests the keys to select. Undefined if the request fails, which a notice reports, or if the answer is outdated:
   * another list is shown, or the selection was cleared.
   */
  readonly ask: (request: Request) => Promise<readonly string[] | undefined>;
}

type Request = (signal: AbortSignal) => Promise<readonly string[]>;

const NONE: ReadonlySet<string> = new Set();

/** @param list names the shown list. */
export function useOneChoice(list: string): OneChoice {
  const t = useText();
  const { show } = useToasts();
  const [{ of, chosen }, setChosen] = useState({ of: list, chosen: NONE });
  const [running, setAsking] = useState(0);
  const current = useRef(list);
  current.current = list;
  const controllers = useRef(new Set<AbortController>());
  const callOff = (): void => {
    for (const controller of controllers.current) controller.abort();
  };
  // The selection is not restored with the list.
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
    isAsking: running > 0,
    ask: async (request) => {
      const controller = new AbortController();
      const { signal } = controller;
      controllers.current.add(controller);
      setAsking((count) => count + 1);
      try {
        const keys = await request(signal);
        return signal.aborted ? undefined : keys;
      } catch (error) {
        if (!signal.aborted) show({ text: failureText(t, error), tone: 'danger' });
        return undefined;
      } finally {
        controllers.current.delete(controller);
        setAsking((count) => count - 1);
      }
    },
  };
}

interface Coming {
  /** Whether rows of the previous list are still shown. */
  readonly isComing: boolean;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  /** The loaded keys of the list. */
  readonly there: () => Iterable<string>;
}

/** Once a list is loaded, removes the selected keys of placeholder rows that are not in it. */
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
