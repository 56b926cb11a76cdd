/** Reads a project's configuration from its files, `.env` and the environment of the process into one frozen Config. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { isKnownCode, nearestCode } from '../locale-codes.ts';
import { besideMeant } from '../nearest.ts';
import { packageOf } from '../package-file.ts';
import { adminConfig } from './admin-config.ts';
import { auditConfig } from './audit-config.ts';
import { backupConfig } from './backup-config.ts';
import type { Config } from './config.ts';
import {
  type ConfigFile,
  type ConfigFiles,
  type EvaluationContext,
  EXTENSIONS,
  readConfigFile,
  readConfigList,
  readConfigValue,
  readOwnConfigFile,
} from './config-file.ts';
import { databaseConfig } from './database-config.ts';
import { createEnv, ensureSecrets, envFileOf, lendVariables, readEnvFile, type Variables } from './environment.ts';
import { eventsConfig, webhooksConfig } from './events-config.ts';
import { codeConfig, EXAMPLE, galleyText } from './galley-config.ts';
import { historyConfig, trashConfig } from './history-config.ts';
import { httpConfig } from './http-config.ts';
import { ignoredSettings } from './ignored-settings.ts';
import { ModuleLoader } from './modules/loader.ts';
import { compiledSources, configFolders } from './modules/tsconfig.ts';
import { withMailProvider, withoutMailOptions, withoutProviderOptions, withProvider } from './provider-code.ts';
import { refuseGuards } from './request-guards.ts';
import { restConfig } from './rest-config.ts';
import { settingSources } from './setting-sources.ts';
import { storageWarnings } from './storage-config.ts';
import { uploadConfig } from './upload-config.ts';
import { cookieWarnings, mailWarnings, usersConfig } from './users-config.ts';
import { integerAt, integerVariable, textAt, textVariable, wordVariable, wrongVariable } from './values.ts';
import { workersOf } from './workers-config.ts';

/** Names of the variables with a project's secrets. Without `ENCRYPTION_KEY` nothing is encrypted. */
export type SecretName = 'API_TOKEN_SALT' | 'JWT_SECRET' | 'ENCRYPTION_KEY';

/** Secrets that are neither in the configuration nor in the environment. */
export interface MissingSecrets {
  readonly names: readonly SecretName[];
  readonly config: Pick<Config, 'dir' | 'database'>;
  /** The file with the project's variables. */
  readonly envFile: string;
}

/** Returns the secrets to create. @throws UsageError to refuse. */
export type ChooseNewSecrets = (missing: MissingSecrets) => Promise<readonly SecretName[]>;

/** Settings from the command line, which take precedence over all others. */
export interface ConfigOverrides {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly workers?: Config['workers'] | undefined;
  /** Whether a person reads the log; decides its default format. */
  readonly isForPeople?: boolean | undefined;
}

export interface LoadOptions {
  /** The environment of the process (default: `process.env`). It takes precedence over `.env`. */
  readonly env?: Variables | undefined;
  readonly overrides?: ConfigOverrides | undefined;
  /**
   * Decides which missing secrets are created and stored in `.env`. Without it, for commands that only read, secrets are
   * generated for this process and nothing is written.
   */
  readonly newSecrets?: ChooseNewSecrets | undefined;
  /** Whether this process has loaded the project before and must read its modules again. */
  readonly again?: boolean | undefined;
}

/**
 * Loads the configuration of the project in `dir`. Precedence: overrides, environment variables, `.env`, configuration
 * files, defaults. `docs/reference/configuration.md` lists all settings.
 *
 * @throws UsageError for a folder that does not exist, a file that throws or exports the wrong shape, and a wrong value.
 */
export async function loadConfig(dir: string, options: LoadOptions = {}): Promise<Config> {
  const context = await openFolder(dir, options);
  return configOf(await readFiles(context), context, options);
}

