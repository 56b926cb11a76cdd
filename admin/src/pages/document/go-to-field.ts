/** Leads to the field of a path. */
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
