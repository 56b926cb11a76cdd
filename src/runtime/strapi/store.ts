/** `strapi.store`: settings of code, in the same table as in the reference. */
import type { Queryable } from '../../db/interface/queryable.ts';
import { deleteRows, insertRow, selectRows, updateRows } from '../../db/interface/statements.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { defaultEntry } from '../../users/mail/mail-templates.ts';
import { missingMember } from '../guarded.ts';
import type { RuntimeContext } from '../runtime-context.ts';

interface Place {
  readonly key?: string;
  readonly type?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly tag?: string;
}

/** The functions of a store, with its default type, name and key. */
export function storeOf({ database }: Pick<RuntimeContext, 'database'>, defaults: Place = {}) {
  const keyOf = (place: Place): string => {
    const { key, type = 'core', name } = { ...defaults, ...place };
    if (key === undefined) throw new Error('strapi.store: a key is needed');
    return name ? `${type}_${name}_${key}` : `${type}_${key}`;
  };
  /** One setting per environment and tag. */
  const found = async (db: Queryable, place: Place) => {
    const { environment, tag } = { ...defaults, ...place };
    const same = { environment: environment || null, tag: tag || null };
    const columns = ['id', 'value', 'type', 'environment', 'tag'];
    const rows = await selectRows(db, CORE_STORE_TABLE, columns, { key: keyOf(place) });
    return { row: rows.find((row) => row[3] === same.environment && row[4] === same.tag), same };
  };
  return {
    async get(place: Place = {}): Promise<unknown> {
      const { row } = await found(database, place);
      if (row) return storedValue(row[1], row[2]);
      const key = keyOf(place);
      requireSetting(key);
      return defaultSetting(key) ?? null;
    },
    async set({ value, ...place }: Place & { readonly value: unknown }): Promise<void> {
      const columns = { value: JSON.stringify(value) ?? '', type: typeof value };
      await database.transaction(async (tx) => {
        const { row, same } = await found(tx, place);
        if (row) await updateRows(tx, CORE_STORE_TABLE, columns, { id: Number(row[0]) });
        else await insertRow(tx, CORE_STORE_TABLE, { key: keyOf(place), ...columns, ...same });
      });
    },
    async delete(place: Place = {}): Promise<void> {
      await database.transaction(async (tx) => {
        const { row } = await found(tx, place);
        if (row) await deleteRows(tx, CORE_STORE_TABLE, { id: Number(row[0]) });
      });
    },
  };
}

/** A stored value, which is JSON for every type. */
function storedValue(text: unknown, type: unknown): unknown {
  if (type === 'number') return Number(text);
  if (text === null || !['object', 'array', 'boolean', 'string'].includes(String(type))) return null;
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    // a text that an earlier version of Galley stored as it is
    return type === 'string' ? text : new Date(String(text));
  }
}

/** Settings of the reference's own that Galley does not keep, by their keys. */
const ABSENT =
  /^(?:strapi_(?:content_types_schema|unidirectional-join-table-repair-ran)|plugin_upload_metrics|plugin_content_manager_configuration_.+)$/;

/** @throws Unsupported for the key of a setting that the reference has and Galley lacks. */
export function requireSetting(key: unknown): void {
  if (typeof key === 'string' && ABSENT.test(key)) missingMember(`the setting ${key} of strapi.store`);
}

/** By name: icon, scope and other settings. */
const PROVIDERS: Readonly<
  Record<string, readonly [icon: string, scope: readonly string[] | undefined, more?: object]>
> = {
  discord: ['discord', ['identify', 'email']],
  facebook: ['facebook-square', ['email']],
  google: ['google', ['email']],
  github: ['github', ['user', 'user:email']],
  microsoft: ['windows', ['user.read']],
  twitter: ['twitter', undefined],
  instagram: ['instagram', ['user_profile']],
  vk: ['vk', ['email']],
  twitch: ['twitch', ['user:read:email']],
  linkedin: ['linkedin', ['r_liteprofile', 'r_emailaddress']],
  cognito: ['aws', ['email', 'openid', 'profile'], { subdomain: 'my.subdomain.com' }],
  reddit: ['reddit', ['identity']],
  auth0: ['', ['openid', 'email', 'profile'], { subdomain: 'my-tenant.eu' }],
  cas: ['book', ['openid email'], { subdomain: 'my.subdomain.com/cas' }],
  patreon: ['', ['identity', 'identity[email]']],
  keycloak: ['', ['openid', 'email', 'profile'], { subdomain: 'myKeycloakProvider.com/realms/myrealm' }],
};

/** The reference's default of a setting, by its key; undefined for any other key. */
export function defaultSetting(key: string): object | undefined {
  switch (key) {
    case 'plugin_users-permissions_email':
      return defaultEntry();
    case 'plugin_users-permissions_grant':
      return providers();
    case 'core_admin_auth':
      return { providers: { autoRegister: false, defaultRole: null, ssoLockedRoles: null } };
    case 'plugin_upload_view_configuration':
      return { pageSize: 10, sort: 'createdAt:DESC' };
    default:
      return undefined;
  }
}

function providers(): object {
  const all = Object.entries(PROVIDERS).map(([name, [icon, scope, more]]) => [
    name,
    {
      ...{ icon, enabled: false, key: '', secret: '', callbackUrl: `api/auth/${name}/callback` },
      ...(scope ? { scope: [...scope] } : {}),
      ...more,
    },
  ]);
  return { email: { icon: 'envelope', enabled: true }, ...Object.fromEntries(all) };
}
