/** What a pointer is pressing stays where it is until it is released. */
import { type PointerEvent, useEffect, useRef, useState } from 'react';

interface WhilePressed<Seen> {
  /** What was there as a pointer went down that has not gone up yet; undefined where none is down. */
  readonly held: Seen | undefined;
  readonly onPointerDown: (event: PointerEvent) => void;
}

/**
 * Notes what there is to be seen as a pointer goes down, to be shown until it goes up. So a click, also one that opens a
 * link elsewhere, is about what was pressed, whatever would have taken its place meanwhile.
 *
 * @param look gives what there is to be seen.
 */
export function useHeldWhilePressed<Seen>(look: () => Seen): WhilePressed<Seen> {
  const [held, setHeld] = useState<Seen>();
  const pressed = useRef<AbortController>(undefined);
  useEffect(() => () => pressed.current?.abort(), []);
  return {
    held,
    onPointerDown: ({ pointerId }) => {
      // what is held already by one finger stays as it is with another
      if (held === undefined) setHeld(look);
      pressed.current?.abort();
      const released = new AbortController();
      pressed.current = released;
      const release = (event: globalThis.PointerEvent): void => {
        // one that goes up outside of the window may not be told to have done so: it comes back without being down
        if (event.pointerId !== pointerId || (event.type === 'pointermove' && event.buttons !== 0)) return;
        released.abort();
        // the click comes right behind it
        setTimeout(() => pressed.current === released && setHeld(undefined));
      };
      for (const name of ['pointerup', 'pointercancel', 'pointermove'] as const) {
        addEventListener(name, release, { signal: released.signal, capture: true });
      }
    },
  };
}
