/** `strapi.plugin(name)` of the built-in plugins: users-permissions, upload, email and i18n. */
import { listLocales, updateLocale } from '../../content/locales/locales.ts';
import { ContentError } from '../../errors.ts';
import { emailService } from '../built-in/email-service.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { Row, Rows } from '../documents/rows.ts';
import { guarded, missingMember } from '../guarded.ts';
import { MISSING } from '../members/members.ts';
import { OF_PANEL_PLUGINS, PANEL_PLUGINS } from '../members/reference-parts.ts';
import type { ExtendedServices } from '../plugins/extended-services.ts';
import type { Registry } from '../registry.ts';
import { rateLimit } from '../requests/rate-limit.ts';
import { rowIdOrNone } from '../row-id.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Schemas } from '../schemas/schemas.ts';
import { imageService } from '../upload/image-service.ts';
import { apiFolderService, fileService, uploadService } from '../upload/upload-service.ts';
import type { Accounts } from './accounts.ts';
import { jwtService } from './jwt.ts';
import type { Settings } from './settings.ts';

export interface PluginContext {
  readonly runtime: RuntimeContext;
  readonly accounts: Accounts;
  readonly changedServices: ExtendedServices;
  readonly routesOf: (name: string) => object | undefined;
  readonly controllers: Registry<Record<string, unknown>>;
  readonly rowsOf: (uid: string) => Rows;
  readonly schemas: Schemas;
  readonly settings: Settings;
  /** Take those of the plugins. */
  readonly middlewares: Registry<unknown>;
}

type Services = Readonly<Record<string, object>>;

/** The plugins by name. */
export function builtInPlugins(context: PluginContext): Readonly<Record<string, object>> {
  const { runtime, rowsOf } = context;
  context.middlewares.set('plugin::users-permissions.rateLimit', rateLimit(runtime));
  const { accounts } = context;
  const folders = rowsOf('plugin::upload.folder');
  const services: Readonly<Record<string, Services>> = {
    'users-permissions': {
      user: userService(accounts, runtime),
      jwt: jwtService(runtime),
      role: roleService(runtime, rowsOf('plugin::users-permissions.role')),
    },
    upload: {
      upload: uploadService(runtime, { files: rowsOf('plugin::upload.file'), folders }),
      folder: folderService(runtime, folders),
      file: fileService(folders),
      'image-manipulation': imageService(runtime),
      'api-upload-folder': apiFolderService(runtime, folders),
    },
    email: { email: emailService(runtime, context.settings) },
    i18n: { locales: localeService(runtime, rowsOf('plugin::i18n.locale')) },
  };
  return Object.fromEntries(Object.entries(services).map(([name, own]) => [name, plugin(name, own, context)]));
}

/** Plugins of the panel by name, of which Galley has the types and the settings. */
export function panelPlugins({ schemas, settings }: PluginContext): Readonly<Record<string, object>> {
  const one = (name: string): object =>
    guarded(
      `strapi.plugin('${name}')`,
      {
        get contentTypes() {
          return typesOf(schemas, name);
        },
        contentType: (key: string) => typesOf(schemas, name)[key],
        config: (key: string, fallback?: unknown) => settings.get(`plugin::${name}.${key}`, fallback),
      },
      { missing: OF_PANEL_PLUGINS },
    );
  return Object.fromEntries(PANEL_PLUGINS.map((name) => [name, one(name)]));
}

/** The schemas of a plugin's types by their names, filled in once the plugins of the project are loaded. */
function typesOf({ contentTypes }: Schemas, plugin: string) {
  const types = Object.entries(contentTypes).filter(([uid]) => uid.startsWith(`plugin::${plugin}.`));
  return Object.fromEntries(types.map(([uid, schema]) => [uid.slice(uid.lastIndexOf('.') + 1), schema]));
}

function plugin(name: string, own: Services, context: PluginContext): object {
  const { schemas, settings, changedServices: extended, controllers, routesOf } = context;
  const place = `strapi.plugin('${name}')`;
  const named = Object.fromEntries(
    Object.entries(own).map(([key, service]) => [key, guarded(`${place}.service('${key}')`, service)]),
  );
  const missing = (key: string) =>
    MISSING[`${place}.services`]!.has(key) ? missingMember(`${place}.service('${key}')`) : undefined;
  return guarded(place, {
    get services() {
      const members = extended.names(name).map((key) => [key, extended.get(name, key)]);
      return guarded(`${place}.services`, { ...named, ...Object.fromEntries(members) });
    },
    service: (key: string) => extended.get(name, key) ?? named[key] ?? missing(key),
    get contentTypes() {
      return typesOf(schemas, name);
    },
    contentType: (key: string) => typesOf(schemas, name)[key],
    config: (key: string, fallback?: unknown) => settings.get(`plugin::${name}.${key}`, fallback),
    controller: (key: string) =>
      controllers.get(`plugin::${name}.${key}`) ?? missingMember(`${place}.controller('${key}')`),
    get controllers() {
      const space = `plugin::${name}.`;
      const uids = controllers.uids.filter((uid) => uid.startsWith(space));
      return uids.length === 0
        ? missingMember(`${place}.controllers`)
        : Object.fromEntries(uids.map((uid) => [uid.slice(space.length), controllers.get(uid)]));
    },
    get routes() {
      return routesOf(name) ?? missingMember(`${place}.routes`);
    },
  });
}

