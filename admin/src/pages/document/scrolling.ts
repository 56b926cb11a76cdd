/** The part of the page that the head, the notices and the bar of a document cover. */
import { type RefObject, useEffect, useRef } from 'react';

/**
 * Sets `--covered-top` and `--covered-bottom` on the scrolling page, in pixels. They are measured, because the head
 * grows with the font size, and notices come and go.
 *
 * @returns refs for the head with the notices, and for the bar.
 */
export function useCovered(): { readonly top: RefObject<HTMLDivElement | null>; readonly bar: typeof bar } {
  const top = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const page = top.current!.closest<HTMLElement>('#page');
    const parts = [
      ['--covered-top', top.current!],
      ['--covered-bottom', bar.current!],
    ] as const;
    const measure = (): void => {
      for (const [name, part] of parts) page?.style.setProperty(name, `${part.offsetHeight}px`);
    };
    const observer = new ResizeObserver(measure);
    for (const [, part] of parts) observer.observe(part);
    return () => {
      observer.disconnect();
      for (const [name] of parts) page?.style.removeProperty(name);
    };
  }, []);
  return { top, bar };
}

/** Returns a ref. Its element is scrolled to if it appears below the visible part. */
export function useInSight<E extends HTMLElement>(): RefObject<E | null> {
  const place = useRef<E>(null);
  useEffect(() => {
    const { top = 0 } = place.current?.getBoundingClientRect() ?? {};
    if (top > innerHeight / 2) place.current?.scrollIntoView();
  }, []);
  return place;
}
