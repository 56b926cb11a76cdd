/**
 * `galley apply`: makes locales, API tokens and permissions of roles match a file. To apply it again changes nothing
 * (docs/reference/command-line.md).
 */
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type App, openConfigured } from '../app.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { addLocale, defaultLocale, listLocales, renameLocale, setDefaultLocale } from '../content/locales/locales.ts';
import { createRole, renameRole } from '../content/roles/role-changes.ts';
import {
  changeRolePermissions,
  exactly,
  type HeldPermission,
  Permittable,
  withGrant,
} from '../content/roles/role-permissions.ts';
import { listStoredRoles, lockRoles } from '../content/roles/role-rows.ts';
import { counted } from '../counted.ts';
import type { Database } from '../db/interface/database.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import type { SchemaEngine } from '../db/migration/schema-engine.ts';
import type { Engine } from '../engine.ts';
import { UsageError } from '../errors.ts';
import { choices } from '../nearest.ts';
import { secretsOfNewProject } from '../new-secrets.ts';
import { type ProjectFiles, readProject } from '../project.ts';
import type { Catalog } from '../schema/catalog.ts';
import { changeRoleGrants, grantedActions, listRoles, type Role, setRoleGrants } from '../users/roles/roles.ts';
import {
  accessKeyOf,
  createToken,
  findToken,
  listTokens,
  lockTokenNames,
  recoverSecret,
  type TokenKeys,
} from '../users/sessions/tokens.ts';
import { changeLines } from './admin/role/change.ts';
import { asUsage } from './admin/role/permission-words.ts';
import { type Command, missingArgument, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';
import { actionContext, checkFixture, type Fixture, type FixtureContext, nameOfNew, readJson } from './fixture-file.ts';
import { newDatabase } from './new-database.ts';
import { confirmPublicWrites, grantedPublicWrites, linesOf, PUBLIC, publicWrites } from './public-writes.ts';

export const applyCommand: Command = {
  name: 'apply',
  summary: 'make locales, API tokens and roles match a file',
  help: `galley apply FILE [DIR] [--tokens-out FILE] [--yes]

Makes the project in DIR (default: the working folder) match the JSON file, in one transaction:
  {"locales": [{"code", "name", "default"}], "tokens": [{"name", "type", "permissions", "lifespan", "description"}],
   "grants": {"public": ["api::article.article.find"]}, "roles": {"editor": ["api::article.article.find"]},
   "administratorRoles": {"news": {"name", "description", "permissions": [{"type": "article", "actions": ["read"],
     "fields": ["title"], "locales": ["en"], "conditions": ["is-creator"]}]}}}
The command adds missing locales and renames others. It creates missing tokens and does not change others. Roles under
"grants" get the listed permissions in addition to their own. Roles under "roles", and roles of administrators, get exactly
the listed permissions; missing roles of administrators are created. "unknown": true adds a locale code that no language
has. The command checks the whole file before it changes anything. To apply a file again changes nothing.

  --tokens-out FILE  writes {"name": "secret"} with mode 0600: new tokens, and those whose secret can be recovered
  --yes              grants the role public actions that write without asking; needed if the command runs without a
                     terminal`,
  run,
};

async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const options = { 'tokens-out': { type: 'string' }, yes: { type: 'boolean' } } as const;
  const { flag, switched, positionals } = readArguments('apply', args, options, ['FILE', 'DIR']);
  const [file, dir = WORKING_FOLDER] = positionals;
  if (file === undefined) throw missingArgument('apply', 'a FILE');
  const json = readJson(file);
  const out = flag('tokens-out');
  const config = await loadConfig(dir, { env: surroundings.env, newSecrets: secretsOfNewProject });
  // a file with mistakes must not create a database
  let isConfirmed = switched('yes');
  const confirm = async (files: ProjectFiles, fixture: Fixture, publicActions: ReadonlySet<string>): Promise<void> => {
    const wanted = [...(fixture.grants.get(PUBLIC) ?? []), ...(fixture.roles.get(PUBLIC) ?? [])];
    const opened = publicWrites(
      files,
      wanted.filter((action) => !publicActions.has(action)),
    );
    await confirmPublicWrites(opened, isConfirmed, surroundings);
    isConfirmed = true;
  };
  const isNew = isAbsent(config);
  if (isNew) {
    const files = await readProject(config);
    await files.code.close();
    await confirm(files, checkFixture(file, json, { ...actionContext(files), ...NEW }), NEW.publicActions);
  }
  const before = async (files: ProjectFiles, engine: Engine): Promise<void> => {
    const existing = await existingNames(engine.database, engine.schema);
    const fixture = checkFixture(file, json, { ...actionContext(files), ...existing });
    if (!isNew) await confirm(files, fixture, existing.publicActions);
    const created = fixture.tokens.filter(({ name }) => !existing.tokens.has(name)).map(({ name }) => name);
    if (out !== undefined || created.length === 0) return;
    const names = created.join(', ');
    surroundings.warn(`warning: the secrets of the new tokens ${names} will be lost: use --tokens-out to save them`);
  };
  const app = await openConfigured(config, { env: surroundings.env, before });
  try {
    const created = newDatabase(app);
    if (created !== undefined) surroundings.warn(created);
    for (const sentence of app.granted) surroundings.warn(sentence);
    const fixture = checkFixture(file, json, {
      ...actionContext(app),
      ...(await existingNames(app.database, app.engine)),
    });
    const tokensFile = out === undefined ? undefined : new TokensFile(out);
    try {
      const applied = await applyFixture(app, fixture, tokensFile?.before ?? new Map());
      tokensFile?.write(applied.secrets);
      report(applied, out, surroundings);
      for (const line of linesOf(await grantedPublicWrites(app, app.database))) surroundings.print(line);
    } finally {
      tokensFile?.discard();
    }
    return 0;
  } finally {
    await app.close();
  }
}

