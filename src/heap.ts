/**
 * The growth of V8's heap. Allocations of a request are garbage at its end: by default, the heap takes up to a hundred
 * megabytes more under load without a benefit.
 *
 * The young generation, on the other hand, is too small at its first size, at which it is collected after every twenty
 * requests: twice that takes a tenth off a request. A program cannot set its size or a limit of it, only by which factor
 * it grows when a collection finds it too small. V8 makes it small again when there is nothing to do.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Sufficient bytes of both halves of the young generation. */
const ENOUGH = 4 * 1024 * 1024;
/** Milliseconds between two checks whether it has become small again. */
const LOOK = 1000;
/** The ratio of the sufficient size and the first one; loading the first modules already makes it grow once. */
const FIRST_GROWTH = 4;
/** The growth of the heap between full collections, in percent of what is in use. */
const GROWTH = 50;

/**
 * Limits the heap while the program starts, since many of its allocations stay and would be copied by each collection.
 */
export function limitHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH}`);
  setYoungGrowth(FIRST_GROWTH);
}

/** Keeps the young generation at its present size. */
export function keepYoungGeneration(): void {
  setYoungGrowth(1);
}

/** Lets the young generation grow as usual, for work that creates much garbage and answers no requests. */
export function freeYoungGeneration(): void {
  setYoungGrowth(2);
}

/** Lets the young generation grow to the sufficient size, and no further. */
export function fitYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    if (isSmall()) return setYoungGrowth(2);
    // observing collections takes a fiftieth of the time of short requests
    observer.disconnect();
    setYoungGrowth(1);
    const timer = setInterval(() => {
      if (!isSmall()) return;
      clearInterval(timer);
      observe();
    }, LOOK).unref();
  });
  const observe = (): void => observer.observe({ entryTypes: ['gc'] });
  observe();
}

function isSmall(): boolean {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return space !== undefined && space.space_size < ENOUGH;
}

function setYoungGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