/** What the evaluation of files needs, and warnings about packages that are missing. */
export interface ConfigContext extends EvaluationContext {
  readonly absent: ReadonlySet<string>;
  /** The file with the project's variables. */
  readonly envFile: string;
}

/** @throws UsageError for a folder that does not exist, and for an invalid `NODE_ENV`. */
export async function openFolder(dir: string, options: LoadOptions): Promise<ConfigContext> {
  const root = resolve(dir);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`no such folder: ${root}${besideMeant(root, (entry) => entry.isDirectory())}`);
  }
  if (options.again) (await import('./modules/fresh-modules.ts')).forgetModules(root);
  const env = definedOnly(options.env ?? process.env);
  const envFile = envFileOf(root, env);
  return { ...evaluationContext(root, { ...readEnvFile(envFile), ...env }), envFile };
}

/** The configuration from files and environment. @throws UsageError for the first wrong value. */
export async function configOf(files: ConfigFiles, context: ConfigContext, options: LoadOptions): Promise<Config> {
  const { dir: root, variables } = context;
  refuseGuards(files);
  const { server, api, admin, plugins } = files;
  const { database, indexes, migrations, warnings } = databaseConfig(root, files.database, variables);
  const http = httpConfig(files, variables, options.overrides?.isForPeople);
  const rest = restConfig(api, files.features);
  const settings = () => settingsOf(files, context);
  const giveStrapi = (strapi: object): void => context.loader.give(strapi);
  const code = codeConfig(root, files, { variables, settings, giveStrapi });
  const { loader } = context;
  const providers = { dir: root, loader, runs: code.run };
  const upload = withProvider(uploadConfig(files, variables), plugins, providers);
  const users = withMailProvider(usersConfig(files, variables), plugins, providers);
  const config = {
    dir: root,
    ...namedBy(root),
    host: options.overrides?.host ?? textVariable(variables, 'HOST') ?? textAt(server, 'host') ?? '0.0.0.0',
    port:
      options.overrides?.port ??
      integerVariable(variables, 'PORT', ...PORTS) ??
      integerAt(server, 'port', 1337, ...PORTS),
    workers: options.overrides?.workers ?? workersOf(server, variables),
    database: Object.freeze(database),
    indexes,
    migrations: Object.freeze(migrations),
    rest: Object.freeze(rest),
    upload: Object.freeze(upload),
    users: Object.freeze(users),
    http: Object.freeze(http),
    admin: Object.freeze(adminConfig(admin, rest.prefix, users.publicUrl)),
    events: Object.freeze(eventsConfig(server)),
    history: Object.freeze(historyConfig(files.galley)),
    trash: Object.freeze(trashConfig(files.galley)),
    webhooks: Object.freeze(webhooksConfig(server, variables)),
    audit: auditConfig(files.galley),
    backup: Object.freeze(await backupConfig(files, variables)),
    code: Object.freeze(code),
    publicDir: resolve(root, textAt(server, 'dirs.public') ?? 'public'),
    initialLocale: initialLocaleOf(variables),
    sources: settingSources(files, variables),
    logSql: wordVariable(variables, 'GALLEY_LOG', ['sql'], 'sql or unset') !== undefined,
    warnings: Object.freeze([
      ...context.absent,
      ...warnings,
      ...storageWarnings(upload.storage),
      ...mailWarnings(users),
      ...graphqlWarnings(root, code, files.plugins.path),
      ...cookieWarnings(users, http.cors),
      ...ignoredSettings(withoutMailOptions(withoutProviderOptions(files, upload), users), code.run),
      ...(code.run ? [] : unreadFiles(context)),
    ]),
  };
  // last, since nothing may be written for a configuration that is refused
  const secrets = await secretsOf({ config, envFile: context.envFile }, options.newSecrets, {
    API_TOKEN_SALT: textVariable(variables, 'API_TOKEN_SALT') ?? textAt(admin, 'apiToken.salt'),
    JWT_SECRET: textVariable(variables, 'JWT_SECRET') ?? textAt(plugins, 'users-permissions.config.jwtSecret'),
    ENCRYPTION_KEY: textVariable(variables, 'ENCRYPTION_KEY') ?? textAt(admin, 'secrets.encryptionKey'),
  });
  return Object.freeze({ ...config, ...secrets });
}