/** The names in a new database. */
const NEW: Required<Omit<FixtureContext, 'actionsOf' | 'catalog'>> & {
  readonly tokens: ReadonlySet<string>;
  /** The actions of the role `public`. */
  readonly publicActions: ReadonlySet<string>;
} = {
  roles: ['authenticated', 'public'],
  locales: [],
  tokens: new Set(),
  publicActions: new Set(),
};

const isAbsent = ({ database }: Config): boolean =>
  database.client === 'sqlite' && database.filename !== ':memory:' && !existsSync(database.filename);

/** The names in a database, which may have no tables yet. */
async function existingNames(database: Database, schema: SchemaEngine): Promise<typeof NEW> {
  const tables = await schema.introspect(database);
  const has = (table: string): boolean => tables.has(table);
  const roles = has('up_roles') ? await listRoles(database) : [];
  const locales = has('i18n_locale') ? await listLocales(database) : [];
  const tokens = has('strapi_api_tokens') ? await listTokens(database) : [];
  const everyone = roles.find(({ type }) => type === PUBLIC);
  const isGranted = everyone !== undefined && has('up_permissions_role_lnk') && has('galley_permissions');
  return {
    roles: roles.length > 0 ? roles.map(({ type }) => type) : NEW.roles,
    locales: locales.map(({ code }) => code),
    tokens: new Set(tokens.map(({ name }) => name)),
    publicActions: isGranted ? await grantedActions(database, everyone.id) : NEW.publicActions,
  };
}

interface Applied {
  /** The parts of the summary, one for each kind of change. */
  readonly changes: readonly string[];
  readonly secrets: ReadonlyMap<string, string>;
  /** Revoked permissions: `public: api::article.article.find`. */
  readonly revoked: readonly string[];
  /** Lines about roles of administrators. */
  readonly administration: readonly string[];
  /** Names of new tokens. */
  readonly created: readonly string[];
  /** Names of older tokens whose secret cannot be recovered. */
  readonly unknown: readonly string[];
}

type Target = Pick<App, 'config' | 'database' | 'catalog'>;

/** Applies a fixture inside an open transaction. */
export async function applyFixtureIn(
  tx: Transaction,
  app: Target,
  fixture: Fixture,
  earlierSecrets: ReadonlyMap<string, string>,
): Promise<Applied> {
  const locales = await applyLocales(tx, fixture);
  const tokens = await applyTokens(tx, app.config, fixture, earlierSecrets);
  const { changed, revoked } = await applyRoles(tx, fixture);
  const administration = [...locales.granted, ...(await applyAdministratorRoles(tx, app.catalog, fixture))];
  return {
    ...tokens,
    revoked,
    administration,
    changes: [locales.changed, `${counted(tokens.created.length, 'token')} created`, changed],
  };
}

/** Applies a fixture in one transaction. @param earlierSecrets the secrets of an earlier run by token name. */
export async function applyFixture(
  app: Target,
  fixture: Fixture,
  earlierSecrets: ReadonlyMap<string, string>,
): Promise<Applied> {
  return app.database.transaction((tx) => applyFixtureIn(tx, app, fixture, earlierSecrets));
}

async function applyLocales(tx: Transaction, fixture: Fixture): Promise<{ changed: string; granted: string[] }> {
  const present = new Map((await listLocales(tx)).map((locale) => [locale.code, locale]));
  const granted: string[] = [];
  let changed = 0;
  for (const locale of fixture.locales) {
    const stored = present.get(locale.code);
    if (!stored) granted.push(...(await addLocale(tx, locale.code, nameOfNew(locale))).granted);
    else if (locale.name !== undefined && locale.name !== stored.name) await renameLocale(tx, locale.code, locale.name);
    else continue;
    changed += 1;
  }
  const wanted = fixture.locales.find((locale) => locale.default);
  if (wanted && (await defaultLocale(tx)) !== wanted.code) {
    await setDefaultLocale(tx, wanted.code);
    changed += 1;
  }
  return { changed: `${counted(changed, 'locale')} changed`, granted };
}

