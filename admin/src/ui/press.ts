/** Pressing an option of a list that may change during the press. */
import { type MouseEvent, type PointerEvent, useEffect, useRef } from 'react';

/** The distance in pixels that a pointer may move between down and up. */
const STILL = 10;

interface PressHandlers {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onClick: (event: MouseEvent) => void;
}

/**
 * Selects the option on which the pointer went down, even if another one is there when it goes up. Moving away before
 * releasing cancels the press (WCAG 2.5.2), and so does scrolling by touch. Clicks without a pointer, as assistive
 * technology makes them, count as well.
 */
export function usePress<Option>(choose: (option: Option) => void): (option: Option) => PressHandlers {
  const chooseNow = useRef(choose);
  useEffect(() => {
    chooseNow.current = choose;
  });
  const byPointer = useRef(false);
  return (option) => ({
    onPointerDown: ({ button, clientX, clientY, pointerId }) => {
      byPointer.current = true;
      if (button !== 0) return;
      const released = new AbortController();
      const { signal } = released;
      const isStill = (up: globalThis.PointerEvent): boolean =>
        Math.hypot(up.clientX - clientX, up.clientY - clientY) <= STILL;
      window.addEventListener(
        'pointerup',
        (up) => {
          // Another finger does not matter.
          if (up.pointerId !== pointerId) return;
          released.abort();
          if (isStill(up)) chooseNow.current(option);
        },
        { signal },
      );
      const cancel = (event: globalThis.PointerEvent): void => {
        if (event.pointerId === pointerId) released.abort();
      };
      window.addEventListener('pointercancel', cancel, { signal });
    },
    onClick: ({ detail }) => {
      if (!byPointer.current || detail === 0) choose(option);
      byPointer.current = false;
    },
  });
}
