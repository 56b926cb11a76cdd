/**
 * Codes that are mailed to accounts, in conditions of code: `{ resetPasswordToken: code }`. The database has their hashes
 * alone, so that a condition can ask for one whole code and nothing else.
 */
import type { Queryable } from '../../../db/interface/queryable.ts';
import { findConfirmationCode, findResetCode, NOBODY_ID } from '../../../users/accounts/account-codes.ts';
import { isPlain } from '../documents/plain-params.ts';

const FINDING: ReadonlyMap<string, (db: Queryable, code: string) => Promise<number | undefined>> = new Map([
  ['resetPasswordToken', findResetCode],
  ['confirmationToken', findConfirmationCode],
]);

/** Conditions on accounts in which a code stands for the account that it was mailed to. Any other test of a code stays. */
export async function withAccountsOfCodes(db: Queryable, filters: unknown): Promise<unknown> {
  if (Array.isArray(filters)) return Promise.all(filters.map((one) => withAccountsOfCodes(db, one)));
  if (!isPlain(filters)) return filters;
  const parts = await Promise.all(
    Object.entries(filters).map(async ([name, value]): Promise<Record<string, unknown>> => {
      const find = FINDING.get(name);
      const code = codeOf(value);
      if (find && code !== undefined) return { id: (await find(db, code)) ?? NOBODY_ID };
      const isGroup = name === '$and' || name === '$or' || name === '$not';
      return { [name]: isGroup ? await withAccountsOfCodes(db, value) : value };
    }),
  );
  const names = new Set(parts.flatMap(Object.keys));
  return names.size === parts.length ? Object.assign({}, ...parts) : { $and: parts };
}

/** The code that is asked for; undefined for any other test. */
function codeOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (!isPlain(value)) return undefined;
  const { $eq, ...others } = value;
  return Object.keys(others).length === 0 && !isPlain($eq) ? codeOf($eq) : undefined;
}
