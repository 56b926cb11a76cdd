/** Moves the focus to fields. */

import { type RefObject, useEffect, useRef } from 'react';
import type { Path } from '../../form/values/model.ts';

const CONTROLS = 'input, textarea, select, [contenteditable="true"], [role="combobox"]';

/**
 * Focuses the first error in the panel if that is visible, and otherwise the field of a path. It does nothing while the
 * user is editing a field.
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

/** Focuses the field of a path, or the innermost existing field around it. */
export function goToField(path: Path): void {
  // A closing layer returns the focus first.
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

/** The control of a field, or else its first button, except for the mark and toolbars. */
function controlIn(field: HTMLElement): HTMLElement | undefined {
  const controls = [...field.querySelectorAll<HTMLElement>(CONTROLS)];
  const written = controls.find((control) => !control.hidden && !control.closest('[role="toolbar"]'));
  return written ?? field.querySelector<HTMLElement>('button:not([data-mark])') ?? undefined;
}

/** Devices with an on-screen keyboard, which would cover the page. */
const ON_SCREEN = '(pointer: coarse)';

/**
 * Returns a ref for the container of a form. In a new document, the first editable field gets the focus as soon as it
 * is rendered, because some controls are loaded late. Nothing happens once the user has clicked or typed.
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

/** The control of the first editable field; undefined while it is loading, or if there is none. */
function firstControl(form: HTMLElement): HTMLElement | undefined {
  for (const field of form.querySelectorAll<HTMLElement>('[data-field]')) {
    if (field.querySelector('[data-late]')) return undefined;
    const control = controlIn(field);
    if (control && !control.matches(FIXED)) return control;
  }
  return undefined;
}

const FIXED = '[readonly], [aria-readonly="true"], [disabled]';
