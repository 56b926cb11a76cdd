/**
 * What code asks of the administration's part of Strapi: administrators and their roles, API tokens, and registrations
 * for its panel, which serve nothing here (docs/reference/project-code.md).
 */
import type { AroundRows } from '../../../content/rows/around-rows.ts';
import { notFound, validation } from '../../../errors.ts';
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
} from '../../../users/sessions/tokens.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { Rows } from '../documents/rows.ts';
import { guarded, unsupported } from '../guarded.ts';
import type { CodeRooms } from '../rooms.ts';
import { rowIdOrNone } from '../row-id.ts';
import { administratorService, panelAuthService, roleService } from './panel-accounts.ts';

/**
 * The services by the names that they have behind `admin::`.
 *
 * @param rowsOf rows of a type, as `strapi.db.query` has them. @param around code of the project around rows.
 */
export function panelServices(
  rooms: CodeRooms,
  rowsOf: (uid: string) => Rows,
  around: AroundRows,
): Readonly<Record<string, object>> {
  const services = {
    user: administratorService(rooms, rowsOf, around),
    role: roleService(rowsOf),
    auth: panelAuthService,
    permission: permissionService(),
    'api-token': tokenService(rooms),
  };
  return Object.fromEntries(
    Object.entries(services).map(([name, made]) => [name, guarded(`strapi.service('admin::${name}')`, made)]),
  );
}

/**
 * Actions of the panel that only plugins have, and conditions of their own. A right with a condition that is not known
 * here is never met, so that to register one changes nothing.
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

/** `admin::api-token`, with the secret of a token where it has just been made. */
function tokenService({ database, config, roles }: CodeRooms) {
  const told = async (token: StoredToken, secret?: string): Promise<object> => ({
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
        const made = { name, description: String(description ?? ''), type: kind, permissions: granted, lifespan: time };
        const { secret } = await createToken(tx, config, made);
        return { token: (await findToken(tx, name))!, secret };
      });
      return told(token, secret);
    },
    exists: async (where: Params = {}) => (await found(where)) !== undefined,
    async getBy(where: Params = {}) {
      const token = await found(where);
      return token ? told(token) : null;
    },
    async getByName(name: unknown) {
      return this.getBy({ name });
    },
    async getById(id: unknown) {
      return this.getBy({ id: rowIdOrNone(id) });
    },
    list: async () => Promise.all((await listTokens(database)).map((token) => told(token))),
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

/** A token without what its secret follows from. */
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
