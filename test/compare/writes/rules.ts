/** What the deliberate differences of writes have in common. */
import type { Catalog } from '../../../src/schema/catalog.ts';
import type { Gap, State } from './state.ts';
import { DEFAULT_LOCALE, localeOf, type Step } from './step.ts';

/** What a rule may look at before the write. */
export interface Context {
  readonly catalog: Catalog;
  /** What Galley has stored of the document that is written. */
  readonly stored: State;
  /** Row ids in Galley of the rows that the body names. */
  readonly rows: ReadonlyMap<string, number>;
}

/** What is stored after the write. */
export interface Look {
  readonly gaps: readonly Gap[];
  readonly galley: State;
}

export interface Named {
  readonly name: string;
  /** Words of the line of `docs/differences.md` that tells it. */
  readonly page: string;
}

/** Whether a write makes a version of a document that is there in other locales. */
export function makesVersion(step: Step, { stored }: Context): boolean {
  if (step.method !== 'PUT' || !step.type.localized || stored.size === 0) return false;
  const locale = localeOf(step) ?? DEFAULT_LOCALE;
  return ![...stored.keys()].some((key) => key.endsWith(` ${locale}`));
}
