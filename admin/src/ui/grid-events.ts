/** What is done within a grid, and whom it is for: the grid itself, a control in one of its cells, or what lies above. */
import type { KeyboardEvent } from 'react';

interface Happening {
  readonly currentTarget: Element;
  readonly target: EventTarget;
}

/** Whether an event is of the element itself: menus and dialogs of a row lie elsewhere, and are in it for React alone. */
export const isWithin = ({ currentTarget, target }: Happening): boolean => currentTarget.contains(target as Node);

/** The control that an event is of; null where it is none. */
export const controlOf = ({ target }: Pick<Happening, 'target'>): Element | null =>
  (target as Element).closest('a,button,input,label');

/** Whether a key is for the grid: controls of a cell have taken some for themselves, and do what they do by Enter and Space. */
export const isKeyOfGrid = (event: KeyboardEvent): boolean =>
  isWithin(event) &&
  !event.defaultPrevented &&
  !((event.key === 'Enter' || event.key === ' ') && controlOf(event) !== null);
