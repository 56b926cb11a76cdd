/** What appears beside the form, which on a narrow page is below it. */
import { type RefObject, useEffect, useRef } from 'react';

/** Gives a ref: what it is put on is scrolled to where it would appear out of sight. */
export function useInSight<E extends HTMLElement>(): RefObject<E | null> {
  const place = useRef<E>(null);
  useEffect(() => {
    const { top = 0 } = place.current?.getBoundingClientRect() ?? {};
    if (top > innerHeight / 2) place.current?.scrollIntoView();
  }, []);
  return place;
}
