/** The file of `galley apply`: parses it and reports all of its mistakes. */
import { readFileSync } from 'node:fs';
import { grantableActions } from '../access/actions.ts';
import { SUPER_ADMIN } from '../access/administrators/administrator-rights.ts';
import { isLocaleCode, localeName } from '../content/locales/locales.ts';
import { ROLE_CODE } from '../content/roles/role-changes.ts';
import { Permittable, type WantedPermission } from '../content/roles/role-permissions.ts';
import { UsageError } from '../errors.ts';
import { isKnownCode, nearestCode } from '../locale-codes.ts';
import { besideMeant, choices, meant } from '../nearest.ts';
import { isObject } from '../plain-values.ts';
import { ownActions, type ProjectFiles } from '../project.ts';
import type { Catalog } from '../schema/catalog.ts';
import { namedActions } from '../users/roles/action-names.ts';
import { MOST_DAYS, type NewToken, TOKEN_TYPES } from '../users/sessions/tokens.ts';
import { permissionsOf } from './admin/role/permission-words.ts';
import { DAY } from './token.ts';

export interface FixtureLocale {
  readonly code: string;
  /** Undefined: an existing locale keeps its name, and a new one gets the usual name. */
  readonly name: string | undefined;
  readonly default: boolean;
}

/** A role of administrators with exactly these permissions. */
export interface FixtureAdministratorRole {
  readonly code: string;
  /** Undefined: an existing role keeps its name; the name of a new one is its code. */
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly permissions: readonly WantedPermission[];
}

export interface Fixture {
  readonly locales: readonly FixtureLocale[];
  readonly tokens: readonly NewToken[];
  /** All actions of a role, by its type: `public`, `authenticated`. */
  readonly roles: ReadonlyMap<string, readonly string[]>;
  /** Further actions of a role, by its type. */
  readonly grants: ReadonlyMap<string, readonly string[]>;
  readonly administratorRoles: readonly FixtureAdministratorRole[];
}

type Tree = Readonly<Record<string, unknown>>;

/** The name of a new locale. */
export const nameOfNew = (locale: FixtureLocale): string => locale.name ?? localeName(locale.code);

/** The JSON value of a file. @throws UsageError for a missing file, and for text that is not JSON. */
export function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      code === 'ENOENT'
        ? `no such file: ${file}${besideMeant(file, (entry) => entry.isFile())}`
        : `cannot read ${file}: ${code}`,
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}: not valid JSON: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

/** The names that the file may use. */
export interface FixtureContext {
  /** The actions of a word. @throws UsageError for an unknown word. */
  readonly actionsOf: (word: string) => readonly string[];
  readonly catalog: Catalog;
  /** Types of the existing roles; undefined: not checked. */
  readonly roles?: readonly string[];
  /** Codes of the existing locales, which are valid even if no language has them. */
  readonly locales?: readonly string[];
}

/** The names of actions and types in a project. */
export function actionContext({
  catalog,
  code,
  own,
}: Pick<ProjectFiles, 'catalog' | 'code' | 'own'>): Pick<FixtureContext, 'actionsOf' | 'catalog'> {
  const actions = grantableActions(catalog, ownActions({ code, own }));
  return { catalog, actionsOf: (word) => namedActions(word, actions, catalog, 'permission') };
}

/** Parses the contents of the file. @throws UsageError with a line for each mistake, which names the file. */
export function checkFixture(file: string, json: unknown, context: FixtureContext): Fixture {
  const reader = new FixtureReader(context);
  const fixture = reader.fixture(json);
  if (reader.mistakes.length > 0) throw new UsageError(reader.mistakes.map((line) => `${file}: ${line}`).join('\n'));
  return fixture;
}

/** Parses the parts and collects the mistakes. The result is unusable if there are any. */
class FixtureReader {
  readonly mistakes: string[] = [];
  readonly #context: FixtureContext;

  constructor(context: FixtureContext) {
    this.#context = context;
  }

