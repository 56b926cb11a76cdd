/** `service('admin::user')`, `('admin::role')` and `('admin::auth')`: administrators and their roles, as code asks for them. */

import { SUPER_ADMIN } from '../../../access/administrators/administrator-rights.ts';
import type { AroundRows } from '../../../content/rows/around-rows.ts';
import { verifyPassword } from '../../../content/validation/password-hashing.ts';
import { validation } from '../../../errors.ts';
import { ADMIN_ROLE_UID } from '../../../schema/built-in.ts';
import { ADMIN_USER_UID } from '../../../schema/catalog.ts';
import { weakness } from '../../../users/administrators/administrator-bodies.ts';
import { isLastSuper } from '../../../users/administrators/administrator-rules.ts';
import { AdministratorWrites } from '../accounts/administrator-writes.ts';
import { giveHash } from '../accounts/given-hashes.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { Row, Rows } from '../documents/rows.ts';
import type { CodeRooms } from '../rooms.ts';
import { rowIdOf, rowIdOrNone } from '../row-id.ts';

type RowsOf = (uid: string) => Rows;

/** Of a role what is shown with an administrator. */
const SHOWN_OF_ROLES = ['id', 'name', 'description', 'code'];

/** `admin::user`. No password is given, nor the hash of one. */
export function administratorService({ database }: CodeRooms, rowsOf: RowsOf, around: AroundRows) {
  const writes = new AdministratorWrites(database, around);
  const rows = () => rowsOf(ADMIN_USER_UID);
  const one = (where: Params, populate: unknown) => rows().findOne({ where, populate });
  const removed = async (named: readonly unknown[]): Promise<unknown[]> => {
    const ids = [...new Set(named.flatMap((one) => rowIdOf(one) ?? []))];
    const found = await Promise.all(ids.map((id) => one({ id }, ['roles'])));
    await writes.remove(ids);
    return found.filter((user) => user !== null);
  };
  return {
    exists: async (where: Params = {}) => Number(await rows().count({ where })) > 0,
    count: (where: Params = {}) => rows().count({ where }),
    findOne: (id: unknown, populate: unknown = ['roles']) => one({ id: rowIdOrNone(id) }, populate),
    findOneByEmail: (email: unknown, populate: unknown = []) => one({ email: String(email).toLowerCase() }, populate),
    findPage: ({ pagination, ...params }: Params = {}) =>
      rows().findPage({ populate: ['roles'], ...params, ...(pagination as object) }),
    sanitizeUser: ({ password: _password, resetPasswordToken: _reset, registrationToken: _made, ...user }: Params) => ({
      ...user,
      ...(Array.isArray(user['roles']) ? { roles: user['roles'].map(shownRole) } : {}),
    }),
    /** @throws ContentError 400 for what is wrong with the data, and for an address that is taken. */
    create: async (data: Params) => one({ id: await writes.create(data) }, ['roles']),
    /** @throws ContentError 400 as `create`, and for what would leave nobody with the role of all rights. */
    updateById: async (named: unknown, data: Params) => {
      const id = rowIdOf(named);
      return id !== undefined && (await writes.update(id, data)) ? one({ id }, ['roles']) : null;
    },
    /** @throws ContentError 400 for what would leave nobody with the role of all rights. */
    deleteById: async (named: unknown) => (await removed([named]))[0] ?? null,
    /** Those that are not there are left out. @throws ContentError 400 as `deleteById`; then none is removed. */
    deleteByIds: (named: unknown) => removed([named].flat()),
    /** @throws ContentError 400 for a weak password. Error where nobody has the address. */
    async resetPasswordByEmail(email: unknown, password: unknown): Promise<void> {
      const found = (await one({ email: String(email).toLowerCase() }, [])) as Row | null;
      if (!found) throw new Error(`User not found for email: ${email}`);
      const weak = weakness(String(password));
      if (weak !== undefined) throw validation(`password ${weak}`);
      await writes.update(found.id, { password });
    },
    isLastSuperAdminUser: (id: unknown) => isLastSuper(database, rowIdOrNone(id)),
    countUsersWithoutRole: () => rows().count({ where: { roles: { id: { $null: true } } } }),
  };
}

/** `admin::auth`, as far as it is of passwords. A hash that it gives is stored as it is, where it is written as one. */
export const panelAuthService = {
  hashPassword: (password: unknown) => giveHash(password),
  validatePassword: (password: unknown, hash: unknown) => verifyPassword(String(password), String(hash)),
};

/** `admin::role`. */
export function roleService(rowsOf: RowsOf) {
  const rows = () => rowsOf(ADMIN_ROLE_UID);
  const findOne = async (where: Params = {}, populate?: unknown) =>
    (await rows().findOne({ where, ...(populate ? { populate } : {}) })) as Row | null;
  const counted = async (role: Row | null) =>
    role && { ...role, usersCount: await rowsOf(ADMIN_USER_UID).count({ where: { roles: role.id } }) };
  return {
    find: (where: Params = {}, populate?: unknown) => rows().findMany({ where, ...(populate ? { populate } : {}) }),
    findOne,
    findOneWithUsersCount: async (where: Params = {}, populate?: unknown) => counted(await findOne(where, populate)),
    exists: async (where: Params = {}) => Number(await rows().count({ where })) > 0,
    count: (params: Params = {}) => rows().count(params),
    getSuperAdmin: () => findOne({ code: SUPER_ADMIN }),
    getSuperAdminWithUsersCount: async () => counted(await findOne({ code: SUPER_ADMIN })),
    sanitizeRole: shownRole,
  };
}

const shownRole = (role: Params): Params =>
  Object.fromEntries(Object.entries(role).filter(([name]) => SHOWN_OF_ROLES.includes(name)));
