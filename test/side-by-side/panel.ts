/**
 * Strapi on a copy of what the administration app has written: its schema files, its secrets and its database. What the
 * panel of Strapi shows of them, and what the app shows, in the same form.
 */
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseEnv } from 'node:util';
import type { ContentTypesState } from '../../admin/contract/content-types.ts';
import type { Permittable, Person, Role, RoleSummary } from '../../admin/contract/people.ts';
import { freePort, type Target } from '../../bench/processes.ts';
import { startStrapi } from '../../bench/strapi.ts';

/** Reads an address of an administration API, below its root: `roles`. */
export type Ask = (place: string) => Promise<unknown>;

/** The content types, the roles of administrators and of the site, the API tokens and the administrators. */
export interface Shown {
  readonly types: Readonly<Record<string, object>>;
  readonly roles: Readonly<Record<string, object>>;
  readonly siteRoles: Readonly<Record<string, readonly string[]>>;
  readonly tokens: readonly object[];
  readonly people: readonly object[];
}

interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface Panel {
  /** The address of Strapi. */
  readonly url: string;
  /** Signs an administrator in. */
  signIn(credentials: Credentials): Promise<Ask>;
  stop(): Promise<void>;
}

/**
 * Starts Strapi on the schema files of a project and on its database: a copy of one of SQLite, PostgreSQL itself.
 *
 * @param env the variables of Galley: those that name the database, and secrets that are not those of the `.env`.
 */
export async function openPanel(dir: string, env: Readonly<Record<string, string>>): Promise<Panel> {
  const work = mkdtempSync(path.join(tmpdir(), 'galley-panel-'));
  let target: Target;
  try {
    const project = path.join(work, 'project');
    copySchemas(dir, project);
    writeConfig(project, { ...parseEnv(readFileSync(path.join(dir, '.env'), 'utf8')), ...env });
    const port = await freePort();
    const database = env['DATABASE_URL'] ?? copied(env['DATABASE_FILENAME']!, path.join(work, 'content.db'));
    target = await startStrapi({ project, database, work, port, headers: {}, probe: '/admin/init' });
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    throw error;
  }
  return {
    url: target.url,
    async signIn(credentials) {
      const { token } = (await answerOf(`${target.url}/admin/login`, { body: credentials })) as { token: string };
      return (place) => answerOf(`${target.url}/${place}`, { token });
    },
    async stop() {
      await target.stop();
      rmSync(work, { recursive: true, force: true });
    },
  };
}

function copySchemas(from: string, to: string): void {
  for (const file of globSync(['src/api/**/schema.json', 'src/components/**/*.json'], { cwd: from })) {
    mkdirSync(path.join(to, path.dirname(file)), { recursive: true });
    cpSync(path.join(from, file), path.join(to, file));
  }
  mkdirSync(path.join(to, 'public/uploads'), { recursive: true });
}

/** What Strapi wants of a configuration, with the secrets of the project. */
function writeConfig(project: string, secrets: NodeJS.Dict<string>): void {
  const configs = {
    admin: {
      auth: { secret: 'sessions of this panel' },
      apiToken: { salt: secrets['API_TOKEN_SALT'] },
      transfer: { token: { salt: 'transfers of this panel' } },
      secrets: { encryptionKey: secrets['ENCRYPTION_KEY'] },
      serveAdminPanel: false,
    },
    plugins: { 'users-permissions': { config: { jwtSecret: secrets['JWT_SECRET'] } } },
  };
  mkdirSync(path.join(project, 'config'), { recursive: true });
  const write = (name: string, text: string) =>
    writeFileSync(path.join(project, `config/${name}.js`), `module.exports = ({ env }) => (${text});\n`);
  for (const [name, config] of Object.entries(configs)) write(name, JSON.stringify(config));
  write('server', "{ host: '127.0.0.1', port: env.int('PORT'), app: { keys: ['cookies of this panel'] } }");
  write('api', '{}');
  write(
    'database',
    "{ connection: { client: 'sqlite', connection: { filename: env('DATABASE_FILENAME') }, useNullAsDefault: true } }",
  );
}

