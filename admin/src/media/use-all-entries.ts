/** Selecting all entries of the library, or a range of them, whether or not they are loaded. */
import { useState } from 'react';
import { request } from '../data/client.ts';
import { allState } from '../ui/choosing.ts';
import { type OneChoice, useOnlyThere } from '../ui/list-selection.ts';
import { paramsOf, type Wanted } from './data.ts';
import { type Entries, type Entry, keyOf } from './entries.ts';

/** The maximum number of selected files. */
export const MOST_CHOSEN = 5000;

interface Props {
  readonly wanted: Wanted;
  readonly entries: Entries;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: ((chosen: ReadonlySet<string>) => void) | undefined;
  /** Undefined if the selection may span several lists: then only loaded entries can be selected. */
  readonly ask: OneChoice['ask'] | undefined;
  /** Whether entries of the previous list are still shown. */
  readonly isComing: boolean;
  readonly isChoosable: (entry: Entry) => boolean;
}

export interface AllEntries {
  /** The number of entries. */
  readonly count: number;
  /** The state of the checkbox that selects all. */
  readonly state: boolean | 'mixed';
  /** Whether the maximum number of entries is selected. */
  readonly areChosen: boolean;
  readonly choose: () => Promise<void>;
  /** Selects the loaded entries, or none. */
  readonly chooseLoaded: (isChosen: boolean) => void;
  readonly keysBetween: ((first: number, last: number) => Promise<readonly string[] | undefined>) | undefined;
}

export function useAllEntries(props: Props): AllEntries {
  const { wanted, entries, chosen, ask, isChoosable } = props;
  const onChoose = (next: ReadonlySet<string>): void => props.onChoose?.(next);
  /** The selection after selecting all. */
  const [all, setAll] = useState<ReadonlySet<string>>();
  const { count } = entries;
  const { length: folders } = entries.folders;
  const known = (first: number, last: number): readonly string[] =>
    Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => entries.at(first + place)).flatMap((entry) =>
      entry && isChoosable(entry) ? [keyOf(entry)] : [],
    );
  const isComing = ask !== undefined && props.isComing;
  useOnlyThere({ isComing, chosen, onChoose, there: () => known(0, count - 1) });
  const keyAt = (place: number): string | null | undefined => {
    const entry = entries.at(place);
    return entry === undefined ? undefined : isChoosable(entry) ? keyOf(entry) : null;
  };
  const state = allState({ count, keyAt, chosen });
  // For entries that are not loaded, it is unknown whether they can be selected.
  const isAnswer = chosen === all && known(0, count - 1).every((key) => chosen.has(key));
  const keysBetween = async (first: number, last: number): Promise<readonly string[] | undefined> => {
    const query = paramsOf(wanted);
    query.set('start', String(Math.max(0, first - folders)));
    query.set('limit', String(last - Math.max(first, folders) + 1));
    const ahead = known(first, Math.min(last, folders - 1));
    return ask?.(async (signal) => {
      const { data } = await request('GET files/ids', { query, signal });
      return [...ahead, ...data.map((id) => `file ${id}`)];
    });
  };
  return {
    count,
    state,
    areChosen: state === true || chosen.size >= MOST_CHOSEN || isAnswer,
    keysBetween: ask && keysBetween,
    chooseLoaded: (isChosen) => onChoose(new Set(isChosen ? known(0, count - 1) : [])),
    choose: async () => {
      const keys = await keysBetween(0, folders + MOST_CHOSEN - 1);
      if (!keys) return;
      const next = new Set(keys);
      setAll(next);
      onChoose(next);
    },
  };
}
