/** Searching and loading the documents that a relation can link. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Choice } from '../../../contract/documents.ts';
import { useHost } from '../host.ts';
import { linkKey } from '../values/links.ts';
import type { Attribute, Model } from '../values/model.ts';

/** The pause in typing, in milliseconds, after which the server is searched. */
const RESTING = 120;

interface Linkable {
  readonly results: readonly Choice[];
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
interface SearchResults {
  readonly of: string | undefined;
  readonly items: readonly Choice[];
  readonly total: number;
  readonly pages: number;
}

const NOTHING: SearchResults = { of: undefined, items: [], total: 0, pages: 0 };

/** The first request is sent with the first `seek`. The last results remain until new ones arrive. */
export function useLinkable(model: Model, attribute: Attribute, type: string | undefined): Linkable {
  const { services, locale } = useHost();
  const [search, setSearch] = useState<string>();
  const [answer, setAnswer] = useState(NOTHING);
  const [failed, setFailed] = useState(false);
  const { uid } = model;
  const { name } = attribute;
  const key = search === undefined ? undefined : JSON.stringify([uid, name, locale, type, search]);
  const running = useRef<AbortController>(undefined);
  const load = useCallback(
    async (q: string, page: number, signal: AbortSignal) => {
      const request = { uid, attribute: name, locale, q, page, signal };
      return services.linkable(type === undefined ? request : { ...request, type });
    },
    [services, uid, name, locale, type],
  );
  useEffect(() => {
    if (search === undefined) return;
    const stop = new AbortController();
    running.current = stop;
    const timer = setTimeout(
      () => {
        load(search, 1, stop.signal)
          .then(({ items, total }) => {
            setAnswer({ of: key, items, total, pages: 1 });
            setFailed(false);
          })
          .catch(() => stop.signal.aborted || setFailed(true))
          .finally(() => {
            if (running.current === stop) running.current = undefined;
          });
      },
      search === '' ? 0 : RESTING,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [search, load, key]);
  const more = (): void => {
    if (search === undefined || running.current || answer.of !== key || answer.items.length >= answer.total) return;
    const stop = new AbortController();
    running.current = stop;
    load(search, answer.pages + 1, stop.signal)
      .then(({ items, total }) => {
        // Results may have moved between the pages.
        const known = new Set(answer.items.map(linkKey));
        const all = [...answer.items, ...items.filter((item) => !known.has(linkKey(item)))];
        const isEnd = items.length === 0;
        setAnswer((now) =>
          now.of === key ? { ...now, items: all, total: isEnd ? all.length : total, pages: now.pages + 1 } : now,
        );
        setFailed(false);
      })
      .catch(() => setFailed(true))
      .finally(() => {
        if (running.current === stop) running.current = undefined;
      });
  };
  const seek = useCallback((text: string) => setSearch(text.trim()), []);
  return { results: answer.items, total: answer.total, isStale: answer.of !== key, failed, seek, more };
}
