/** The selection of a list: visible documents, or all. */
import { request } from '../../data/client.ts';
import { type OneChoice, useOneChoice } from '../../ui/list-selection.ts';

/** The maximum number of selected documents. */
export const MOST_CHOSEN = 10_000;

export interface Choice extends Omit<OneChoice, 'ask'> {
  /** Selects all documents of the list, up to the maximum. */
  readonly chooseAll: () => Promise<void>;
  /** The ids between two indexes; undefined if the answer is outdated. */
  readonly idsBetween: (first: number, last: number) => Promise<readonly string[] | undefined>;
}

/**
 * @param search the query string of the list.
 * @param seen names the visible list and page: the selection is cleared when it changes.
 */
export function useChoice(uid: string, search: string, seen: string): Choice {
  const { ask, ...choice } = useOneChoice(seen);
  const idsBetween = (first: number, last: number): Promise<readonly string[] | undefined> => {
    const query = new URLSearchParams(search);
    query.set('pagination[start]', String(first));
    query.set('pagination[limit]', String(last - first + 1));
    return ask(async (signal) => (await request('GET content/:uid/ids', { params: { uid }, query, signal })).data);
  };
  return {
    ...choice,
    idsBetween,
    chooseAll: async () => {
      const ids = await idsBetween(0, MOST_CHOSEN - 1);
      if (ids) choice.choose(new Set(ids));
    },
  };
}
