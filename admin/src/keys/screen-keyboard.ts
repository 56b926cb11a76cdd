/**
 * Keeping the app above an on-screen keyboard. Browsers that understand `interactive-widget=resizes-content` of the page do
 * so by themselves. Safari lays the keyboard over the page and moves both; there, the app takes the height that is left,
 * so that its head, and the tools of a text below that, stay where they can be reached.
 */

/** Pixels of the page that are out of sight and no keyboard: bars of the browser come and go. */
const LEAST = 120;

/** Begins to do so: sets `--seen-height` while there is a keyboard. Gives what ends that. */
export function stayAboveKeyboard(): () => void {
  const seen = globalThis.visualViewport;
  if (!seen) return () => {};
  const { style } = document.documentElement;
  const fit = (): void => {
    // somebody who looks closer, by pinching, sees less of the page, and that is meant
    const isCovered = seen.scale < 1.01 && innerHeight - seen.height > LEAST;
    if (!isCovered) {
      style.removeProperty('--seen-height');
      return;
    }
    style.setProperty('--seen-height', `${seen.height}px`);
    scrollTo(0, 0);
  };
  seen.addEventListener('resize', fit);
  return () => seen.removeEventListener('resize', fit);
}
