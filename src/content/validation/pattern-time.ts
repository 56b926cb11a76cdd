/** The time that testing texts with the patterns of a schema may take in one request. */
import { createContext, Script } from 'node:vm';
import { type ContentError, cut } from '../../errors.ts';
import { type Place, validationFailure } from '../../failures.ts';
import { LruCache } from '../../lru-cache.ts';
import { compilePattern, type Pattern } from '../../schema/check/pattern.ts';

/** Limits of one request; `docs/reference/limits.md` lists them. */
const patternLimits = {
  /** Steps of patterns that take linear time, before the clock is looked at: some tens of milliseconds. */
  steps: 2_000_000,
  /** Milliseconds of the tests that the clock is looked at for. */
  time: 50,
} as const;

/** Patterns by their text, with a cap: schemas come and go while they are being written. */
const patterns = new LruCache<string, Pattern>(1000);

function patternOf(regex: string): Pattern {
  const cached = patterns.get(regex);
  if (cached) return cached;
  const pattern = compilePattern(regex);
  patterns.set(regex, pattern);
  return pattern;
}

export class PatternTime {
  #steps: number = patternLimits.steps;
  #time: number = patternLimits.time;

  /**
   * Whether a text matches a pattern.
   *
   * @throws ContentError 400 with the place of the text, if the patterns of the request take too long.
   */
  matches(regex: string, text: string, place: Place): boolean {
    const pattern = patternOf(regex);
    if (pattern.kind === 'quick') return pattern.test(text);
    this.#steps -= pattern.size * text.length;
    if (pattern.kind === 'linear' && this.#steps >= 0) return pattern.test(text);
    const begin = performance.now();
    const isMatch = this.#time > 0 ? within(this.#time, () => pattern.test(text)) : undefined;
    this.#time -= performance.now() - begin;
    if (isMatch !== undefined) return isMatch;
    // the clock that ended it may be ahead of the one that is looked at here
    this.#time = 0;
    // an interrupted match may leave the cache of the pattern inconsistent
    patterns.delete(regex);
    throw tooLong(regex, place);
  }
}

const tooLong = (regex: string, place: Place): ContentError =>
  validationFailure(
    place,
    (label) => `Testing ${label} against the pattern "/${cut(regex, 200)}/" takes too long: send a shorter text`,
  );

const sandbox = createContext(Object.assign(Object.create(null), { work: undefined })) as { work: unknown };
const script = new Script('work()');

/**
 * The result of synchronous work; undefined if it takes longer than some milliseconds. V8 stops it anywhere, even
 * within a regular expression (https://nodejs.org/api/vm.html, `timeout`).
 */
function within<T>(milliseconds: number, work: () => T): T | undefined {
  sandbox.work = work;
  try {
    return script.runInContext(sandbox as object, { timeout: Math.max(1, Math.ceil(milliseconds)) }) as T;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    sandbox.work = undefined;
  }
}
