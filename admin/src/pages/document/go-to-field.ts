/** Leads to the field of a path. */
import type { Path } from '../../form/values/model.ts';

const CONTROLS = 'input, textarea, select, [contenteditable="true"], [role="combobox"]';

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
      // the mark beside the label comes first, and is not what is to be mended
      const control = field.querySelector<HTMLElement>(CONTROLS) ?? field.querySelector<HTMLElement>('button');
      control?.focus({ preventScroll: true });
      return;
    }
  });
}
