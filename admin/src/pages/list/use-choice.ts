/** Which documents of a list are chosen: those in sight, or all that it has. */
import { useState } from 'react';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { useToasts } from '../../ui/toast.tsx';

/** Documents that can be chosen at once. */
export const MOST_CHOSEN = 10_000;

export interface Choice {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (chosen: ReadonlySet<string>) => void;
  /** Chooses all that the list has, as far as that can be. */
  readonly chooseAll: () => Promise<void>;
  readonly isAsking: boolean;
  /** Those between two places; undefined where nobody could be asked. */
  readonly idsBetween: (first: number, last: number) => Promise<readonly string[] | undefined>;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * @param asked the query string of the list.
 * @param seen names what is seen of it: another list, or page, begins with nothing chosen.
 */
export function useChoice(uid: string, asked: string, seen: string): Choice {
  const t = useText();
  const { show } = useToasts();
  const [{ of, chosen }, setChosen] = useState({ of: seen, chosen: NONE });
  const [isAsking, setAsking] = useState(false);
  const choose = (next: ReadonlySet<string>): void => setChosen({ of: seen, chosen: next });
  const idsBetween = async (first: number, last: number): Promise<readonly string[] | undefined> => {
    const query = new URLSearchParams(asked);
    query.set('pagination[start]', String(first));
    query.set('pagination[limit]', String(last - first + 1));
    setAsking(true);
    try {
      return (await request('GET content/:uid/ids', { params: { uid }, query })).data;
    } catch (error) {
      show({ text: failureText(t, error), tone: 'danger' });
      return undefined;
    } finally {
      setAsking(false);
    }
  };
  return {
    chosen: of === seen ? chosen : NONE,
    choose,
    isAsking,
    idsBetween,
    chooseAll: async () => {
      const ids = await idsBetween(0, MOST_CHOSEN - 1);
      // what is seen by then may be another list
      if (ids) setChosen((now) => (now.of === seen ? { of: seen, chosen: new Set(ids) } : now));
    },
  };
}
