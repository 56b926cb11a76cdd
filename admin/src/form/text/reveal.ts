/** Scrolls to a position of a text, between the bars that cover the page. */

/** The `scroll-margin` of an element in pixels. */
export function marginsOf(element: Element): { readonly top: number; readonly bottom: number } {
  const { scrollMarginTop, scrollMarginBottom } = getComputedStyle(element);
  return { top: Number.parseFloat(scrollMarginTop) || 0, bottom: Number.parseFloat(scrollMarginBottom) || 0 };
}

/** Scrolls the container of `element` by the smallest distance that makes a rectangle visible. */
export function reveal(element: HTMLElement, rect: Pick<DOMRect, 'top' | 'bottom'>): void {
  const scroller = scrollerOf(element);
  const { top, bottom } = marginsOf(element);
  const seen = scroller.getBoundingClientRect();
  const above = seen.top + top - rect.top;
  const below = rect.bottom - (seen.bottom - bottom);
  if (above > 0) scroller.scrollTop -= above;
  else if (below > 0) scroller.scrollTop += below;
}

/** The scroll container of an element. */
export function scrollerOf(element: Element): Element {
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(around).overflowY)) return around;
  }
  return document.documentElement;
}
