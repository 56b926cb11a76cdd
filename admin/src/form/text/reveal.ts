/** Bringing a place of a text into sight, between what covers the page above and below it. */

/** Distances in pixels that a place keeps from the edges of what scrolls: `scroll-margin` of the text's element. */
export function marginsOf(element: Element): { readonly top: number; readonly bottom: number } {
  const { scrollMarginTop, scrollMarginBottom } = getComputedStyle(element);
  return { top: Number.parseFloat(scrollMarginTop) || 0, bottom: Number.parseFloat(scrollMarginBottom) || 0 };
}

/** Scrolls what scrolls around `element`, no farther than it takes, until a rectangle within it can be seen. */
export function reveal(element: HTMLElement, rect: Pick<DOMRect, 'top' | 'bottom'>): void {
  const scroller = scrollerOf(element);
  const { top, bottom } = marginsOf(element);
  const seen = scroller.getBoundingClientRect();
  const above = seen.top + top - rect.top;
  const below = rect.bottom - (seen.bottom - bottom);
  if (above > 0) scroller.scrollTop -= above;
  else if (below > 0) scroller.scrollTop += below;
}

/** What scrolls around an element. */
export function scrollerOf(element: Element): Element {
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(around).overflowY)) return around;
  }
  return document.documentElement;
}
