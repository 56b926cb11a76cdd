/** The title of the tab. */
import { useEffect } from 'react';

/** Names the page in the tab and to screen readers. @param title undefined: what is shown in its place does so. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Galley`;
  }, [title]);
}
