/** Leads to the field of a path. */

import { type RefObject, useEffect, useRef } from 'react';
import type { Path } from '../../form/values/model.ts';

const CONTROLS = 'input, textarea, select, [contenteditable="true"], [role="combobox"]';

/**
 * Puts the focus on the first line of what needs attention, where it is in the page; else on the field of a path. Whoever
 * is writing is left where they are.
 */
export function goToErrors(path: Path): void {
  requestAnimationFrame(() => {
    if (document.activeElement?.matches(CONTROLS)) return;
    const lines = document.querySelectorAll<HTMLElement>('[data-errors] button');
    const line = [...lines].find((one) => one.checkVisibility());
    if (line) line.focus();
    else goToField(path);
  });
}

/** Puts the focus on the field, or on the innermost one around it that there is. */
export function goToField(path: Path): void {
  // whatever lay above the page gives the focus back when it closes
  requestAnimationFrame(() => {
    for (let length = path.length; length > 0; length--) {
      const name = path.slice(0, length).join('.');
      const field = document.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
      if (!field) continue;
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      field.scrollIntoView({ block: 'center', behavior: calm ? 'auto' : 'smooth' });
      controlIn(field)?.focus({ preventScroll: true });
      return;
    }
  });
}

/** What is written into in a field, else the first of its buttons: neither the mark beside the label nor a tool. */
export function controlIn(field: HTMLElement): HTMLElement | undefined {
  const controls = [...field.querySelectorAll<HTMLElement>(CONTROLS)];
  const written = controls.find((control) => !control.hidden && !control.closest('[role="toolbar"]'));
  return written ?? field.querySelector<HTMLElement>('button:not([data-mark])') ?? undefined;
}

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
