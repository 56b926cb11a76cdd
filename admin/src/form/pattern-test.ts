/** Testing texts against regular expressions in a worker, since some expressions would freeze the page. */
import { useEffect, useState } from 'react';
import { isPattern } from './values/is-pattern.ts';

export type PatternResult = 'fits' | 'not' | 'slow';

/** The milliseconds after which a test ends without a result. */
const LIMIT = 1000;

/** The result of a text; undefined until there is one, for an empty text, and without a valid expression. */
export function usePatternTest(pattern: string, text: string): PatternResult | undefined {
  const [done, setDone] = useState<{ readonly of: string; readonly result: PatternResult }>();
  const test = JSON.stringify([pattern, text]);
  useEffect(() => {
    if (pattern === '' || text === '' || !isPattern(pattern)) return undefined;
    const worker = new Worker(new URL('./pattern-worker.ts', import.meta.url), { type: 'module' });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (): void => {
      clearTimeout(timer);
      worker.terminate();
    };
    const finish = (result: PatternResult): void => {
      end();
      setDone({ of: test, result });
    };
    worker.onmessage = ({ data }: MessageEvent<'ready' | 'fits' | 'not'>) => {
      if (data !== 'ready') return finish(data);
      // The limit does not include the time in which the worker loads.
      timer = setTimeout(() => finish('slow'), LIMIT);
      worker.postMessage({ pattern, text });
    };
    return end;
  }, [pattern, text, test]);
  return done?.of === test && text !== '' ? done.result : undefined;
}
