/** Reads a project's configuration: files, `.env` and the process's environment → one frozen Config. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { isKnownCode, nearestCode } from '../locale-codes.ts';
import { besideMeant } from '../nearest.ts';
import { adminConfig } from './admin-config.ts';
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
import { databaseConfig } from './database/database-config.ts';
import { envFileOf, keepSecrets, lendVariables, readEnvFile } from './env-file.ts';
import { createEnv, type Variables } from './env-helper.ts';
import { eventsConfig } from './events/events-config.ts';
import { webhooksConfig } from './events/webhooks-config.ts';
import { codeConfig, EXAMPLE, galleyText } from './galley-config.ts';
import { httpConfig } from './http-config.ts';
import { withMailProvider, withoutMailOptions } from './mail/mail-provider.ts';
import { refuseGuards } from './middlewares/guards.ts';
import { wrongVariable } from './mistake.ts';
import { configFolders } from './modules/compiled.ts';
import { ModuleLoader } from './modules/loader.ts';
import { restConfig } from './rest-config.ts';
import { unhonouredKeys } from './unhonoured.ts';
import { withoutProviderOptions, withProvider } from './uploads/provider-code.ts';
import { storageWarnings } from './uploads/storage-config.ts';
import { uploadConfig } from './uploads/upload-config.ts';
import { cookieWarnings, mailWarnings, usersConfig } from './users-config.ts';
import { integerAt, parseInteger, rangeText, textAt } from './values.ts';
import { workersOf } from './workers-config.ts';

/** Variables of the secrets that a project has. A missing `ENCRYPTION_KEY` means that nothing is encrypted. */
export type SecretName = 'API_TOKEN_SALT' | 'JWT_SECRET' | 'ENCRYPTION_KEY';

/** Secrets that neither configuration nor environment has. */
export interface MissingSecrets {
  readonly names: readonly SecretName[];
  readonly config: Pick<Config, 'dir' | 'database'>;
  /** The file that has the project's variables. */
  readonly envFile: string;
}

/** Gives the names of the secrets to create. Throws UsageError to refuse. */
export type ChooseNewSecrets = (missing: MissingSecrets) => Promise<readonly SecretName[]>;

/** What the command line says; it wins over everything else. */
export interface ConfigOverrides {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly workers?: Config['workers'] | undefined;
  /** Whether a person reads the log, unless the configuration says how it is to be written. */
  readonly isForPeople?: boolean | undefined;
}

export interface LoadOptions {
  /** The process's environment; `process.env` when left out. It wins over `.env`. */
  readonly env?: Variables | undefined;
  readonly overrides?: ConfigOverrides | undefined;
  /**
   * Decides which of the missing secrets are created and stored in `.env`. Left out, for commands that only look: secrets
   * are generated for this process only and nothing is written.
   */
  readonly newSecrets?: ChooseNewSecrets | undefined;
  /** Whether the project was loaded before, by this process: then its modules are read anew. */
  readonly again?: boolean | undefined;
}

/**
 * The configuration of the project in `dir`. Precedence: overrides, environment variables, `.env`, configuration
 * files, defaults. Throws UsageError with one line for a folder that is not there, a file that throws or exports the
 * wrong shape, and a value of the wrong kind. `docs/reference/configuration.md` lists everything that is read.
 */
export async function loadConfig(dir: string, options: LoadOptions = {}): Promise<Config> {
  const context = await openFolder(dir, options);
  return configOf(await readFiles(context), context, options);
}

/** What the files are evaluated with, and packages that they go without. */
export interface ConfigContext extends EvaluationContext {
  readonly absent: ReadonlySet<string>;
  /** The file that has the project's variables. */
  readonly envFile: string;
}

/** @throws UsageError for a folder that is not there, and an environment that cannot be. */
export async function openFolder(dir: string, options: LoadOptions): Promise<ConfigContext> {
  const root = resolve(dir);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`no such folder: ${root}${besideMeant(root, (entry) => entry.isDirectory())}`);
  }
  if (options.again) (await import('./fresh-modules.ts')).forgetModules(root);
  const env = definedOnly(options.env ?? process.env);
  const envFile = envFileOf(root, env);
  return { ...evaluationContext(root, { ...readEnvFile(envFile), ...env }), envFile };
}

/** What files and environment say together. @throws UsageError for the first value of the wrong kind. */
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
    host: options.overrides?.host ?? (variables['HOST'] || undefined) ?? textAt(server, 'host') ?? '0.0.0.0',
    port: options.overrides?.port ?? portVariable(variables) ?? integerAt(server, 'port', 1337, 0, 65535),
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
    webhooks: Object.freeze(webhooksConfig(server, variables)),
    code: Object.freeze(code),
    publicDir: resolve(root, textAt(server, 'dirs.public') ?? 'public'),
    initialLocale: initialLocaleOf(variables),
    logSql: logsSql(variables),
    warnings: Object.freeze([
      ...context.absent,
      ...warnings,
      ...storageWarnings(upload.storage),
      ...mailWarnings(users),
      ...cookieWarnings(users, http.cors),
      ...unhonouredKeys(withoutMailOptions(withoutProviderOptions(files, upload), users), code.run),
      ...(code.run ? [] : unreadFiles(context)),
    ]),
  };
  // Last: nothing is written for a configuration that is refused.
  const secrets = await secretsOf({ config, envFile: context.envFile }, options.newSecrets, {
    API_TOKEN_SALT: (variables['API_TOKEN_SALT'] || undefined) ?? textAt(admin, 'apiToken.salt'),
    JWT_SECRET: (variables['JWT_SECRET'] || undefined) ?? textAt(plugins, 'users-permissions.config.jwtSecret'),
    ENCRYPTION_KEY: (variables['ENCRYPTION_KEY'] || undefined) ?? textAt(admin, 'secrets.encryptionKey'),
  });
  return Object.freeze({ ...config, ...secrets });
}