function userService(accounts: Accounts, { mail }: Pick<RuntimeContext, 'mail'>): object {
  const withRole = async (user: unknown) =>
    user === null ? null : accounts.fetchAuthenticatedUser((user as { id: number }).id);
  return {
    add: async (values: Params) => withRole(await accounts.add(values)),
    edit: async (id: number, values: Params) => withRole(await accounts.edit(id, values)),
    remove: (where: { id: number }) => accounts.remove(where),
    fetch: (id: number, params?: Params) => accounts.fetch(id, params),
    fetchAll: (params?: Params) => accounts.fetchAll(params),
    fetchAuthenticatedUser: (id: number) => accounts.fetchAuthenticatedUser(id),
    count: (params?: Params) => accounts.count(params),
    ensureHashedPasswords: (values: Params) => accounts.ensureHashedPasswords(values),
    sendConfirmationEmail: ({ id, email }: Params) => mail.confirm(rowIdOrNone(id), String(email)),
    validatePassword: (password: string, hash: string) => accounts.validatePassword(password, hash),
  };
}

function folderService({ media: { library }, views }: RuntimeContext, rows: Rows): object {
  return {
    async create({ name, parent = null }: Params) {
      const parentId = (parent as Params | null)?.['id'] ?? parent;
      const { id } = await library.createFolder({ name: String(name), parent: parentId }, views.code);
      return rows.findOne({ where: { id } });
    },
    exists: async (where: Params = {}) => Number(await rows.count({ where })) > 0,
  };
}

/** Roles, whose grants are written as `{ 'api::a': { controllers: { a: { find: { enabled: true } } } } }`. */
function roleService({ roles, database }: RuntimeContext, rows: Rows): object {
  return {
    async find() {
      const [found, counted] = [(await rows.findMany()) as Row[], await roles.list()];
      return found.map((role) => ({ ...role, nb_users: counted.find(({ id }) => id === role.id)?.nb_users ?? 0 }));
    },
    async findOne(id: number | string) {
      const { permissions } = (await roles.one(rowIdOrNone(id))) as Params;
      return { ...((await rows.findOne({ where: { id } })) as Row), permissions };
    },
    createRole: ({ permissions = {}, ...data }: Params) =>
      database.within(async () => {
        const { id } = (await rows.create({ data })) as Row;
        await roles.grant(id, permissions);
      }),
    /** Permissions that are not listed are revoked from the role, as in the reference. */
    updateRole: (id: number | string, { name, description, permissions = {} }: Params) =>
      database.within(async () => {
        await rows.update({ where: { id }, data: { name, description } });
        await roles.grant(rowIdOrNone(id), permissions);
      }),
    deleteRole: (id: number | string) => roles.remove(rowIdOrNone(id)),
  };
}

function localeService({ locales, database }: RuntimeContext, rows: Rows): object {
  return {
    find: (where: Params = {}) => rows.findMany({ where }),
    findByCode: (code: string) => rows.findOne({ where: { code } }),
    findById: (id: number) => rows.findOne({ where: { id } }),
    count: (where: Params = {}) => rows.count({ where }),
    create: (data: Params) => rows.create({ data }),
    update: (where: Params, data: Params) => rows.update({ where, data }),
    delete: ({ id }: Params) => rows.delete({ where: { id } }),
    getDefaultLocale: () => locales.default(),
    setDefaultLocale: ({ code }: Params) =>
      database.transaction(async (tx) => {
        const locale = (await listLocales(tx)).find((one) => one.code === code);
        if (!locale) throw new ContentError('NotFoundError', 'Locale not found');
        await updateLocale(tx, locale, { isDefault: true });
      }),
    async setIsDefault(found: Params | readonly Params[] | null | undefined) {
      if (!found) return found;
      const chosen = await locales.default();
      const described = (locale: Params) => ({ ...locale, isDefault: locale['code'] === chosen });
      return Array.isArray(found) ? found.map(described) : described(found as Params);
    },
  };
}
