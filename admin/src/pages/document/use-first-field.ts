/** Where one begins to write: a new document has the focus at its first field. */
import { type RefObject, useEffect, useRef } from 'react';
import { controlIn } from './go-to-field.ts';

/** Devices that are written on with a keyboard on the screen, which would cover what nobody has seen yet. */
const ON_SCREEN = '(pointer: coarse)';

/**
 * Gives a ref for what the form stands in. Of a new document its first field that can be written into gets the focus, as
 * soon as it is there: heavy controls are loaded first. Whoever has gone somewhere else by then is left where they are.
 */
export function useFirstField(isNew: boolean): RefObject<HTMLDivElement | null> {
  const form = useRef<HTMLDivElement>(null);
  const begins = useRef(isNew);
  useEffect(() => {
    const place = form.current;
    if (!begins.current || !place || matchMedia(ON_SCREEN).matches) return;
    const begin = (): void => {
      const control = firstControl(place);
      if (!control) return;
      stop();
      control.focus({ preventScroll: true });
    };
    const watcher = new MutationObserver(begin);
    const stop = (): void => {
      begins.current = false;
      watcher.disconnect();
      for (const name of ACTS) removeEventListener(name, stop, true);
    };
    for (const name of ACTS) addEventListener(name, stop, true);
    watcher.observe(place, { childList: true, subtree: true });
    begin();
    return () => {
      watcher.disconnect();
      for (const name of ACTS) removeEventListener(name, stop, true);
    };
  }, []);
  return form;
}

const ACTS = ['pointerdown', 'keydown'];

/** The control of the first field that has one; undefined while that is on its way, or where none may be written into. */
function firstControl(form: HTMLElement): HTMLElement | undefined {
  for (const field of form.querySelectorAll<HTMLElement>('[data-field]')) {
    if (field.querySelector('[data-late]')) return undefined;
    const control = controlIn(field);
    if (control && !control.matches(FIXED)) return control;
  }
  return undefined;
}

const FIXED = '[readonly], [aria-readonly="true"], [disabled]';