/** Files of a folder of configuration that import what only Strapi's panel needs. */
const OF_PANEL = /^(?:env\/[^/]+\/)?(?:admin|plugins)\.[^/]+$/;
/** What they need all the same: `@strapi/utils` reads the environment. */
const NEEDED = new Set(['@strapi/utils']);

/** What `config/database` of new projects of Strapi asks, where Strapi is not installed or its packages cannot be seen. */
const STAND_INS: Readonly<Record<string, object>> = {
  '@strapi/database': {
    isDatabaseClientKind: (client: unknown) => ['sqlite', 'mysql', 'postgres'].includes(String(client)),
  },
};

function evaluationContext(dir: string, variables: Variables): Omit<ConfigContext, 'envFile'> {
  const absent = new Set<string>();
  const folders = configFolders(dir);
  const goesWithout = (name: string, loaded: string, path: string): boolean => {
    const isOfPanel = folders.some(
      (one) => loaded.startsWith(`${one}/`) && OF_PANEL.test(loaded.slice(one.length + 1)),
    );
    if (!isOfPanel || NEEDED.has(name)) return false;
    absent.add(`${path} goes without the package ${name}, which is not installed: what comes of it is left out.`);
    return true;
  };
  return {
    absent,
    dir,
    folders,
    env: createEnv(variables),
    variables,
    environment: environmentName(variables),
    loader: new ModuleLoader({ dir, goesWithout, standIn: (name) => STAND_INS[name] }),
  };
}

/**
 * The files of the folder.
 *
 * @param failed called for each that cannot be read, which counts as an empty one then; without it the first ends it.
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

/** `NODE_ENV` names a folder below `config/env`; Strapi's default is development. */
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
  const created = chosen.length > 0 ? await keepSecrets(place.envFile, chosen) : new Map<string, string>();
  const secret = (name: SecretName): string | undefined => set[name] ?? created.get(name);
  const passing = (): string => randomBytes(32).toString('base64');
  return {
    apiTokenSalt: secret('API_TOKEN_SALT') ?? passing(),
    jwtSecret: secret('JWT_SECRET') ?? passing(),
    encryptionKey: secret('ENCRYPTION_KEY'),
  };
}

function portVariable(variables: Variables): number | undefined {
  if (!variables['PORT']) return undefined;
  const port = parseInteger(variables['PORT'], 0, 65535);
  if (port === undefined) throw wrongVariable('PORT', variables['PORT'], rangeText(0, 65535));
  return port;
}

/** The variable that the reference reads. It counts while the database has no locale. */
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

function logsSql(variables: Variables): boolean {
  const wanted = variables['GALLEY_LOG'] || undefined;
  if (wanted !== undefined && wanted !== 'sql') {
    throw wrongVariable('GALLEY_LOG', wanted, 'sql or unset');
  }
  return wanted === 'sql';
}

/** What all files give, those of the project's own included, and what Strapi adds: what its code finds at `strapi.config`. */
async function settingsOf(files: ConfigFiles, context: ConfigContext): Promise<Record<string, unknown>> {
  lendVariables(context.envFile);
  const settings: Record<string, unknown> = {};
  for (const [name, { value }] of Object.entries(files)) settings[name] = value;
  for (const { name } of otherFiles(context)) {
    settings[name] ??= await readConfigValue(name, context);
  }
  return { environment: context.environment, info: packageOf(context.dir), ...settings };
}

/** What a project's `package.json` says; nothing where it has none that can be read. */
function packageOf(dir: string): unknown {
  try {
    return JSON.parse(readFileSync(resolve(dir, 'package.json'), 'utf8'));
  } catch {
    return {};
  }
}

/** What a project is called: by its `package.json`, without the scope, or by its folder. And its version. */
function namedBy(dir: string): Pick<Config, 'name' | 'version'> {
  const { name, version } = Object(packageOf(dir)) as { name?: unknown; version?: unknown };
  return {
    name: typeof name === 'string' && name !== '' ? name.slice(name.indexOf('/') + 1) : basename(dir),
    version: typeof version === 'string' && version !== '' ? version : '1.0.0',
  };
}

/** Other files of the folder: Strapi offers their values to custom code. */
function unreadFiles(context: EvaluationContext): string[] {
  const unread = otherFiles(context).map(({ path }) => path);
  return unread.length > 0 ? [`Not read: ${unread.join(', ')}.`] : [];
}

function otherFiles({ dir, folders }: EvaluationContext): { readonly name: string; readonly path: string }[] {
  const read = /^(server|api|database|admin|plugins|features|middlewares|galley|cron-tasks)\./;
  const extensions = new Set<string>(EXTENSIONS);
  const found = folders.map((folder) =>
    // Node's glob would be loaded for this alone
    (existsSync(resolve(dir, folder)) ? readdirSync(resolve(dir, folder)) : [])
      .filter((file) => extensions.has(extname(file)) && !file.startsWith('.'))
      .filter((file) => !read.test(file) && !file.endsWith('.d.ts'))
      .sort()
      .map((file) => ({ name: file.slice(0, file.lastIndexOf('.')), path: `${folder}/${file}` })),
  );
  const [own = [], made = []] = found;
  return [...own, ...made.filter(({ name }) => !own.some((one) => one.name === name))];
}

function definedOnly(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}
