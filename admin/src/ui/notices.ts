/** Notices: their content, and which of them are shown together. */

export interface Notice {
  readonly text: string;
  readonly tone?: 'danger';
  readonly undo?: () => void;
  /** Called when the notice disappears and nothing was undone. */
  readonly onGone?: () => void;
  /** Leads to details. */
  readonly more?: { readonly label: string; readonly run: () => void };
  readonly retry?: () => void;
  /** Whether the notice stays until it is dismissed or replaced. */
  readonly stays?: true;
  /** From 0 to 1. */
  readonly progress?: number;
}

/** The maximum number of notices. */
const MOST = 3;

/** Whether the notice offers an action. */
export const offers = ({ undo, retry, more }: Notice): boolean => Boolean(undo ?? retry ?? more);

/** Adds a notice. It replaces notices without actions, and an equal one. */
export function withNotice<N extends Notice>(shown: readonly N[], notice: N): readonly N[] {
  const isPast = (other: N): boolean =>
    isTelling(other) && (other.text === notice.text || (isTelling(notice) && !other.tone && !notice.tone));
  const next = [...shown.filter((other) => !isPast(other)), notice];
  // Notices with progress remain.
  const removed = next.filter(({ progress }) => progress === undefined).slice(0, Math.max(0, next.length - MOST));
  return next.filter((other) => !removed.includes(other));
}

/** Whether a notice can be dropped: it has no action, and nothing waits for its end. */
const isTelling = (notice: Notice): boolean => !notice.onGone && !offers(notice) && notice.progress === undefined;
