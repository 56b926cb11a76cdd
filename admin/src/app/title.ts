/** The title of the tab. */
import { useEffect } from 'react';

/** Names the page in the tab and to screen readers. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Galley`;
  }, [title]);
}
