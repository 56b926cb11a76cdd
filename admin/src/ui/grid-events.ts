/** Events within a grid: for the grid itself, for a control in a cell, or for a layer above the page. */
import type { KeyboardEvent } from 'react';

interface Happening {
  readonly currentTarget: Element;
  readonly target: EventTarget;
}

/**
 * Whether an event belongs to the DOM of the element. React also reports events of menus and dialogs that a row has
 * opened.
 */
export const isWithin = ({ currentTarget, target }: Happening): boolean => currentTarget.contains(target as Node);

/** The control of an event; null if there is none. */
export const controlOf = ({ target }: Pick<Happening, 'target'>): Element | null =>
  (target as Element).closest('a,button,input,label');

/** Whether a key is for the grid. A control in a cell handles Enter and Space itself. */
export const isKeyOfGrid = (event: KeyboardEvent): boolean =>
  isWithin(event) &&
  !event.defaultPrevented &&
  !((event.key === 'Enter' || event.key === ' ') && controlOf(event) !== null);