async function applyTokens(
  tx: Transaction,
  keys: TokenKeys,
  fixture: Fixture,
  earlierSecrets: ReadonlyMap<string, string>,
): Promise<Omit<Applied, 'changes' | 'revoked' | 'administration'>> {
  const secrets = new Map<string, string>();
  const created: string[] = [];
  const unknown: string[] = [];
  if (fixture.tokens.length > 0) await lockTokenNames(tx);
  for (const token of fixture.tokens) {
    const stored = await findToken(tx, token.name);
    if (!stored) {
      secrets.set(token.name, (await createToken(tx, keys, token)).secret);
      created.push(token.name);
      continue;
    }
    const earlier = earlierSecrets.get(token.name);
    const isCurrent = earlier !== undefined && accessKeyOf(earlier, keys.apiTokenSalt) === stored.accessKey;
    const secret = recoverSecret(stored, keys) ?? (isCurrent ? earlier : undefined);
    if (secret === undefined) unknown.push(token.name);
    else secrets.set(token.name, secret);
  }
  return { secrets, created, unknown };
}

async function applyRoles(tx: Transaction, fixture: Fixture): Promise<{ changed: string; revoked: string[] }> {
  const roles = new Map((await listRoles(tx)).map((role) => [role.type, role]));
  let added = 0;
  const revoked: string[] = [];
  for (const [type, actions] of fixture.grants) {
    const { id } = roleNamed('grants', type, roles);
    const change = await changeRoleGrants(tx, id, (granted) => [...granted, ...actions]);
    added += change.added.length;
  }
  for (const [type, actions] of fixture.roles) {
    const change = await setRoleGrants(tx, roleNamed('roles', type, roles).id, actions);
    added += change.added.length;
    revoked.push(...change.removed.map((action) => `${type}: ${action}`));
  }
  return { changed: `${counted(added, 'permission')} granted, ${revoked.length} revoked`, revoked };
}

/** Creates missing roles of administrators, and gives each exactly the permissions in the file. */
async function applyAdministratorRoles(tx: Transaction, catalog: Catalog, fixture: Fixture): Promise<string[]> {
  if (fixture.administratorRoles.length === 0) return [];
  await lockRoles(tx);
  const permittable = await Permittable.read(catalog, tx);
  const lines: string[] = [];
  for (const { code, name, description, permissions } of fixture.administratorRoles) {
    const stored = (await listStoredRoles(tx)).find((role) => role.code === code);
    const wanted = { code, name: name ?? stored?.name ?? code, description: description ?? stored?.description ?? '' };
    if (!stored) lines.push(`created the administrator role ${code}`);
    const id = stored?.id ?? (await asUsage(() => createRole(tx, wanted)));
    if (stored && (stored.name !== wanted.name || stored.description !== wanted.description)) {
      await asUsage(() => renameRole(tx, { ...stored, ...wanted }));
      lines.push(`changed the name or the description of the administrator role ${code}`);
    }
    const exact = permissions.reduce<readonly HeldPermission[]>((all, one) => withGrant(permittable, all, one), []);
    const change = await changeRolePermissions(tx, permittable, { id, name: wanted.name }, (held) =>
      exactly(held, exact),
    );
    lines.push(...changeLines({ code }, change));
  }
  return lines;
}

/** @throws UsageError for a role that was deleted since the file was checked. */
function roleNamed(key: string, type: string, roles: ReadonlyMap<string, Role>): Role {
  const role = roles.get(type);
  if (role) return role;
  throw new UsageError(`${key}.${type}: unknown role ${type}${choices(type, roles.keys())}`);
}

function report(applied: Applied, out: string | undefined, { print, warn }: Surroundings): void {
  print(applied.changes.join(', '));
  for (const line of applied.revoked) print(`revoked from ${line}`);
  for (const line of applied.administration) print(line);
  if (out === undefined) return;
  print(`${counted(applied.secrets.size, 'secret')} written to ${out}`);
  if (applied.unknown.length === 0) return;
  warn(
    `warning: ${out} lacks ${applied.unknown.join(', ')}: an earlier run created them, and their secrets cannot be recovered`,
  );
}

/**
 * The file of `--tokens-out`. It is opened before anything changes, because a secret that cannot be written is lost. It
 * replaces an earlier file only after success.
 */
class TokensFile {
  /** The secrets of an earlier run by token name. */
  readonly before: ReadonlyMap<string, string>;
  readonly #path: string;
  readonly #temporary: string;
  readonly #descriptor: number;

  constructor(path: string) {
    this.#path = path;
    this.#temporary = `${path}.${process.pid}.tmp`;
    try {
      this.#descriptor = openSync(this.#temporary, 'wx', 0o600);
    } catch (error) {
      throw new UsageError(`cannot write ${path}: ${(error as NodeJS.ErrnoException).code}`);
    }
    this.before = readSecrets(path);
  }

  write(secrets: ReadonlyMap<string, string>): void {
    writeSync(this.#descriptor, `${JSON.stringify(Object.fromEntries(secrets), null, 2)}\n`);
    renameSync(this.#temporary, this.#path);
  }

  /** Closes the file, and removes it unless it was written. */
  discard(): void {
    closeSync(this.#descriptor);
    rmSync(this.#temporary, { force: true });
  }
}

function readSecrets(path: string): ReadonlyMap<string, string> {
  try {
    const json: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const entries = Object.entries(json as Record<string, unknown>);
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    // a missing or foreign file has no secrets
    return new Map();
  }
}
