/** The caller of an explained request, as `--as` names it. */
import type { App } from '../../app.ts';
import { ContentError, UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { commandText } from '../../own-files.ts';
import { USER_UID } from '../../schema/catalog.ts';
import { listRoles } from '../../users/roles/roles.ts';
import type { Caller } from '../../users/sessions/callers.ts';
import { findBySecret, listTokens, type StoredToken } from '../../users/sessions/tokens.ts';

export interface Impersonated {
  /** A description without secrets. @param caller the identified caller; undefined if the server refuses it. */
  title(caller: Caller | undefined): Promise<string> | string;
  /** @throws ContentError 401 for invalid credentials. */
  identify(): Promise<Caller>;
}

/**
 * The caller that `--as` names: a role by its type or name, an API token by its name, id or secret, or a user by a user
 * token. The default is the public. The last use of a token does not change.
 *
 * @param input reads a secret from stdin for `-`.
 * @throws UsageError for an unknown or ambiguous word. The message does not repeat the word, which may be a secret.
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
  const bySecret = await findBySecret(database, secret, config.apiTokenSalt);
  if (bySecret) return ofToken(bySecret);
  if (word !== '-') {
    const roles = await listRoles(database);
    const tokens = await listTokens(database);
    const matching: Impersonated[] = [
      ...roles
        .filter(({ type, name }) => type === word || name === word)
        .map(({ id, name }) => ({ title: () => `the role ${name}`, identify: () => callers.ofRole(id) })),
      ...tokens.filter(({ id, name }) => name === word || String(id) === word).map(ofToken),
    ];
    if (matching.length > 1) {
      const titles = await Promise.all(matching.map(({ title }) => title(undefined)));
      throw new UsageError(`--as is ambiguous: ${titles.join(', ')}`);
    }
    if (matching[0]) return matching[0];
    if (!isUserToken(secret)) {
      const hint = nearest(word, [...roles.map(({ type }) => type), ...tokens.map(({ name }) => name)]);
      const advice = hint === undefined ? `; see ${commandText('token list', config.dir)}` : `: did you mean ${hint}?`;
      throw new UsageError(`--as names no role and no API token${advice}`);
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
