/** On whose behalf a request is explained. */
import type { App } from '../../app.ts';
import { ContentError, UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { USER_UID } from '../../schema/catalog.ts';
import { listRoles } from '../../users/roles/roles.ts';
import type { Caller } from '../../users/sessions/callers.ts';
import { findBySecret, listTokens, type StoredToken } from '../../users/sessions/tokens.ts';

export interface Impersonated {
  /** Who that is, without a secret. @param caller the same as identified; undefined where it is refused. */
  title(caller: Caller | undefined): Promise<string> | string;
  /** @throws ContentError 401 for credentials that are not good. */
  identify(): Promise<Caller>;
}

/**
 * The caller that `--as` names: a role by its type or name, an API token by its name, id or secret, or a user by a user
 * token. Without a word it is the public. The use of a token is not noted.
 *
 * @param input reads a secret that is not on the command line: `-`.
 * @throws UsageError for a word that means nobody, or several. It is not repeated, as it may be a secret.
 */
export async function impersonate(
  { callers, database, config, documents }: App,
  word: string | undefined,
  input: (() => Promise<string>) | undefined,
): Promise<Impersonated> {
  if (word === undefined) return { title: () => 'the public', identify: () => callers.identify(undefined) };
  const secret = word === '-' ? ((await input?.()) ?? '').trim() : word;
  if (secret === '') throw new UsageError('--as - needs a secret on stdin');
  const ofToken = (token: StoredToken): Impersonated => ({
    title: () => `the API token ${token.name} (${token.type})`,
    identify: async () => notExpired(await callers.ofToken(token)),
  });
  const known = await findBySecret(database, secret, config.apiTokenSalt);
  if (known) return ofToken(known);
  if (word !== '-') {
    const roles = await listRoles(database);
    const tokens = await listTokens(database);
    const meant: Impersonated[] = [
      ...roles
        .filter(({ type, name }) => type === word || name === word)
        .map(({ id, name }) => ({ title: () => `the role ${name}`, identify: () => callers.ofRole(id) })),
      ...tokens.filter(({ id, name }) => name === word || String(id) === word).map(ofToken),
    ];
    if (meant.length > 1) {
      const titles = await Promise.all(meant.map(({ title }) => title(undefined)));
      throw new UsageError(`--as means more than one: ${titles.join(', ')}`);
    }
    if (meant[0]) return meant[0];
    if (!isUserToken(secret)) {
      const hint = nearest(word, [...roles.map(({ type }) => type), ...tokens.map(({ name }) => name)]);
      const told = hint === undefined ? 'see galley token list' : `did you mean ${hint}?`;
      throw new UsageError(`--as names no role and no API token: ${told}`);
    }
  }
  const title = async (caller: Caller | undefined): Promise<string> => {
    const id = caller?.userId;
    if (id === undefined) return 'an account, by its user token';
    const account = await documents(USER_UID).findFirst({ filters: { id }, fields: ['username'] });
    return `the account ${account?.['username'] ?? ''} (id ${id}), by its user token`;
  };
  return { title, identify: () => callers.identify(`Bearer ${secret}`) };
}

/** Whether a text has the form of a user token. */
const isUserToken = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);

function notExpired(caller: Caller): Caller {
  if (caller.expiresAt !== null && caller.expiresAt <= Date.now()) {
    throw new ContentError('UnauthorizedError', caller.expiredMessage);
  }
  return caller;
}