/** Configuration files that may import packages which only Strapi's panel needs. */
const OF_PANEL = /^(?:env\/[^/]+\/)?(?:admin|plugins)\.[^/]+$/;
/** Packages that these files need nevertheless: `@strapi/utils` reads the environment. */
const REQUIRED = new Set(['@strapi/utils']);

/** Replaces packages that `config/database` of new Strapi projects imports, where Strapi is not installed. */
const STAND_INS: Readonly<Record<string, object>> = {
  '@strapi/database': {
    isDatabaseClientKind: (client: unknown) => ['sqlite', 'mysql', 'postgres'].includes(String(client)),
  },
};

function evaluationContext(dir: string, variables: Variables): Omit<ConfigContext, 'envFile'> {
  const absent = new Set<string>();
  const folders = configFolders(dir);
  const mayLack = (name: string, loaded: string, path: string): boolean => {
    const isOfPanel = folders.some(
      (one) => loaded.startsWith(`${one}/`) && OF_PANEL.test(loaded.slice(one.length + 1)),
    );
    if (!isOfPanel || REQUIRED.has(name)) return false;
    absent.add(`${path} is read without the package ${name}, which is not installed; values from it are left out.`);
    return true;
  };
  return {
    absent,
    dir,
    folders,
    env: createEnv(variables),
    variables,
    environment: environmentName(variables),
    loader: new ModuleLoader({ dir, mayLack, standIn: (name) => STAND_INS[name] }),
  };
}

/**
 * Reads all configuration files.
 *
 * @param failed called for each file that cannot be read and is treated as empty; without it, the first such file throws.
 */
export async function readFiles(
  context: EvaluationContext,
  failed?: (error: UsageError) => void,
): Promise<ConfigFiles> {
  const read = async <File extends ConfigFile<unknown>>(name: string, work: () => Promise<File>, nothing: object) => {
    try {
      return await work();
    } catch (error) {
      if (!failed || !(error instanceof UsageError)) throw error;
      failed(error);
      return { path: `config/${name}`, value: nothing } as unknown as File;
    }
  };
  const tree = (name: string) => read(name, () => readConfigFile(name, context), {});
  return {
    server: await tree('server'),
    api: await tree('api'),
    database: await tree('database'),
    admin: await tree('admin'),
    plugins: await tree('plugins'),
    features: await tree('features'),
    middlewares: await read('middlewares', () => readConfigList('middlewares', context), []),
    galley: await read('galley', () => readOwnConfigFile('galley', context, (path) => galleyText(path, EXAMPLE)), {}),
  };
}

/** `NODE_ENV`, which names a folder below `config/env`; Strapi's default is development. */
function environmentName(variables: Variables): string {
  const name = variables['NODE_ENV'] || 'development';
  if (!/^[\w.-]+$/.test(name)) throw wrongVariable('NODE_ENV', name, 'a plain word such as production');
  return name;
}

async function secretsOf(
  place: Omit<MissingSecrets, 'names'>,
  choose: ChooseNewSecrets | undefined,
  set: Readonly<Record<SecretName, string | undefined>>,
): Promise<Pick<Config, 'apiTokenSalt' | 'jwtSecret' | 'encryptionKey'>> {
  const names = (Object.keys(set) as SecretName[]).filter((name) => set[name] === undefined);
  const chosen = names.length > 0 && choose ? await choose({ ...place, names }) : [];
  if (chosen.length > 0) {
    // no file may be written into a folder that is no project; loaded here only, since the parent of workers stays small
    const { requireProject } = await import('../project-folder.ts');
    requireProject(place.config.dir, compiledSources(place.config.dir));
  }
  const created = chosen.length > 0 ? await ensureSecrets(place.envFile, chosen) : new Map<string, string>();
  const secret = (name: SecretName): string | undefined => set[name] ?? created.get(name);
  const temporary = (): string => randomBytes(32).toString('base64');
  return {
    apiTokenSalt: secret('API_TOKEN_SALT') ?? temporary(),
    jwtSecret: secret('JWT_SECRET') ?? temporary(),
    encryptionKey: secret('ENCRYPTION_KEY'),
  };
}

