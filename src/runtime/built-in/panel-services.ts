/**
 * The part of Strapi's administration that code uses: administrators and their roles, API tokens, and registrations for
 * the panel, which have no effect here (docs/reference/project-code.md).
 */
import { SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import type { AroundRows } from '../../content/rows/around-rows.ts';
import { verifyPassword } from '../../content/validation/password-hashing.ts';
import { notFound, validation } from '../../errors.ts';
import { ADMIN_ROLE_UID } from '../../schema/built-in.ts';
import { ADMIN_USER_UID } from '../../schema/catalog.ts';
import { weakness } from '../../users/administrators/administrator-bodies.ts';
import { isLastSuper } from '../../users/administrators/administrator-rules.ts';
import {
  accessKeyOf,
  createToken,
  findToken,
  listTokenActions,
  listTokens,
  lockTokenNames,
  revokeToken,
  rotateToken,
  type StoredToken,
  TOKEN_TYPES,
} from '../../users/sessions/tokens.ts';
import { issueHash } from '../accounts/account-hashes.ts';
import { AdministratorWrites } from '../accounts/administrator-writes.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { Row, Rows } from '../documents/rows.ts';
import { guarded, unsupported } from '../guarded.ts';
import { rowIdOf, rowIdOrNone } from '../row-id.ts';
import type { RuntimeContext } from '../runtime-context.ts';
/**
 * The services by the names that they have behind `admin::`.
 *
 * @param rowsOf rows of a type, as `strapi.db.query` has them. @param around code of the project around rows.
 */
export function panelServices(
  runtime: RuntimeContext,
  rowsOf: (uid: string) => Rows,
  around: AroundRows,
): Readonly<Record<string, object>> {
  const services = {
    user: administratorService(runtime, rowsOf, around),
    role: roleService(rowsOf),
    auth: panelAuthService,
    permission: permissionService(),
    'api-token': tokenService(runtime),
  };
  return Object.fromEntries(
    Object.entries(services).map(([name, service]) => [name, guarded(`strapi.service('admin::${name}')`, service)]),
  );
}

/**
 * Actions of the panel that only plugins have, and their conditions. A right with an unknown condition is never met, so
 * registering one changes nothing.
 */
function permissionService() {
  const provider = (name: string) => {
    const register = async (): Promise<void> => {};
    return guarded(`strapi.service('admin::permission').${name}`, { register, registerMany: register });
  };
  return {
    actionProvider: provider('actionProvider'),
    conditionProvider: provider('conditionProvider'),
    sectionProvider: provider('sectionProvider'),
  };
}

/** `admin::api-token`, with the secret of a token that was just created. */
function tokenService({ database, config, roles }: RuntimeContext) {
  const described = async (token: StoredToken, secret?: string): Promise<object> => ({
    ...shown(token),
    permissions: token.type === 'custom' ? await listTokenActions(database, token.id) : null,
    ...(secret === undefined ? {} : { accessKey: secret }),
  });
  const found = async (where: Params = {}): Promise<StoredToken | undefined> =>
    (await listTokens(database)).find((token) => meets(token, where));
  return {
    async create({ name, description, type = 'read-only', permissions = [], lifespan = null }: Params) {
      const kind = TOKEN_TYPES.find((known) => known === type);
      if (typeof name !== 'string' || name.trim() === '') throw validation('name must be a text');
      if (!kind) throw validation(`type must be one of ${TOKEN_TYPES.join(', ')}`);
      const granted = [permissions ?? []].flat().map(String);
      const unknown = granted.filter((action) => !roles.grantable.has(action));
      if (unknown.length > 0) throw validation(`Unknown permissions provided: ${unknown.join(', ')}`);
      if (kind === 'custom' && granted.length === 0) throw validation('Missing permissions attribute for custom token');
      if (kind !== 'custom' && granted.length > 0) throw validation('Permissions are for custom tokens');
      const time = lifespan === null ? null : Number(lifespan);
      if (time !== null && !(Number.isSafeInteger(time) && time > 0)) throw validation('lifespan must be milliseconds');
      const { token, secret } = await database.transaction(async (tx) => {
        await lockTokenNames(tx);
        if (await findToken(tx, name)) throw validation('Name already taken');
        const values = {
          name,
          description: String(description ?? ''),
          type: kind,
          permissions: granted,
          lifespan: time,
        };
        const { secret } = await createToken(tx, config, values);
        return { token: (await findToken(tx, name))!, secret };
      });
      return described(token, secret);
    },
    exists: async (where: Params = {}) => (await found(where)) !== undefined,
    async getBy(where: Params = {}) {
      const token = await found(where);
      return token ? described(token) : null;
    },
    async getByName(name: unknown) {
      return this.getBy({ name });
    },
    async getById(id: unknown) {
      return this.getBy({ id: rowIdOrNone(id) });
    },
    list: async () => Promise.all((await listTokens(database)).map((token) => described(token))),
    async regenerate(id: unknown) {
      const token = await found({ id: rowIdOrNone(id) });
      if (!token) throw notFound('The provided token id does not exist');
      return { accessKey: await database.transaction((tx) => rotateToken(tx, config, token.id)) };
    },
    async revoke(id: unknown) {
      const token = await found({ id: rowIdOrNone(id) });
      if (!token) return null;
      await database.transaction((tx) => revokeToken(tx, token.id));
      return shown(token);
    },
    hash: (secret: string) => accessKeyOf(secret, config.apiTokenSalt),
  };
}

/** A token without the hash of its secret. */
function shown({ accessKey: _accessKey, encryptedKey: _encryptedKey, ...token }: StoredToken): object {
  return token;
}

/** @throws Unsupported for a condition on anything but a name, a type or an id. */
function meets(token: StoredToken, where: Params): boolean {
  return Object.entries(where).every(([name, value]) => {
    if (name !== 'id' && name !== 'name' && name !== 'type') unsupported(`a condition on ${name} of API tokens`);
    return token[name] === value;
  });
}

type RowsOf = (uid: string) => Rows;

/** The attributes of a role that are shown with an administrator. */
const SHOWN_OF_ROLES = ['id', 'name', 'description', 'code'];

/** `admin::user`, without passwords and their hashes. */
function administratorService({ database }: RuntimeContext, rowsOf: RowsOf, around: AroundRows) {
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
    /** @throws ContentError 400 for invalid data, and for an address that another administrator has. */
    create: async (data: Params) => one({ id: await writes.create(data) }, ['roles']),
    /** @throws ContentError 400 as `create`, and if no administrator would keep the role of all rights. */
    updateById: async (named: unknown, data: Params) => {
      const id = rowIdOf(named);
      return id !== undefined && (await writes.update(id, data)) ? one({ id }, ['roles']) : null;
    },
    /** @throws ContentError 400 if no administrator would keep the role of all rights. */
    deleteById: async (named: unknown) => (await removed([named]))[0] ?? null,
    /** Missing ones are ignored. @throws ContentError 400 as `deleteById`; then none is removed. */
    deleteByIds: (named: unknown) => removed([named].flat()),
    /** @throws ContentError 400 for a weak password. Error for an unknown address. */
    async resetPasswordByEmail(email: unknown, password: unknown): Promise<void> {
      const found = (await one({ email: String(email).toLowerCase() }, [])) as Row | null;
      if (!found) throw new Error(`User not found for email: ${email}`);
      const weak = weakness(String(password));
      if (weak !== undefined) throw validation(`password ${weak.said}`);
      await writes.update(found.id, { password });
    },
    isLastSuperAdminUser: (id: unknown) => isLastSuper(database, rowIdOrNone(id)),
    countUsersWithoutRole: () => rows().count({ where: { roles: { id: { $null: true } } } }),
  };
}

/** `admin::auth`, as far as it is of passwords. A hash that it gives is stored as it is, where it is written as one. */
const panelAuthService = {
  hashPassword: (password: unknown) => issueHash(password),
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
