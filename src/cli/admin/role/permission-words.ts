/** Reads roles of administrators and their permissions from the words of commands and files. */
import {
  actionOf,
  CONDITIONS,
  namesFields,
  OPERATIONS,
  type Operation,
  operationOf,
  SETTINGS,
  SUPER_ADMIN,
} from '../../../access/administrators/administrator-rights.ts';
import { ROLE_PREFIX, roleAmong } from '../../../content/roles/role-changes.ts';
import type { Permittable, WantedPermission } from '../../../content/roles/role-permissions.ts';
import { listStoredRoles, type StoredRole } from '../../../content/roles/role-rows.ts';
import type { Queryable } from '../../../db/interface/queryable.ts';
import { ContentError, UsageError } from '../../../errors.ts';
import { choices } from '../../../nearest.ts';

/**
 * Finds a role by its code, with or without `strapi-`, or its name.
 *
 * @throws UsageError that names the nearest role.
 */
export async function roleOf(db: Queryable, word: string): Promise<StoredRole> {
  const roles = await listStoredRoles(db);
  const role = roleAmong(roles, word);
  if (role) return role;
  throw new UsageError(unknownRole(word, roles));
}

/** The message for an unknown role. It names the roles without `strapi-` if the user left that out. */
function unknownRole(word: string, roles: readonly Pick<StoredRole, 'code'>[]): string {
  const isShort = (code: string): boolean => code.startsWith(ROLE_PREFIX) && !word.startsWith(ROLE_PREFIX);
  const names = roles.map(({ code }) => (isShort(code) ? code.slice(ROLE_PREFIX.length) : code));
  return `no administrator role ${word}${choices(word, names)}`;
}

/** Runs work whose ContentErrors are mistakes in the words of a command. @throws UsageError with their messages. */
export async function asUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ContentError ? new UsageError(error.message) : error;
  }
}

/** @throws UsageError for Super Admin, who has every permission. */
export function refuseSuperAdmin({ code, name }: Pick<StoredRole, 'code' | 'name'>): void {
  if (code === SUPER_ADMIN) {
    throw new UsageError(
      `the role ${name} always has every permission: nothing can be granted to it or revoked from it`,
    );
  }
}

/** The words that describe permissions: each action on each type. */
export interface PermissionWords {
  readonly types: readonly string[];
  readonly actions: readonly string[];
  readonly fields: readonly string[];
  readonly locales: readonly string[];
  readonly conditions: readonly string[];
}

/** The names of these words in messages: flags of a command, or keys of a file. */
export type PartNames = Readonly<Record<keyof PermissionWords, string>>;

/**
 * The permissions that words describe: each action on each type. Without actions these are all operations on documents,
 * or with fields all operations that have fields.
 *
 * @throws UsageError for an unknown word, with the nearest one.
 */
export function permissionsOf(
  permittable: Permittable,
  { types, actions, fields, locales, conditions }: PermissionWords,
  names: PartNames,
): WantedPermission[] {
  const subjects = types.map((word) => typeOf(permittable, word));
  const required = conditions.map(conditionOf);
  if (subjects.length === 0 && actions.length === 0) throw new UsageError(`name a type with ${names.types}`);
  const codes = locales.map((code) => {
    if (permittable.locales.includes(code)) return code;
    throw new UsageError(`unknown locale ${code}${choices(code, permittable.locales)}`);
  });
  const standard = OPERATIONS.filter((operation) => fields.length === 0 || namesFields(operation)).map(actionOf);
  const wanted = actions.length === 0 ? standard : actions.map((word) => actionNamed(word, subjects));
  return wanted.flatMap((action): WantedPermission[] => {
    const operation = operationOf(action);
    if (operation === undefined) {
      if (fields.length + locales.length > 0) throw new UsageError(`${action} has neither fields nor locales`);
      return [{ action, subject: null, fields: undefined, locales: undefined, conditions: optional(required) }];
    }
    if (subjects.length === 0) throw new UsageError(`${operation} needs a type: name one with ${names.types}`);
    if (fields.length > 0 && !namesFields(operation)) {
      throw new UsageError(
        `${operation} applies to whole entries: leave out ${names.fields}, or ${names.actions} ${operation}`,
      );
    }
    return subjects.map((subject) => {
      if (codes.length > 0 && permittable.localesOf(subject) === null) {
        throw new UsageError(`${subject} has no locales: leave out ${names.locales}`);
      }
      const named = fields.flatMap((word) => fieldsNamed(permittable, action, subject, word));
      return { action, subject, fields: optional(named), locales: optional(codes), conditions: optional(required) };
    });
  });
}

const optional = (names: readonly string[]): readonly string[] | undefined => (names.length === 0 ? undefined : names);

/** The uid of a type by its uid, or its singular or plural name. */
function typeOf(permittable: Permittable, word: string): string {
  const uids = permittable.types;
  if (uids.includes(word)) return word;
  const { contentTypes } = permittable.catalog;
  const named = uids.filter((uid) => {
    const { singularName, pluralName } = contentTypes.get(uid)!;
    return word === singularName || word === pluralName;
  });
  if (named.length === 1) return named[0]!;
  if (named.length > 1) throw new UsageError(`several types have the name ${word}: ${named.join(', ')}`);
  throw new UsageError(`unknown type ${word}${choices(word, word.includes('::') ? uids : namesIn(permittable))}`);
}

const namesIn = ({ catalog, types }: Permittable): string[] =>
  types.map((uid) => catalog.contentTypes.get(uid)!.singularName);

function actionNamed(word: string, subjects: readonly string[]): string {
  if ((OPERATIONS as readonly string[]).includes(word)) return actionOf(word as Operation);
  if (operationOf(word) !== undefined || SETTINGS.includes(word)) return word;
  const actions = subjects.length > 0 && !word.includes('::') ? OPERATIONS : [...OPERATIONS, ...SETTINGS];
  throw new UsageError(`unknown action ${word}${choices(word, actions)}`);
}

function fieldsNamed(permittable: Permittable, action: string, subject: string, word: string): string[] {
  const all = permittable.fieldsOf(action, subject)!;
  const named = all.filter((name) => name === word || name.startsWith(`${word}.`));
  if (named.length > 0) return named;
  throw new UsageError(`${subject} has no field ${word}${choices(word, all)}`);
}

/** The name of a condition without its namespace. */
export const shortCondition = (name: string): string => name.replace(/^admin::/, '');

function conditionOf(word: string): string {
  const condition = CONDITIONS.find((name) => name === word || shortCondition(name) === word);
  if (condition !== undefined) return condition;
  throw new UsageError(`unknown condition ${word}${choices(word, CONDITIONS.map(shortCondition))}`);
}
