/** Which code of a project stands before an action or answers it: what is told to the project's operator. */
import type { CodeConfig } from '../../config/config.ts';
import { DOCUMENT_MIDDLEWARE } from '../hooks.ts';
import { isAroundAll, type Touch, type TouchKind } from '../touch.ts';
import type { Runs } from './runs.ts';

export interface StandingCode {
  /** `policy global::is-owner`. */
  readonly what: string;
  /** The file, or the name of a global middleware. */
  readonly code: string;
  readonly kind: TouchKind | undefined;
  /** Undefined where it is not run, though nobody has said that it is safe to leave out. */
  readonly outcome: 'is run' | 'is declared safe to leave out' | undefined;
}

/** What a piece of code is called, with its file. */
export function standingName({ what, code }: Pick<StandingCode, 'what' | 'code'>): string {
  if (what.startsWith('global middleware')) return `${code}, ${what}`;
  return what === code ? code : `${what} of ${code}`;
}

/** Tells the code of an action. @param runs what is run of it; undefined where none is. */
export function standingCode(touches: readonly Touch[], runs: Runs | undefined, config: CodeConfig) {
  return (action: string): readonly StandingCode[] =>
    touches
      .filter(({ actions }) => actions === 'all' || actions.includes(action))
      .map((touch) => {
        const isSafe = config.safeToSkip.includes(touch.code) || config.serve.includes(action);
        const outcome = runs?.covers(touch, action) ? 'is run' : isSafe ? 'is declared safe to leave out' : undefined;
        return { what: touch.what, code: touch.code, kind: touch.kind, outcome };
      });
}

/** `RunnableCode.hooked`: known only where all that code does to strapi, and all of the code, is understood. */
export function hookedActions(touches: readonly Touch[]): ReadonlySet<string> | undefined {
  const hooked = new Set<string>();
  for (const touch of touches) {
    if (isAroundAll(touch)) continue;
    const { actions, kind, what } = touch;
    if (actions === 'all' || kind === 'strapi') return undefined;
    if (what === DOCUMENT_MIDDLEWARE) for (const action of actions) hooked.add(action);
  }
  return hooked;
}