/** A copy of a database file whose last changes may be in another file. */
function copied(file: string, to: string): string {
  if (!existsSync(file)) throw new Error(`there is no database ${file}`);
  using database = new DatabaseSync(file, { readOnly: true });
  database.prepare('vacuum into ?').run(to);
  return to;
}

async function answerOf(url: string, { body, token }: { body?: object; token?: string }): Promise<unknown> {
  const response = await fetch(url, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${url}: ${text}`);
  const { data } = JSON.parse(text) as { data?: unknown };
  return data ?? JSON.parse(text);
}

type Attributes = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Schema {
  readonly kind?: string;
  readonly collectionName?: string;
  readonly attributes: Attributes;
}

const KEYS = ['type', 'relation', 'target', 'component', 'components', 'repeatable', 'pluginOptions'];

/** The attributes as both show them: `targetAttribute` in Strapi is the other side of a relation. */
const attributesOf = (attributes: Attributes): object =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, one]) => {
      const other = one['mappedBy'] ?? one['inversedBy'] ?? one['targetAttribute'] ?? null;
      const own = KEYS.flatMap((key) => (one[key] === undefined ? [] : [[key, one[key]]]));
      return [name, { ...Object.fromEntries(own), ...(one['type'] === 'relation' && { other }) }];
    }),
  );

const sortedBy = <T>(list: readonly T[], key: (one: T) => string): T[] =>
  [...list].sort((one, other) => key(one).localeCompare(key(other)));

const sorted = (list: readonly string[] | null | undefined): readonly string[] | null =>
  list ? [...list].sort() : null;

const SUPER = 'strapi-super-admin';

interface Permission {
  readonly action: string;
  readonly subject: string | null;
  readonly fields: readonly string[] | null;
  readonly locales: readonly string[] | null;
  readonly conditions: readonly string[];
}

/** Super Admin has every permission of the program that serves. */
const permissionsOf = (role: string, permissions: readonly Permission[]): object | 'all' =>
  role === SUPER
    ? 'all'
    : Object.fromEntries(
        sortedBy(permissions, ({ action, subject }) => `${action} ${subject}`).map(
          ({ action, subject, fields, locales, conditions }) => [
            `${action} ${subject ?? ''}`.trim(),
            { fields: sorted(fields), locales: sorted(locales), conditions },
          ],
        ),
      );

interface TokenShown {
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly permissions: readonly string[];
  readonly expiresAt: string | null;
}

const tokensOf = (tokens: readonly TokenShown[]): object[] =>
  sortedBy(tokens, ({ name }) => name).map(({ name, type, description, permissions, expiresAt }) => ({
    ...{ name, type, description: description ?? '', permissions: sorted(permissions), expiresAt },
  }));

/** What Strapi's panel shows to an administrator. */
export async function shownByPanel(ask: Ask): Promise<Shown> {
  type Role = { id: number; code: string; name: string; description: string; usersCount: number };
  type Stored = Omit<Permission, 'fields' | 'locales'> & {
    readonly properties: Partial<Pick<Permission, 'fields' | 'locales'>>;
  };
  type Type = { uid: string; schema: Schema & { displayName: string; draftAndPublish?: boolean } };
  type SiteRole = { id: number; type: string };
  type Controllers = Record<string, { controllers: Record<string, Record<string, { enabled: boolean }>> }>;
  type User = Credentials & { firstname: string; isActive: boolean; roles: { code: string }[] };

  const places = ['content-type-builder/content-types', 'content-type-builder/components'];
  const types = ((await Promise.all(places.map(ask))) as Type[][]).flat();
  const roles = await Promise.all(
    ((await ask('admin/roles')) as Role[]).map(async ({ id, code, name, description, usersCount }) => {
      const permissions = ((await ask(`admin/roles/${id}/permissions`)) as Stored[]).map(
        ({ action, subject, properties: { fields = null, locales = null }, conditions }) => ({
          ...{ action, subject, fields, locales, conditions },
        }),
      );
      return [code, { name, description, people: usersCount, permissions: permissionsOf(code, permissions) }] as const;
    }),
  );
  const siteRoles = await Promise.all(
    ((await ask('users-permissions/roles')) as { roles: SiteRole[] }).roles.map(async ({ id, type }) => {
      const { role } = (await ask(`users-permissions/roles/${id}`)) as { role: { permissions: Controllers } };
      const actions = Object.entries(role.permissions).flatMap(([place, { controllers }]) =>
        Object.entries(controllers).flatMap(([controller, entries]) =>
          Object.entries(entries).flatMap(([name, { enabled }]) => (enabled ? [`${place}.${controller}.${name}`] : [])),
        ),
      );
      return [type, actions.sort()] as const;
    }),
  );
  const { results: users } = (await ask('admin/users?pageSize=100')) as { results: User[] };
  return {
    types: Object.fromEntries(
      sortedBy(types, ({ uid }) => uid)
        .filter(({ uid }) => !/^(?:plugin|admin)::/.test(uid))
        .map(({ uid, schema: { kind, displayName, draftAndPublish, attributes } }) => [
          uid,
          {
            kind: kind ?? 'component',
            displayName,
            drafts: draftAndPublish === true,
            attributes: attributesOf(attributes),
          },
        ]),
    ),
    roles: Object.fromEntries(sortedBy(roles, ([code]) => code)),
    siteRoles: Object.fromEntries(sortedBy(siteRoles, ([type]) => type)),
    tokens: tokensOf((await ask('admin/api-tokens')) as TokenShown[]),
    people: sortedBy(users, ({ email }) => email).map(({ email, firstname, isActive, roles: held }) => ({
      ...{ email, firstname, isActive, roles: sorted(held.map(({ code }) => code)) },
    })),
  };
}

/** The same, as the administration app shows it. */
export async function shownByApp(ask: Ask): Promise<Shown> {
  const { types } = (await ask('content-types')) as ContentTypesState;
  const { types: permittable, locales } = (await ask('roles/permittable')) as Permittable;
  /** A list, also where it stands for everything. */
  const whole = (permission: Permission): Permission => {
    const type = permittable.find(({ uid }) => uid === permission.subject);
    if (!type) return permission;
    const hasFields = !/\.(?:delete|publish)$/.test(permission.action);
    return {
      ...permission,
      fields: hasFields ? (permission.fields ?? type.fields) : null,
      locales: type.localized ? (permission.locales ?? locales) : null,
    };
  };
  const roles = await Promise.all(
    ((await ask('roles')) as RoleSummary[]).map(async ({ id, code, name, description, people }) => {
      const { permissions } = (await ask(`roles/${id}`)) as Role;
      return [code, { name, description, people, permissions: permissionsOf(code, permissions.map(whole)) }] as const;
    }),
  );
  const siteRoles = (await ask('permissions/roles')) as { type: string; actions: readonly string[] }[];
  return {
    types: Object.fromEntries(
      sortedBy(types, ({ uid }) => uid)
        .filter(({ origin }) => origin === 'project')
        .map(({ uid, kind, displayName, schema }) => {
          const { options, attributes } = schema as { options?: { draftAndPublish?: boolean }; attributes: Attributes };
          const drafts = options?.draftAndPublish === true;
          return [uid, { kind, displayName, drafts, attributes: attributesOf(attributes) }];
        }),
    ),
    roles: Object.fromEntries(sortedBy(roles, ([code]) => code)),
    siteRoles: Object.fromEntries(
      sortedBy(siteRoles, ({ type }) => type).map(({ type, actions }) => [type, [...actions].sort()]),
    ),
    tokens: tokensOf((await ask('tokens')) as TokenShown[]),
    people: sortedBy((await ask('people')) as Person[], ({ email }) => email).map(
      ({ email, firstname, state, roles: held }) => ({
        ...{ email, firstname, isActive: state === 'active', roles: sorted(held.map(({ code }) => code)) },
      }),
    ),
  };
}
