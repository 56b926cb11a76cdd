/** Body of a batch request → its operations (docs/reference/extensions.md, "Batches"). Knows no schema. */
import { ContentError, validation } from '../errors.ts';
import { isObject } from '../plain-values.ts';
import { parseBody, type WrittenData } from './body.ts';
import type { RawValue } from './params.ts';
import { isStorable } from './relation-payload.ts';

export const BATCH_ACTIONS = ['create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft'] as const;
export type BatchAction = (typeof BATCH_ACTIONS)[number];

/**
 * One operation as the body states it. `locale` and `status` have the meaning of the parameters of the single request.
 */
export interface RawOperation {
  readonly action: BatchAction;
  /** Undefined only for `create`. */
  readonly documentId: string | undefined;
  readonly locale: RawValue;
  readonly status: RawValue;
  /** Of `create` and `update`. */
  readonly data: WrittenData;
}

const KEYS: ReadonlySet<string> = new Set(['action', 'documentId', 'locale', 'status', 'data']);
const NO_DATA: WrittenData = {};

/**
 * Reads the operations of a body.
 *
 * @throws ContentError 400 for no operations, for more than `most`, and for an operation of another form.
 */
export function parseBatch(body: unknown, most: number): RawOperation[] {
  const operations = isObject(body) ? body['operations'] : undefined;
  if (!Array.isArray(operations)) throw validation('Missing "operations" payload in the request body');
  if (operations.length > most) throw validation(`A batch can have at most ${most} operations`);
  return operations.map((operation, index) => atOperation(index, () => parseOperation(operation)));
}

function parseOperation(raw: unknown): RawOperation {
  if (!isObject(raw)) throw validation('An operation must be an object');
  for (const key of Object.keys(raw)) if (!KEYS.has(key)) throw validation(`Invalid key ${key}`);
  const action = BATCH_ACTIONS.find((name) => name === raw['action']);
  if (!action) throw validation(`action must be one of the following values: ${BATCH_ACTIONS.join(', ')}`);
  const { documentId, locale, status } = raw;
  if (action === 'create' && documentId !== undefined) throw validation('create takes no documentId');
  if (action !== 'create' && typeof documentId !== 'string') throw validation(`${action} needs a documentId`);
  if (typeof documentId === 'string' && !isStorable(documentId)) throw validation('documentId is not well-formed');
  const writes = action === 'create' || action === 'update';
  if (!writes && raw['data'] !== undefined) throw validation(`${action} takes no data`);
  return {
    action,
    documentId: documentId as string | undefined,
    locale: locale as RawValue,
    status: status as RawValue,
    data: writes ? parseBody(raw) : NO_DATA,
  };
}

/** Runs a step of an operation, and adds the operation's position to the paths of its errors. */
export function atOperation<T>(index: number, step: () => T, within: readonly string[] = []): T {
  try {
    return step();
  } catch (error) {
    throw located(error, index, within);
  }
}

/** Adds an operation's position to the paths of an error: `operations.3.data.title`. Other errors stay as they are. */
export function located(error: unknown, index: number, within: readonly string[] = []): unknown {
  if (!(error instanceof ContentError)) return error;
  const place = ['operations', String(index)];
  const details = { ...error.details };
  const { errors, path, key } = details;
  if (Array.isArray(errors)) {
    details['errors'] = errors.map((failure) => ({ ...failure, path: [...place, ...within, ...failure.path] }));
  } else if (key !== undefined) {
    // a key at the top has no path, or is itself the path
    const below = typeof path === 'string' && path !== key ? path.split('.') : [];
    details['path'] = [...place, ...within, ...below].join('.');
  } else details['path'] = place.join('.');
  return new ContentError(error.name, error.message, details, { cause: error.cause, logged: error.logged });
}
