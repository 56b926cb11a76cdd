/** Bodies of requests about several documents of a type. */
import { at, Failures } from '../../failures.ts';

/** Documents that one request may name. */
const MOST = 100;

/** @throws ContentError 400 with the paths of what is wrong. */
export function bulkBody(raw: unknown): {
  readonly documentIds: readonly string[];
  readonly locale: string | undefined;
} {
  const failures = new Failures();
  const body = (typeof raw === 'object' && raw !== null ? raw : {}) as Readonly<Record<string, unknown>>;
  const { documentIds: ids, locale } = body;
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === 'string' && !id.includes('\0'));
  if (!isList || ids.length === 0 || ids.length > MOST) {
    failures.add(at('documentIds'), `documentIds must be a list of 1 to ${MOST} texts`);
  }
  if (locale !== undefined && typeof locale !== 'string') failures.add(at('locale'), 'locale must be a text');
  failures.throwAny();
  return { documentIds: [...new Set(ids as string[])], locale: locale as string | undefined };
}
