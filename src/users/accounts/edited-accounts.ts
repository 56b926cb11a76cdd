/**
 * Writes accounts as documents, for administrators, by the rules of content and accounts: names are unique, passwords
 * are hashed and never shown, and blocked accounts and those with a new password are signed out.
 */
import type { RemovalRequest, WriteRequest } from '../../content/documents/write-request.ts';
import type { DocumentWriter } from '../../content/documents/writer.ts';
import { EMAIL } from '../../content/validation/validate-scalar.ts';
import { selectRows } from '../../db/interface/statements.ts';
import { ContentError, invalidKey, notFound, refusal } from '../../errors.ts';
import { at, because, EMAIL_TAKEN, Failures, NO_EMAIL, REQUIRED } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import type { WrittenData } from '../../query/body.ts';
import { findRoleId } from '../roles/roles.ts';
import { hasNoControls } from './account-bodies.ts';
import type { TakenNames } from './account-rows.ts';
import { readSettings } from './account-settings.ts';
import { SECRET_KEYS } from './managed-users.ts';
import type { UserWrite, UserWrites } from './user-writes.ts';

export class EditedAccounts implements DocumentWriter {
  readonly #users: UserWrites;

  constructor(users: UserWrites) {
    this.#users = users;
  }

  /**
   * Creates an account with a password login, and with the default role unless it has one.
   *
   * @throws ContentError 400 with the paths of wrong values, including existing names; 412 for an existing id.
   */
  async create(request: WriteRequest): Promise<{ readonly data: string }> {
    const { documentId } = request;
    // a repeated request must not be refused because of its own names
    if (documentId !== undefined && (await this.#rowId(documentId)) !== undefined) {
      throw new ContentError('PreconditionFailedError', 'The document already exists');
    }
    const data = checked(request.data, 'new');
    const values = { provider: 'local', ...data, ...(hasRole(data) ? {} : { role: await this.#defaultRole() }) };
    const { record } = await this.#users.create(await this.#write(request, values), async () => {});
    return { data: record };
  }

  /**
   * Changes an account.
   *
   * @throws ContentError 404 for no such account, 400 and 412 as for any document.
   */
  async update(request: WriteRequest, documentId: string): Promise<void> {
    const write = await this.#write(request, checked(request.data, 'known'));
    await this.#users.update(await this.#idOf(documentId), write, async () => {});
  }

  /** Deletes an account with its sessions. */
  async delete({ documentId, viewer, precondition }: RemovalRequest): Promise<void> {
    await this.#users.remove(await this.#idOf(documentId), viewer, precondition);
  }

  async #write(request: WriteRequest, data: WrittenData): Promise<UserWrite> {
    const { viewer, documentId, precondition, hashes } = request;
    const { uniqueEmail } = await readSettings(this.#users.db);
    return {
      data,
      actor: viewer,
      viewerOf: () => viewer,
      shape: { fields: ['documentId'] },
      refuseTaken: (taken) => refuseTaken(data, taken, uniqueEmail),
      documentId,
      precondition,
      hashes,
    };
  }

  async #idOf(documentId: string): Promise<number> {
    const id = await this.#rowId(documentId);
    if (id === undefined) throw notFound();
    return id;
  }

  async #rowId(documentId: string): Promise<number | undefined> {
    const [row] = await selectRows(this.#users.db, 'up_users', ['id'], { document_id: documentId });
    return row && Number(row[0]);
  }

  async #defaultRole(): Promise<number> {
    const { defaultRole } = await readSettings(this.#users.db);
    const role = await findRoleId(this.#users.db, defaultRole);
    if (role === undefined) throw refusal('Impossible to find the default role');
    return role;
  }
}

function refuseTaken(data: WrittenData, { email, username, crossed }: TakenNames, uniqueEmail: boolean): void {
  const failures = new Failures();
  if (uniqueEmail && email) failures.add(at('email'), EMAIL_TAKEN, data['email']);
  const name = 'username' in data ? 'username' : 'email';
  if (username) failures.add(at('username'), because('Username already taken', 'unique'), data['username']);
  else if (crossed) failures.add(at(name), 'This is the name or the address of another account', data[name]);
  failures.throwAny();
}

/** The values of an account, with its address in lower case. Other rules are checked as for any document. */
function checked(data: WrittenData, account: 'new' | 'known'): WrittenData {
  for (const key of SECRET_KEYS) {
    // these values would let the caller log in as another account
    if (key in data) throw invalidKey({ key, path: key, source: 'body' });
  }
  const failures = new Failures();
  const { email, username, password, provider = 'local' } = data;
  const needsPassword = account === 'new' ? provider === 'local' : 'password' in data;
  for (const key of ['username', 'email', ...(needsPassword ? ['password'] : [])]) {
    const value = data[key];
    const isMissing = value === '' || value === null || (value === undefined && account === 'new');
    if (isMissing) failures.withoutValues().add(at(key), REQUIRED);
  }
  if (typeof email === 'string' && email !== '' && !EMAIL.test(email)) {
    failures.add(at('email'), NO_EMAIL, email);
  }
  const wrong = typeof username === 'string' ? hasNoControls(username, data) : undefined;
  if (wrong !== undefined) failures.add(at('username'), because(wrong, 'characters'), username);
  if (account === 'known' && losesRole(data['role'])) failures.add(at('role'), 'Cannot remove role');
  failures.throwAny();
  // an empty password is ignored
  const { password: _none, ...others } = data;
  const rest = password === undefined || password === null || password === '' ? others : data;
  return typeof email === 'string' ? { ...rest, email: email.toLowerCase() } : rest;
}

const count = (entries: unknown): number => (Array.isArray(entries) ? entries.length : 0);

/** Whether a new account has a role. */
function hasRole({ role }: WrittenData): boolean {
  if (isObject(role)) return count(role['connect']) + count(role['set']) > 0 || 'id' in role || 'documentId' in role;
  return Array.isArray(role) ? role.length > 0 : role !== undefined && role !== null;
}

/** Whether an account would lose its role; it would then have fewer rights than the public. */
function losesRole(role: unknown): boolean {
  if (role === undefined) return false;
  if (Array.isArray(role)) return role.length === 0;
  if (!isObject(role)) return role === null;
  const { connect, disconnect, set } = role;
  if (set !== undefined) return count(set) === 0 && !isObject(set);
  return count(disconnect) > 0 && count(connect) === 0;
}
