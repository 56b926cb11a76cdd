/** Choosing all that a list of the library has, or all between two of its places, whether or not it has come. */
import { useState } from 'react';
import { request } from '../data/client.ts';
import { useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { useToasts } from '../ui/toast.tsx';
import { paramsOf, type Wanted } from './data.ts';
import { type Entries, type Entry, keyOf } from './entries.ts';

/** Files that can be chosen at once. */
export const MOST_CHOSEN = 5000;

interface Props {
  readonly wanted: Wanted;
  readonly entries: Entries;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: ((chosen: ReadonlySet<string>) => void) | undefined;
  readonly isChoosable: (entry: Entry) => boolean;
}

export interface AllEntries {
  /** How many there are. */
  readonly count: number;
  /** Whether as many are chosen as can be. */
  readonly areChosen: boolean;
  readonly choose: () => Promise<void>;
  /** Chooses those that have come, or none. */
  readonly chooseLoaded: (isChosen: boolean) => void;
  readonly isAsking: boolean;
  readonly keysBetween: (first: number, last: number) => Promise<readonly string[] | undefined>;
}

export function useAllEntries({ wanted, entries, chosen, onChoose, isChoosable }: Props): AllEntries {
  const t = useText();
  const { show } = useToasts();
  const [isAsking, setAsking] = useState(false);
  /** What was chosen as all. */
  const [all, setAll] = useState<ReadonlySet<string>>();
  const { count } = entries;
  const { length: folders } = entries.folders;
  const known = (first: number, last: number): readonly string[] =>
    Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => entries.at(first + place)).flatMap((entry) =>
      entry && isChoosable(entry) ? [keyOf(entry)] : [],
    );
  const keysBetween = async (first: number, last: number): Promise<readonly string[] | undefined> => {
    const query = paramsOf(wanted);
    query.set('start', String(Math.max(0, first - folders)));
    query.set('limit', String(last - Math.max(first, folders) + 1));
    setAsking(true);
    try {
      const { data } = await request('GET files/ids', { query });
      return [...known(first, Math.min(last, folders - 1)), ...data.map((id) => `file ${id}`)];
    } catch (error) {
      show({ text: failureText(t, error), tone: 'danger' });
      return undefined;
    } finally {
      setAsking(false);
    }
  };
  return {
    count,
    areChosen: chosen === all || chosen.size >= Math.min(count, MOST_CHOSEN),
    isAsking,
    keysBetween,
    chooseLoaded: (isChosen) => onChoose?.(new Set(isChosen ? known(0, count - 1) : [])),
    choose: async () => {
      const keys = await keysBetween(0, folders + MOST_CHOSEN - 1);
      if (!keys) return;
      const next = new Set(keys);
      setAll(next);
      onChoose?.(next);
    },
  };
}
