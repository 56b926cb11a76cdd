/** Keeps content still while a pointer presses it. */
import { type PointerEvent, useEffect, useRef, useState } from 'react';

interface WhilePressed<Seen> {
  /** The content when the pointer went down; undefined if no pointer is down. */
  readonly held: Seen | undefined;
  readonly onPointerDown: (event: PointerEvent) => void;
}

/**
 * Records the content when a pointer goes down, to be shown until it goes up. A click, also one that opens a link in a
 * new tab, then concerns the pressed element, even if the data has changed in the meantime.
 *
 * @param look returns the current content.
 */
export function useHeldWhilePressed<Seen>(look: () => Seen): WhilePressed<Seen> {
  const [held, setHeld] = useState<Seen>();
  const pressed = useRef<AbortController>(undefined);
  useEffect(() => () => pressed.current?.abort(), []);
  return {
    held,
    onPointerDown: ({ pointerId }) => {
      // A second finger does not change the recorded content.
      if (held === undefined) setHeld(look);
      pressed.current?.abort();
      const released = new AbortController();
      pressed.current = released;
      const release = (event: globalThis.PointerEvent): void => {
        // A pointer that goes up outside of the window may not be reported; it then returns without a pressed button.
        if (event.pointerId !== pointerId || (event.type === 'pointermove' && event.buttons !== 0)) return;
        released.abort();
        // The click event follows immediately.
        setTimeout(() => pressed.current === released && setHeld(undefined));
      };
      for (const name of ['pointerup', 'pointercancel', 'pointermove'] as const) {
        addEventListener(name, release, { signal: released.signal, capture: true });
      }
    },
  };
}
