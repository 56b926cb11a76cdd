/** What the commands on API tokens share: which token is meant, how one is printed, and how long one lives. */
import type { Queryable } from '../../db/interface/queryable.ts';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { listTokenActions, listTokens, type StoredToken } from '../../users/sessions/tokens.ts';
import { integerFlag } from '../command.ts';

export const DAY = 24 * 60 * 60 * 1000;
/** Ten thousand days: anything longer is not a lifespan. */
export const MOST_DAYS = 10_000;

/** The milliseconds of `--lifespan DAYS`; undefined when it was left out. */
export function lifespanFlag(text: string | undefined): number | undefined {
  const days = integerFlag('lifespan', text, 1, MOST_DAYS);
  return days === undefined ? undefined : days * DAY;
}

/**
 * The token that a name or a row id means.
 *
 * @throws UsageError for none, and for several.
 */
export async function requireToken(db: Queryable, word: string): Promise<StoredToken> {
  const tokens = await listTokens(db);
  const [token, other] = tokens.filter(({ id, name }) => name === word || String(id) === word);
  if (token && !other) return token;
  if (token) {
    const ids = tokens.filter(({ name }) => name === word).map(({ id }) => id);
    const meant = ids.length > 1 ? `use one of the ids ${ids.join(', ')}` : `it is the name of token ${ids[0]} as well`;
    throw new UsageError(`${word} matches several tokens: ${meant}`);
  }
  const hint = nearest(
    word,
    tokens.map(({ name }) => name),
  );
  throw new UsageError(`no token ${word}: ${hint === undefined ? 'see galley token list' : `did you mean ${hint}?`}`);
}

/** A token as JSON: times in ISO 8601, and never a secret, unless the one that was just made is given. */
export async function jsonOfToken(db: Queryable, token: StoredToken, secret?: string): Promise<string> {
  const time = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString());
  const { id, name, type, expiresAt, lastUsedAt, createdAt } = token;
  return JSON.stringify({
    id,
    name,
    type,
    permissions: type === 'custom' ? await listTokenActions(db, id) : [],
    expiresAt: time(expiresAt),
    lastUsedAt: time(lastUsedAt),
    createdAt: time(createdAt),
    ...(secret === undefined ? {} : { secret }),
  });
}
