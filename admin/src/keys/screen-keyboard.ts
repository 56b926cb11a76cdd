/**
 * Keeps the app above an on-screen keyboard. Browsers that support `interactive-widget=resizes-content` do so by
 * themselves. Safari lays the keyboard over the page and moves both, so there the app takes the remaining height. Its
 * head and the toolbar of a text stay within reach.
 */

/** The pixels from which a hidden part of the page counts as a keyboard: bars of the browser come and go. */
const LEAST = 120;

/** Sets `--seen-height` while an on-screen keyboard is open. Returns a function that stops it. */
export function stayAboveKeyboard(): () => void {
  const seen = globalThis.visualViewport;
  if (!seen) return () => {};
  const { style } = document.documentElement;
  const fit = (): void => {
    // Zooming in also hides a part of the page.
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
