/** Searching and loading the documents that a relation can link. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Choice } from '../../../contract/documents.ts';
import { useHost } from '../host.ts';
import { linkKey } from '../values/links.ts';
import type { Attribute, Model } from '../values/model.ts';

/** The pause in typing, in milliseconds, after which the server is searched. */
const RESTING = 120;

interface Linkable {
  readonly found: readonly Choice[];
  /** The total number of results. */
  readonly total: number;
  /** Whether the results belong to the previous search. */
  readonly isStale: boolean;
  readonly failed: boolean;
  readonly seek: (text: string) => void;
  /** Loads the next page of results. */
  readonly more: () => void;
}

/** The results of a search. */
interface FoundPages {
  readonly of: string | undefined;
  readonly items: readonly Choice[];
  readonly total: number;
  readonly pages: number;
}

const NOTHING: FoundPages = { of: undefined, items: [], total: 0, pages: 0 };

/** The first request is sent with the first `seek`. The last results remain until new ones arrive. */
export function useLinkable(model: Model, attribute: Attribute, type: string | undefined): Linkable {
  const { services, locale } = useHost();
  const [sought, setSought] = useState<string>();
  const [found, setFound] = useState(NOTHING);
  const [failed, setFailed] = useState(false);
  const { uid } = model;
  const { name } = attribute;
  const key = sought === undefined ? undefined : JSON.stringify([uid, name, locale, type, sought]);
  const asking = useRef<AbortController>(undefined);
  const ask = useCallback(
    async (q: string, page: number, signal: AbortSignal) => {
      const asked = { uid, attribute: name, locale, q, page, signal };
      return services.linkable(type === undefined ? asked : { ...asked, type });
    },
    [services, uid, name, locale, type],
  );
  useEffect(() => {
    if (sought === undefined) return;
    const stop = new AbortController();
    asking.current = stop;
    const timer = setTimeout(
      () => {
        ask(sought, 1, stop.signal)
          .then(({ items, total }) => {
            setFound({ of: key, items, total, pages: 1 });
            setFailed(false);
          })
          .catch(() => stop.signal.aborted || setFailed(true))
          .finally(() => {
            if (asking.current === stop) asking.current = undefined;
          });
      },
      sought === '' ? 0 : RESTING,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [sought, ask, key]);
  const more = (): void => {
    if (sought === undefined || asking.current || found.of !== key || found.items.length >= found.total) return;
    const stop = new AbortController();
    asking.current = stop;
    ask(sought, found.pages + 1, stop.signal)
      .then(({ items, total }) => {
        // Results may have moved between the pages.
        const known = new Set(found.items.map(linkKey));
        const all = [...found.items, ...items.filter((item) => !known.has(linkKey(item)))];
        const isEnd = items.length === 0;
        setFound((now) =>
          now.of === key ? { ...now, items: all, total: isEnd ? all.length : total, pages: now.pages + 1 } : now,
        );
        setFailed(false);
      })
      .catch(() => setFailed(true))
      .finally(() => {
        if (asking.current === stop) asking.current = undefined;
      });
  };
  const seek = useCallback((text: string) => setSought(text.trim()), []);
  return { found: found.items, total: found.total, isStale: found.of !== key, failed, seek, more };
}
