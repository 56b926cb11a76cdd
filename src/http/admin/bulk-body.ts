/** Bodies of requests for several documents of a type. */
import { at, Failures } from '../../failures.ts';

/** The most documents in one request. */
const MOST = 100;
/** Characters of a document id and of a locale: the size of their columns. */
const LENGTH = 255;

/** @throws ContentError 400 with the paths of all mistakes. */
export function bulkBody(raw: unknown): {
  readonly documentIds: readonly string[];
  readonly locale: string | undefined;
} {
  const failures = new Failures();
  const body = (typeof raw === 'object' && raw !== null ? raw : {}) as Readonly<Record<string, unknown>>;
  const { documentIds: ids, locale } = body;
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > MOST || !ids.every(isName)) {
    failures.add(
      at('documentIds'),
      `documentIds must be a list of 1 to ${MOST} texts, each of at most ${LENGTH} characters and without control characters`,
    );
  }
  if (locale !== undefined && !isName(locale)) {
    failures.add(at('locale'), `locale must be a text of at most ${LENGTH} characters, without control characters`);
  }
  failures.throwAny();
  return { documentIds: [...new Set(ids as string[])], locale: locale as string | undefined };
}

/** True for a text that fits into a column of names. */
const isName = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= LENGTH && !/\p{Cc}/u.test(value);