const PORTS = [0, 65535] as const;
/** The reference's variable. It is used while the database has no locale. */
const INITIAL_LOCALE = 'STRAPI_PLUGIN_I18N_INIT_LOCALE_CODE';

function initialLocaleOf(variables: Variables): string {
  const code = variables[INITIAL_LOCALE] || 'en';
  if (isKnownCode(code)) return code;
  const near = nearestCode(code);
  throw wrongVariable(
    INITIAL_LOCALE,
    code,
    `the code of a language such as en or pt-BR${near === undefined ? '' : ` (did you mean ${near}?)`}`,
  );
}

/** The values of all files, including the project's own, and Strapi's additions: `strapi.config` of the project's code. */
async function settingsOf(files: ConfigFiles, context: ConfigContext): Promise<Record<string, unknown>> {
  lendVariables(context.envFile);
  const settings: Record<string, unknown> = {};
  for (const [name, { value }] of Object.entries(files)) settings[name] = value;
  for (const { name } of otherFiles(context)) {
    settings[name] ??= await readConfigValue(name, context);
  }
  return { environment: context.environment, info: packageOf(context.dir), ...settings };
}

/** The project's name (of `package.json` without the scope, or of its folder) and version. */
function namedBy(dir: string): Pick<Config, 'name' | 'version'> {
  const { name, version } = packageOf(dir);
  return {
    name: typeof name === 'string' && name !== '' ? name.slice(name.indexOf('/') + 1) : basename(dir),
    version: typeof version === 'string' && version !== '' ? version : '1.0.0',
  };
}

/** A warning where the project has Strapi's plugin graphql, of which nothing is served here. */
function graphqlWarnings(dir: string, { plugins }: Config['code'], file: string): string[] {
  const { dependencies } = packageOf(dir);
  const entry = plugins.find(({ name }) => name === 'graphql');
  const isEnabled = entry ? entry.enabled : Object.hasOwn(Object(dependencies) as object, '@strapi/plugin-graphql');
  const place = entry ? file : 'package.json';
  return isEnabled ? [`${place}: the plugin graphql is enabled, but Galley has no GraphQL: /graphql answers 404.`] : [];
}

/** A warning about other files of the folder, whose values Strapi offers to the project's code. */
function unreadFiles(context: EvaluationContext): string[] {
  const unread = otherFiles(context).map(({ path }) => path);
  return unread.length > 0 ? [`Not read: ${unread.join(', ')}.`] : [];
}

function otherFiles({ dir, folders }: EvaluationContext): { readonly name: string; readonly path: string }[] {
  const read = /^(server|api|database|admin|plugins|features|middlewares|galley|cron-tasks)\./;
  const extensions = new Set<string>(EXTENSIONS);
  const found = folders.map((folder) =>
    // Node's glob would be loaded only for this
    (existsSync(resolve(dir, folder)) ? readdirSync(resolve(dir, folder)) : [])
      .filter((file) => extensions.has(extname(file)) && !file.startsWith('.'))
      .filter((file) => !read.test(file) && !file.endsWith('.d.ts'))
      .sort()
      .map((file) => ({ name: file.slice(0, file.lastIndexOf('.')), path: `${folder}/${file}` })),
  );
  const [sources = [], compiled = []] = found;
  return [...sources, ...compiled.filter(({ name }) => !sources.some((one) => one.name === name))];
}

function definedOnly(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}
