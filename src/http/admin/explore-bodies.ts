/** Bodies of the administration's requests to explore the content API. */
import type { Config } from '../../config/config.ts';
import type { MissingIndex } from '../../db/interface/read-tuning.ts';
import { validation } from '../../errors.ts';
import { objectOrEmpty } from '../../plain-values.ts';

/** A request to be sent as a caller. */
export interface SentRequest {
  readonly as: unknown;
  readonly method: string;
  /** Path and query string below the prefix of the API. */
  readonly target: string;
  readonly body: string | undefined;
  readonly explain: boolean;
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
/** Characters of a target, and of a body. */
const TARGET_LENGTH = 8000;
const BODY_LENGTH = 500_000;
/** Characters of a name, and names in a list. */
const NAME_LENGTH = 200;
const MOST_NAMES = 20;

/** @throws ContentError 400 for a request that is not one of the content API, or writes without a confirmation. */
export function readSentRequest(raw: unknown, config: Pick<Config, 'rest' | 'admin'>): SentRequest {
  const { as, method, target, body = null, confirmed, explain = false } = objectOrEmpty(raw);
  if (typeof method !== 'string' || !METHODS.includes(method)) {
    throw validation(`method must be one of the following values: ${METHODS.join(', ')}`);
  }
  const isRead = method === 'GET';
  if (!isRead && confirmed !== true) throw validation('A request that writes must be confirmed');
  if (isRead && body !== null) throw validation('A request that reads has no body');
  if (explain !== false && (explain !== true || !isRead)) throw validation('Only requests that read are explained');
  return { as, method, target: targetOf(target, config), body: bodyOf(body), explain };
}

/**
 * A target below the prefix of the API, with the path as the server resolves it.
 *
 * @throws ContentError 400 for any other.
 */
function targetOf(raw: unknown, { rest: { prefix }, admin }: Pick<Config, 'rest' | 'admin'>): string {
  const isWritten = typeof raw === 'string' && raw.length <= TARGET_LENGTH && /^\/(?![/\\])[!-~]*$/.test(raw);
  const url = isWritten ? URL.parse(raw, 'http://localhost') : null;
  if (url?.host !== 'localhost' || url.hash !== '') {
    throw validation(`target must be a path below ${prefix || '/'} of at most ${TARGET_LENGTH} characters`);
  }
  const { pathname, search } = url;
  if (!pathname.startsWith(`${prefix}/`)) throw validation(`target must be a path below ${prefix || '/'}`);
  const path = decoded(pathname).toLowerCase();
  const isAdministration = path === admin.path.toLowerCase() || path.startsWith(`${admin.path.toLowerCase()}/`);
  if (path.includes('/../') || isAdministration) throw validation('target must be a path of the content API');
  return pathname + search;
}

/** A path as the router decodes it. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw validation('target must be a path that can be decoded');
  }
}

function bodyOf(raw: unknown): string | undefined {
  if (raw === null) return undefined;
  if (typeof raw !== 'string' || raw.length > BODY_LENGTH) {
    throw validation(`body must be a text of at most ${BODY_LENGTH} characters`);
  }
  try {
    JSON.parse(raw);
  } catch {
    throw validation('body must be JSON', {
      errors: [{ path: ['body'], message: 'body must be JSON', name: 'ValidationError' }],
    });
  }
  return raw;
}

/** @throws ContentError 400 for a body that describes no index. */
export function readIndex(raw: unknown): MissingIndex {
  const { table, columns, descending, ordered, rows, search } = objectOrEmpty(raw);
  const isName = (one: unknown): one is string => typeof one === 'string' && one.length <= NAME_LENGTH;
  const areNames = (one: unknown): one is string[] =>
    Array.isArray(one) && one.length <= MOST_NAMES && one.every(isName);
  const isKnown = rows === null || rows === 'published' || rows === 'draft';
  if (!isName(table) || !areNames(columns) || !areNames(descending) || !areNames(ordered) || !isKnown) {
    throw validation('An index has table, columns, descending, ordered, rows and search');
  }
  return { table, columns, descending, ordered, rows, search: search === true };
}
