/** What a notice says and offers, and which of them are shown together. */

export interface Notice {
  readonly text: string;
  readonly tone?: 'danger';
  readonly undo?: () => void;
  /** Called when it goes and nothing was taken back. */
  readonly onGone?: () => void;
  /** Leads to what it is about. */
  readonly more?: { readonly label: string; readonly run: () => void };
  readonly retry?: () => void;
  /** Whether it is there until somebody has decided about it, or until it is over. */
  readonly stays?: true;
  /** How far it is, from 0 to 1. */
  readonly progress?: number;
}

/** Those before the last ones have been seen. */
const MOST = 3;

/** Whether there is something to be done about it. */
export const offers = ({ undo, retry, more }: Notice): boolean => Boolean(undo ?? retry ?? more);

/** The notices with one more. It takes the place of what only said that something else is done, and of its own words. */
export function withNotice<N extends Notice>(shown: readonly N[], notice: N): readonly N[] {
  const isPast = (other: N): boolean =>
    isTelling(other) && (other.text === notice.text || (isTelling(notice) && !other.tone && !notice.tone));
  const next = [...shown.filter((other) => !isPast(other)), notice];
  // what is still going on is told until it is over
  const gone = next.filter(({ progress }) => progress === undefined).slice(0, Math.max(0, next.length - MOST));
  return next.filter((other) => !gone.includes(other));
}

/** Whether it can be forgotten: nothing can be done about it, and nothing waits for its end. */
const isTelling = (notice: Notice): boolean => !notice.onGone && !offers(notice) && notice.progress === undefined;
