/** The title of the browser tab. */
import { useEffect } from 'react';

/** Sets the title of the tab, which screen readers announce. @param title undefined if another component sets it. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Galley`;
  }, [title]);
}
