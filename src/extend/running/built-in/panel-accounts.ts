/** `service('admin::user')` and `service('admin::role')`: administrators and their roles, as code asks for them. */

import { SUPER_ADMIN } from '../../../access/administrator-rights.ts';
import { hashPassword, isTooLong } from '../../../content/validation/password-hashing.ts';
import { type AroundRows, beginRow, transactionOf } from '../../../content/writing/around-rows.ts';
import { validation } from '../../../errors.ts';
import { ADMIN_ROLE_UID } from '../../../schema/built-in.ts';
import { ADMIN_USER_UID } from '../../../schema/catalog.ts';
import { addressOf } from '../../../users/administrators/administrator-bodies.ts';
import { findAdministratorByEmail, insertAdministrator } from '../../../users/administrators/administrator-rows.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { Row, Rows } from '../documents/rows.ts';
import type { CodeRooms } from '../rooms.ts';
import { unsupported } from '../strapi/guarded.ts';

type RowsOf = (uid: string) => Rows;

/** Of a role what is shown with an administrator. */
const SHOWN_OF_ROLES = ['id', 'name', 'description', 'code'];

/** `admin::user`. No password is given, nor the hash of one. */
export function administratorService({ database }: CodeRooms, rowsOf: RowsOf, around: AroundRows) {
  const rows = () => rowsOf(ADMIN_USER_UID);
  const one = (where: Params, populate: unknown) => rows().findOne({ where, populate });
  return {
    exists: async (where: Params = {}) => Number(await rows().count({ where })) > 0,
    count: (where: Params = {}) => rows().count({ where }),
    findOne: (id: unknown, populate: unknown = ['roles']) => one({ id: Number(id) }, populate),
    findOneByEmail: (email: unknown, populate: unknown = []) => one({ email: String(email).toLowerCase() }, populate),
    findPage: ({ pagination, ...params }: Params = {}) =>
      rows().findPage({ populate: ['roles'], ...params, ...(pagination as object) }),
    sanitizeUser: ({ password: _password, resetPasswordToken: _reset, registrationToken: _made, ...user }: Params) => ({
      ...user,
      ...(Array.isArray(user['roles']) ? { roles: user['roles'].map(shownRole) } : {}),
    }),
    /** @throws ContentError 400 for what is wrong with the data, and for an address that is taken. */
    async create({ password, roles = [], ...given }: Params) {
      if (typeof password !== 'string' || password === '') return unsupported('an administrator without a password');
      if (isTooLong(password)) throw validation('password is too long');
      const email = addressOf(String(given['email']));
      if (email === undefined) throw validation('email must be a valid email');
      const named = [...new Set([roles].flat().map(idOf))];
      const found = await rowsOf(ADMIN_ROLE_UID).count({ where: { id: { $in: named } } });
      if (named.length > 0 && found !== named.length) throw validation('Some of the roles do not exist');
      const hash = await hashPassword(password);
      const names = {
        firstname: textOf(given, 'firstname'),
        lastname: textOf(given, 'lastname'),
        username: textOf(given, 'username'),
        preferedLanguage: textOf(given, 'preferedLanguage'),
      };
      const { isActive = false, blocked = false } = given;
      const data = { email, ...names, isActive: isActive === true, blocked: blocked === true };
      const id = await transactionOf({ database, around }, [ADMIN_USER_UID], async (tx) => {
        if (await findAdministratorByEmail(tx, email)) throw validation('Email already taken');
        const told = { ...data, registrationToken: null, roles: named };
        const begun = await beginRow(around, ADMIN_USER_UID, 'create', () => ({ data: told }));
        const made = await insertAdministrator(tx, { ...data, password: hash }, named);
        await begun.end(made);
        return made;
      });
      return one({ id }, ['roles']);
    },
  };
}

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

/** The id of a row that is named by it, or by an object that has it. */
function idOf(role: unknown): number {
  const id = Number(typeof role === 'object' && role !== null ? (role as { id?: unknown }).id : role);
  if (!Number.isSafeInteger(id)) throw validation('roles must be ids');
  return id;
}

function textOf(data: Params, name: string): string | null {
  const value: unknown = data[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.length > 255) throw validation(`${name} must be a text`);
  return value;
}
