/** Makes an episode that shows a difference as small as it gets within bounds. */
import type { Played, Session } from './session.ts';
import type { Episode, Step } from './step.ts';

/** Episodes that are played to shrink one. */
const TRIES = 80;

export interface Smallest {
  readonly episode: Episode;
  readonly where: string;
}

/** What an episode differs in; undefined where it does not. */
export function differenceIn({ verdicts, left }: Played): string | undefined {
  const last = verdicts.at(-1);
  return last?.kind === 'different' ? last.where : left;
}

/** Leaves out what the difference does not need: earlier writes first, then parameters, then parts of bodies. */
export async function shrink(session: Session, episode: Episode, where: string): Promise<Smallest> {
  const kind = kindOf(where);
  let tries = 0;
  let smallest: Smallest = { episode, where };
  const holds = async (candidate: Episode): Promise<boolean> => {
    if (++tries > TRIES) return false;
    const found = differenceIn(await session.play(candidate));
    if (found === undefined || kindOf(found) !== kind) return false;
    smallest = { episode: candidate, where: found };
    return true;
  };
  const last = episode.length - 1;
  if (!(last > 0 && (await holds(episode.slice(last))))) {
    for (let index = last - 1; index >= 0; index--)
      await holds(smallest.episode.filter((step) => step !== episode[index]));
  }
  for (let index = smallest.episode.length - 1; index >= 0; index--) {
    for (let again = true; again; ) {
      again = false;
      for (const step of smallerThan(smallest.episode[index]!)) {
        if (await holds(smallest.episode.with(index, step))) {
          again = true;
          break;
        }
      }
    }
  }
  return smallest;
}

/** Differences of one kind have the same place, whatever is there. */
export const kindOf = (where: string): string =>
  where
    .replace(/: .*/s, '')
    .replaceAll(/@\d+|\b[a-z0-9]{24}\b/g, '_')
    .replaceAll(/\d+/g, '_');

/** Steps that say a little less. */
function* smallerThan(step: Step): Generator<Step> {
  const populated = step.params.filter((param) => !param.startsWith('populate'));
  if (populated.length < step.params.length) yield { ...step, params: populated };
  for (let index = 0; index < step.params.length; index++) {
    if (!step.params[index]!.startsWith('populate'))
      yield { ...step, params: step.params.filter((_, other) => other !== index) };
  }
  for (const data of smaller(step.data)) yield { ...step, data };
}

/** Values with one entry less, the outermost first. */
function* smaller(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  const without = Array.isArray(value)
    ? (key: string) => value.filter((_, index) => String(index) !== key)
    : (key: string) => Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
  for (const key of Object.keys(value)) yield without(key);
  for (const [key, item] of Object.entries(value)) {
    for (const less of smaller(item)) {
      yield Array.isArray(value) ? value.with(Number(key), less) : { ...value, [key]: less };
    }
  }
}
