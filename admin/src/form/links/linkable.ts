/** What can be linked, as one writes. */
import { useCallback, useEffect, useState } from 'react';
import { useHost } from '../host.ts';
import type { Linked } from '../values/links.ts';
import type { Attribute, Model } from '../values/model.ts';

/** Milliseconds without a key before it is asked. */
const RESTING = 120;

interface Linkable {
  readonly found: readonly Linked[];
  readonly failed: boolean;
  readonly seek: (text: string) => void;
}

/** Nothing is asked before the first `seek`. What was found last stays until there is something else. */
export function useLinkable(model: Model, attribute: Attribute, type: string | undefined): Linkable {
  const { services, locale } = useHost();
  const [sought, setSought] = useState<string>();
  const [found, setFound] = useState<readonly Linked[]>([]);
  const [failed, setFailed] = useState(false);
  const { uid } = model;
  const { name } = attribute;
  useEffect(() => {
    if (sought === undefined) return;
    const stop = new AbortController();
    const ask = { uid, attribute: name, locale, q: sought, signal: stop.signal };
    const timer = setTimeout(
      () => {
        services
          .linkable(type === undefined ? ask : { ...ask, type })
          .then(({ items }) => {
            setFound(items);
            setFailed(false);
          })
          .catch(() => stop.signal.aborted || setFailed(true));
      },
      sought === '' ? 0 : RESTING,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [sought, services, uid, name, locale, type]);
  const seek = useCallback((text: string) => setSought(text.trim()), []);
  return { found, failed, seek };
}