  fixture(json: unknown): Fixture {
    const tree = this.#object('the file', json, ['locales', 'tokens', 'roles', 'grants', 'administratorRoles']);
    const locales = this.#list('locales', tree['locales']).map((item, i) => this.#locale(`locales.${i}`, item));
    const tokens = this.#list('tokens', tree['tokens']).map((item, i) => this.#token(`tokens.${i}`, item));
    this.#noneTwice('locales', 'code', locales);
    this.#noneTwice('tokens', 'name', tokens);
    const defaults = locales.filter((locale) => locale.default);
    if (defaults.length > 1) this.mistakes.push('locales: only one can be the default');
    const roles = this.#byRole('roles', tree['roles']);
    const grants = this.#byRole('grants', tree['grants']);
    for (const type of grants.keys()) {
      if (roles.has(type))
        this.mistakes.push(
          `grants.${type}: use either grants.${type} or roles.${type}, which lists all permissions of the role`,
        );
    }
    return {
      locales,
      tokens,
      roles,
      grants,
      administratorRoles: this.#administratorRoles(tree['administratorRoles'], locales),
    };
  }

  #administratorRoles(value: unknown, added: readonly FixtureLocale[]): FixtureAdministratorRole[] {
    const { catalog, locales = [] } = this.#context;
    // a new database has the locale en
    const codes = [...(locales.length === 0 ? ['en'] : locales), ...added.map(({ code }) => code)];
    const permittable = new Permittable(catalog, [...new Set(codes)]);
    return Object.entries(this.#object('administratorRoles', value ?? {})).map(([code, item]) => {
      const at = `administratorRoles.${code}`;
      const tree = this.#object(at, item, ['name', 'description', 'permissions']);
      if (!ROLE_CODE.test(code)) this.mistakes.push(`${at}: use letters, digits, - and _`);
      if (code === SUPER_ADMIN) this.mistakes.push(`${at}: this role always has every permission`);
      const name = tree['name'] === undefined ? undefined : this.#text(`${at}.name`, tree['name']);
      const { description } = tree;
      const about = description === undefined ? undefined : this.#text(`${at}.description`, description, true);
      const permissions = this.#list(`${at}.permissions`, tree['permissions']).flatMap((entry, i) =>
        this.#administratorPermissions(`${at}.permissions.${i}`, entry, permittable),
      );
      const keys = permissions.map(({ action, subject }) => (subject === null ? action : `${action} on ${subject}`));
      const twice = keys.find((key, index) => keys.indexOf(key) !== index);
      if (twice !== undefined) this.mistakes.push(`${at}.permissions: ${twice} appears twice`);
      return { code, name, description: about, permissions };
    });
  }

  #administratorPermissions(at: string, entry: unknown, permittable: Permittable): WantedPermission[] {
    const before = this.mistakes.length;
    const tree = this.#object(at, entry, ['type', 'actions', 'fields', 'locales', 'conditions']);
    const texts = (key: string): string[] => {
      const list = this.#list(`${at}.${key}`, tree[key]);
      if (tree[key] !== undefined && list.length === 0) {
        this.mistakes.push(`${at}.${key}: must name at least one; leave it out for no limit`);
      }
      return list.map((item, i) => this.#text(`${at}.${key}.${i}`, item));
    };
    const words = {
      types: tree['type'] === undefined ? [] : [this.#text(`${at}.type`, tree['type'])],
      actions: texts('actions'),
      fields: texts('fields'),
      locales: texts('locales'),
      conditions: texts('conditions'),
    };
    if (this.mistakes.length > before) return [];
    const names = { types: 'type', actions: 'actions', fields: 'fields', locales: 'locales', conditions: 'conditions' };
    try {
      return permissionsOf(permittable, words, names);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.mistakes.push(`${at}: ${error.message}`);
      return [];
    }
  }

  #byRole(key: string, value: unknown): Map<string, readonly string[]> {
    const entries = Object.entries(this.#object(key, value ?? {}));
    const { roles } = this.#context;
    for (const [type] of entries) {
      if (roles && !roles.includes(type))
        this.mistakes.push(`${key}.${type}: unknown role ${type}${choices(type, roles)}`);
    }
    return new Map(entries.map(([type, list]) => [type, this.#permissions(`${key}.${type}`, list)]));
  }

  #locale(at: string, item: unknown): FixtureLocale {
    const tree = this.#object(at, item, ['code', 'name', 'default', 'unknown']);
    const code = this.#text(`${at}.code`, tree['code']);
    const unknown = tree['unknown'] ?? false;
    if (typeof unknown !== 'boolean') this.mistakes.push(`${at}.unknown: must be true or false`);
    if (code !== '' && !isLocaleCode(code)) this.mistakes.push(`${at}.code: ${code} is not a locale code`);
    else if (code !== '' && unknown !== true && !this.#context.locales?.includes(code) && !isKnownCode(code)) {
      const near = nearestCode(code);
      const hint = near === undefined ? 'to add it anyway, use "unknown": true' : `did you mean ${near}?`;
      this.mistakes.push(`${at}.code: ${code} is not the code of a language: ${hint}`);
    }
    const name = tree['name'] === undefined ? undefined : this.#text(`${at}.name`, tree['name']);
    const isDefault = tree['default'] ?? false;
    if (typeof isDefault !== 'boolean') this.mistakes.push(`${at}.default: must be true or false`);
    return { code, name, default: isDefault === true };
  }

  #token(at: string, item: unknown): NewToken {
    const tree = this.#object(at, item, ['name', 'description', 'type', 'permissions', 'lifespan']);
    const name = this.#text(`${at}.name`, tree['name']);
    const type = TOKEN_TYPES.find((one) => one === tree['type']);
    if (!type) {
      const hint = meant(String(tree['type']), TOKEN_TYPES) || `: use ${TOKEN_TYPES.join(', ')}`;
      this.mistakes.push(`${at}.type: unknown type ${JSON.stringify(tree['type'] ?? null)}${hint}`);
    }
    const permissions = this.#permissions(`${at}.permissions`, tree['permissions'] ?? []);
    if (type && type !== 'custom' && permissions.length > 0) {
      this.mistakes.push(`${at}.permissions: only custom tokens have them`);
    }
    const days = tree['lifespan'] ?? null;
    const bounded = typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= MOST_DAYS;
    if (days !== null && !bounded) this.mistakes.push(`${at}.lifespan: must be days, from 1 to ${MOST_DAYS}, or null`);
    const description =
      tree['description'] === undefined ? '' : this.#text(`${at}.description`, tree['description'], true);
    return { name, description, type: type ?? 'custom', permissions, lifespan: bounded ? days * DAY : null };
  }

  #permissions(at: string, value: unknown): string[] {
    return this.#list(at, value).flatMap((item, i) => {
      const word = this.#text(`${at}.${i}`, item);
      if (word === '') return [];
      try {
        return this.#context.actionsOf(word);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        this.mistakes.push(`${at}.${i}: ${error.message}`);
        return [];
      }
    });
  }

  #object(at: string, value: unknown, keys?: readonly string[]): Tree {
    if (!isObject(value)) {
      this.mistakes.push(`${at}: must be an object`);
      return {};
    }
    for (const key of keys ? Object.keys(value) : []) {
      if (!keys?.includes(key)) this.mistakes.push(`${at}: unknown key ${key}${meant(key, keys ?? [])}`);
    }
    return value as Tree;
  }

  #list(at: string, value: unknown): readonly unknown[] {
    if (value === undefined || Array.isArray(value)) return value ?? [];
    this.mistakes.push(`${at}: must be a list`);
    return [];
  }

  #text(at: string, value: unknown, mayBeEmpty = false): string {
    if (typeof value === 'string' && (mayBeEmpty || value.trim() !== '') && value.length <= 255) return value;
    this.mistakes.push(`${at}: must be a string of ${mayBeEmpty ? 0 : 1} to 255 characters`);
    return '';
  }

  #noneTwice<Key extends string>(at: string, key: Key, items: readonly Readonly<Record<Key, string>>[]): void {
    const values = items.map((item) => item[key]).filter((value) => value !== '');
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    if (twice !== undefined) this.mistakes.push(`${at}: the ${key} ${twice} appears twice`);
  }
}
