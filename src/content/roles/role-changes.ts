/** Rules for creating, renaming and deleting roles of administrators, for commands and the administration app. */
import { SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { at, because, type Place, validationFailure } from '../../failures.ts';
import { insertRole, listStoredRoles, lockRoles, type StoredRole, updateRole } from './role-rows.ts';

/** A code needs no quotes in a shell or a file. */
export const ROLE_CODE = /^[\w-]{1,255}$/;
/** The prefix of the reference's own roles, which commands may leave out. */
export const ROLE_PREFIX = 'strapi-';
/** Characters of a code that is derived from a name, which leaves characters for a number. */
const DERIVED = 100;

/** The role with a code, with or without `strapi-`, or a name. */
export function roleAmong<Role extends Pick<StoredRole, 'code' | 'name'>>(
  roles: readonly Role[],
  word: string,
): Role | undefined {
  return (
    roles.find(({ code }) => code === word) ??
    roles.find(({ code }) => code === ROLE_PREFIX + word) ??
    roles.find(({ name }) => name.toLowerCase() === word.toLowerCase())
  );
}

/**
 * Creates a role without permissions, and returns its row id.
 *
 * @throws ContentError 400 for an invalid code or name, and for one that another role has.
 */
export async function createRole(
  tx: Transaction,
  role: Pick<StoredRole, 'code' | 'name' | 'description'>,
): Promise<number> {
  const { code, name } = role;
  if (!ROLE_CODE.test(code)) {
    throw validationFailure(at('code'), `${code} is not a valid code of a role: use letters, digits, - and _`);
  }
  checkTexts(role);
  await lockRoles(tx);
  const roles = await listStoredRoles(tx);
  const taken = roleAmong(roles, code) ?? roleAmong(roles, name);
  if (taken) throw alreadyExists(taken);
  return insertRole(tx, role);
}

/**
 * Changes the name and the description of a role.
 *
 * @throws ContentError 400 for an invalid name, and for one that another role has.
 */
export async function renameRole(
  tx: Transaction,
  role: Pick<StoredRole, 'id' | 'name' | 'description'>,
): Promise<void> {
  checkTexts(role);
  const others = (await listStoredRoles(tx)).filter(({ id }) => id !== role.id);
  const taken = roleAmong(others, role.name);
  if (taken) throw alreadyExists(taken);
  await updateRole(tx, role);
}

/** Why a role cannot be deleted: it is Super Admin, or administrators have it. Undefined if it can. */
export function deletionProblem({ code, administrators }: StoredRole): 'super' | 'used' | undefined {
  if (code === SUPER_ADMIN) return 'super';
  return administrators > 0 ? 'used' : undefined;
}

/** A code for a role with a name: `Press team` → `press-team`, with a number if a role has it. */
export function codeForName(roles: readonly Pick<StoredRole, 'code' | 'name'>[], name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['role'];
  const base = words.join('-').slice(0, DERIVED);
  for (let number = 1; ; number++) {
    const code = number === 1 ? base : `${base}-${number}`;
    if (!roleAmong(roles, code)) return code;
  }
}

const alreadyExists = ({ code, name }: Pick<StoredRole, 'code' | 'name'>) =>
  validationFailure(at('name'), because(`a role ${code} (${name}) already exists`, 'roleTaken'));

function checkTexts({ name, description }: Pick<StoredRole, 'name' | 'description'>): void {
  const refuse = (place: Place, sentence: string): never => {
    throw validationFailure(place, sentence);
  };
  if (!isLine(name) || name.trim() === '')
    refuse(at('name'), 'the name of a role must be one line of 1 to 255 characters');
  if (!isLine(description))
    refuse(at('description'), 'the description of a role must be one line of at most 255 characters');
}

/** Whether a text fits a text column and one line of a terminal. */
const isLine = (text: string): boolean => text.length <= 255 && !/\p{Cc}/u.test(text) && text.isWellFormed();
