/** `strapi.store`: settings of code, kept in the table in which the reference keeps them. */
import { deleteRows, insertRow, selectRows, updateRows } from '../../db/interface/statements.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { DEFAULT_TEMPLATES, PLACEHOLDER_SENDER } from '../../users/mail/mail-templates.ts';
import type { CodeRooms } from '../rooms.ts';

interface Place {
  readonly key?: string;
  readonly type?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly tag?: string;
}

/** The functions of a store, with what they name by themselves. */
export function storeOf({ database }: Pick<CodeRooms, 'database'>, defaults: Place = {}) {
  const keyOf = (place: Place): string => {
    const { key, type = 'core', name } = { ...defaults, ...place };
    if (key === undefined) throw new Error('strapi.store: a key is needed');
    return name ? `${type}_${name}_${key}` : `${type}_${key}`;
  };
  return {
    async get(place: Place = {}): Promise<unknown> {
      const key = keyOf(place);
      const [row] = await selectRows(database, CORE_STORE_TABLE, ['value', 'type'], { key });
      if (!row) return accountDefaults(key) ?? null;
      const [value, type] = row.map((one) => (one === null ? null : String(one)));
      if (value === null || value === undefined) return null;
      return type === 'string' ? value : (JSON.parse(value) as unknown);
    },
    async set({ value, ...place }: Place & { readonly value: unknown }): Promise<void> {
      const key = keyOf(place);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      await database.transaction(async (tx) => {
        const [row] = await selectRows(tx, CORE_STORE_TABLE, ['id'], { key });
        const columns = { value: text ?? null, type: value === null ? 'object' : typeof value };
        if (row) await updateRows(tx, CORE_STORE_TABLE, columns, { id: Number(row[0]) });
        else await insertRow(tx, CORE_STORE_TABLE, { key, ...columns, environment: null, tag: null });
      });
    },
    async delete(place: Place = {}): Promise<void> {
      const key = keyOf(place);
      await database.transaction((tx) => deleteRows(tx, CORE_STORE_TABLE, { key }));
    },
  };
}

const ICONS = { reset_password: 'sync', email_confirmation: 'check-square' } as const;

/** By name: icon, scope, and what else one has. */
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

/** A setting as the reference has it before anybody has changed it, by its key; undefined for any other key. */
function accountDefaults(key: string): object | undefined {
  if (key === 'plugin_users-permissions_email') return templates();
  return key === 'plugin_users-permissions_grant' ? providers() : undefined;
}

function templates(): object {
  const template = (name: keyof typeof ICONS) => ({
    display: `Email.template.${name}`,
    icon: ICONS[name],
    options: {
      from: { name: 'Administration Panel', email: PLACEHOLDER_SENDER },
      response_email: '',
      object: DEFAULT_TEMPLATES[name].subject,
      message: DEFAULT_TEMPLATES[name].message,
    },
  });
  return { reset_password: template('reset_password'), email_confirmation: template('email_confirmation') };
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
