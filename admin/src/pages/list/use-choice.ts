/** Which documents of a list are chosen: those in sight, or all that it has. */
import { request } from '../../data/client.ts';
import { type OneChoice, useOneChoice } from '../../ui/one-choice.ts';

/** Documents that can be chosen at once. */
export const MOST_CHOSEN = 10_000;

export interface Choice extends Omit<OneChoice, 'ask'> {
  /** Chooses all that the list has, as far as that can be. */
  readonly chooseAll: () => Promise<void>;
  /** Those between two places; undefined where there is no answer that counts. */
  readonly idsBetween: (first: number, last: number) => Promise<readonly string[] | undefined>;
}

/**
 * @param asked the query string of the list.
 * @param seen names what is seen of it: another list, or page, begins with nothing chosen.
 */
export function useChoice(uid: string, asked: string, seen: string): Choice {
  const { ask, ...choice } = useOneChoice(seen);
  const idsBetween = (first: number, last: number): Promise<readonly string[] | undefined> => {
    const query = new URLSearchParams(asked);
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
