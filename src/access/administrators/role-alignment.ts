/**
 * What the roles of administrators receive when the schema or the locales change: a permission for all fields, or all
 * locales, of a type stays one for all of them.
 *
 * Stored permissions list names, as the reference stores them, so that a list does not say whether it was complete. A
 * record of each type therefore contains the fields and locales that the type had when the roles were last aligned, and
 * which of them each permission lacked. What a permission lacked it lacks for good, even if the field is removed and
 * comes back: an operator has left it out. A list that an operator has written lacks `LATER_NAMES`, even if it names
 * everything that there is: it receives nothing. A change of a permission, here or in the reference's panel, writes a new
 * row, and row ids are never reused: a new row is compared with the fields and locales of the record alone.
 */
import { listed } from '../../counted.ts';
import type { Catalog } from '../../schema/catalog.ts';
import { AUTHOR, EDITOR, FIRST_RIGHTS } from '../default-roles.ts';
import { type FieldTree, fieldNames, fieldTree, hasField } from '../field-tree.ts';
import {
  actionOf,
  isEdited,
  listOf,
  namesFields,
  OPERATIONS,
  type Operation,
  operationOf,
  type StoredPermission,
  SUPER_ADMIN,
  treeOf,
} from './administrator-rights.ts';

/** A stored permission of a role. */
export interface RolePermission extends StoredPermission {
  readonly id: number;
  readonly role: { readonly id: number; readonly name: string; readonly code: string };
}

/**
 * A marker among the missing names of a permission: it also lacks all names that are added later. No field and no
 * locale has this name.
 */
const LATER_NAMES = '*';

/** Whether the fields and the locales of a permission are lists that get no additions. */
export interface Restriction {
  readonly fields: boolean;
  readonly locales: boolean;
}

/** A permission at the last alignment, with the names that it lacked: none, if it covered everything. */
interface RecordedPermission {
  readonly role: number;
  readonly action: string;
  readonly conditions: readonly string[];
  readonly fields: readonly string[];
  readonly locales: readonly string[];
}

/** A type at the last alignment. */
export interface TypeRecord {
  readonly fields: readonly string[];
  /** Null: the type had no locales. */
  readonly locales: readonly string[] | null;
  /** By row id. */
  readonly permissions: Readonly<Record<string, RecordedPermission>>;
}

/** A type of the current schema. */
export interface TypeShape {
  /** Dotted names (`fieldNames`). */
  readonly fields: readonly string[];
  readonly localized: boolean;
  /** Whether roles get permissions on it when it is new. */
  readonly isOffered: boolean;
}

/** The state that roles are aligned with. */
export interface AlignmentState {
  /** By uid. */
  readonly types: ReadonlyMap<string, TypeShape>;
  /** Codes of all locales. */
  readonly locales: readonly string[];
  /** By uid. A type that is missing in the schema keeps its record: another process may serve it. */
  readonly records: ReadonlyMap<string, TypeRecord>;
  /** Row ids of the roles that receive new types; undefined before the first alignment of a database. */
  readonly receivers: readonly number[] | undefined;
  readonly permissions: readonly RolePermission[];
  /** Records of permissions that an operator has just written, by row id. */
  readonly restrictions?: ReadonlyMap<number, Restriction>;
}

/** A new permission of a role for a new type. */
export interface NewPermission {
  readonly role: number;
  readonly action: string;
  readonly subject: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly conditions: readonly string[];
}

/** An addition to a role for one operation on a type. */
export interface Receipt {
  /** The name of the role. */
  readonly role: string;
  readonly subject: string;
  readonly operation: Operation;
  /** Whether the type is new. The permission then covers all of it. */
  readonly isNew: boolean;
  readonly conditions: readonly string[];
  readonly fields: readonly string[];
  readonly locales: readonly string[];
}

export interface Alignment {
  readonly updates: readonly { readonly id: number; readonly properties: Readonly<Record<string, unknown>> }[];
  readonly inserts: readonly NewPermission[];
  readonly records: ReadonlyMap<string, TypeRecord>;
  readonly receivers: readonly number[];
  readonly receipts: readonly Receipt[];
}

/** A permission on a type with its lists. */
interface Listed {
  readonly permission: RolePermission;
  readonly operation: Operation;
  /** Undefined: no list, which means every field. */
  readonly fields: readonly string[] | undefined;
  readonly tree: FieldTree;
  /** Null: every locale; undefined: no list, which means none, and everything for a type without locales. */
  readonly locales: readonly string[] | null | undefined;
  readonly conditions: readonly string[];
}

/** The types of a catalog that have permissions. */
export function typeShapes(catalog: Catalog): ReadonlyMap<string, TypeShape> {
  const types = [...catalog.contentTypes.values()].filter(isEdited);
  return new Map(
    types.map((type) => {
      const { uid, localized, routed } = type;
      return [uid, { fields: fieldNames(catalog, type), localized, isOffered: routed }];
    }),
  );
}

/** Computes the additions to roles. A second alignment with the result adds nothing. */
export function align(state: AlignmentState): Alignment {
  const byType = Map.groupBy(state.permissions.flatMap(listedOf), ({ permission }) => permission.subject!);
  const records = new Map(state.records);
  const updates: { id: number; properties: Record<string, unknown> }[] = [];
  const receipts: Receipt[] = [];
  for (const [uid, type] of state.types) {
    const all = byType.get(uid) ?? [];
    const before = state.records.get(uid) ?? unrecorded(type, all);
    const codes = type.localized ? state.locales : null;
    const permissions: Record<string, RecordedPermission> = {};
    const reference = all.filter(isSuper);
    for (const listed of all.filter((one) => !isSuper(one))) {
      const { permission, operation, conditions } = listed;
      const { id, role, action } = permission;
      const absent = absentFrom(listed, type.fields, codes);
      const restriction = state.restrictions?.get(id);
      const lack = {
        fields: [...lackingFields(listed, before, type, reference), ...(restriction?.fields ? [LATER_NAMES] : [])],
        locales: [...lackingLocales(listed, before, codes), ...(restriction?.locales ? [LATER_NAMES] : [])],
      };
      const added = {
        fields: lack.fields.length === 0 ? absent.fields : [],
        locales: lack.locales.length === 0 ? absent.locales : [],
      };
      permissions[id] = {
        role: role.id,
        action,
        conditions,
        // a name that is missing now stays missing, unless it is added
        fields: lack.fields.length === 0 ? [] : unique([...lack.fields, ...absent.fields]),
        locales: lack.locales.length === 0 ? [] : unique([...lack.locales, ...absent.locales]),
      };
      if (added.fields.length + added.locales.length === 0) continue;
      updates.push({ id, properties: extended(listed, added) });
      receipts.push({ role: role.name, subject: uid, operation, isNew: false, conditions, ...added });
    }
    records.set(uid, { fields: type.fields, locales: codes, permissions });
  }
  const receivers = state.receivers ?? firstReceivers(state.permissions);
  const inserts = newPermissions(state, { byType, records, receivers });
  const names = new Map(state.permissions.map(({ role }) => [role.id, role.name]));
  for (const { role, action, subject, conditions } of inserts) {
    const received = { isNew: true, conditions, fields: [], locales: [] };
    receipts.push({ role: names.get(role)!, subject, operation: operationOf(action)!, ...received });
  }
  return { updates, inserts, records, receivers, receipts };
}

/**
 * Editor and Author in a database that Galley created. The reference stores every right of its Super Admin at each
 * start: where none of these is stored, the reference never ran.
 */
function firstReceivers(permissions: readonly RolePermission[]): number[] {
  if (permissions.some(({ role }) => role.code === SUPER_ADMIN)) return [];
  const roles = permissions.filter(({ role }) => role.code === EDITOR || role.code === AUTHOR);
  return unique(roles.map(({ role }) => role.id));
}

/** The fields and locales of a type that are missing in a permission. */
function unrecorded(type: TypeShape, all: readonly Listed[]): TypeRecord {
  const fields = unique(all.flatMap((listed) => listed.fields ?? []));
  const lists = all.flatMap(({ locales }) => (Array.isArray(locales) ? [locales] : []));
  return {
    fields: fields.length === 0 ? type.fields : fields,
    locales: lists.length === 0 ? null : unique(lists.flat()),
    permissions: {},
  };
}

/** The fields and locales of a type that a permission does not list. */
function absentFrom(listed: Listed, fields: readonly string[], codes: readonly string[] | null) {
  const { tree, locales } = listed;
  return {
    fields: listed.fields === undefined ? [] : fields.filter((name) => !hasField(tree, name)),
    locales: locales === null ? [] : (codes ?? []).filter((code) => !locales?.includes(code)),
  };
}

/** The fields of a type that were missing in a permission. */
function lackingFields(
  { permission, fields, tree }: Listed,
  before: TypeRecord,
  type: TypeShape,
  reference: readonly Listed[],
): string[] {
  if (fields === undefined) return [];
  const seen = before.permissions[permission.id];
  const lists = reference.flatMap((listed) => (listed.fields === undefined ? [] : [listed.fields]));
  // at its start the reference removes the names of removed fields from every role, its Super Admin included
  const isPruned = (name: string): boolean =>
    lists.length > 0 && !type.fields.includes(name) && !lists.some((list) => list.includes(name));
  const expected = seen ? [...seen.fields, ...before.fields.filter((name) => !isPruned(name))] : before.fields;
  return unique(expected).filter((name) => !hasField(tree, name));
}

/** The locales of a type that were missing in a permission. */
function lackingLocales(
  { permission, locales }: Listed,
  before: TypeRecord,
  codes: readonly string[] | null,
): string[] {
  if (locales === null) return [];
  const seen = before.permissions[permission.id]?.locales;
  // for a type without locales every permission covered everything, unless its row was written later with a list
  const later = seen === undefined && locales !== undefined ? (codes ?? []) : [];
  const expected = [...(seen ?? []), ...(before.locales ?? later)];
  return unique(expected).filter((code) => !locales?.includes(code));
}

/** The properties of a permission with its additions. */
function extended({ permission, fields, locales }: Listed, added: Pick<Receipt, 'fields' | 'locales'>) {
  const properties: Record<string, unknown> = { ...treeOf(permission.properties) };
  if (added.fields.length > 0) properties['fields'] = [...(fields ?? []), ...added.fields];
  if (added.locales.length > 0) properties['locales'] = [...(locales ?? []), ...added.locales].sort();
  return properties;
}

interface Aligned {
  readonly byType: ReadonlyMap<string, readonly Listed[]>;
  readonly records: ReadonlyMap<string, TypeRecord>;
  readonly receivers: readonly number[];
}

/**
 * Permissions for new types. A role gets an operation on a new type if it has the operation on all other types, for
 * everything and with the same conditions. A role that lacks something was restricted by an operator, who then decides
 * about new types as well.
 */
function newPermissions(state: AlignmentState, { byType, records, receivers }: Aligned): NewPermission[] {
  const isFirst = state.receivers === undefined;
  const wasThere = (uid: string): boolean => (isFirst ? byType.has(uid) : state.records.has(uid));
  const others = [...records].filter(([uid]) => wasThere(uid) && state.types.get(uid)?.isOffered !== false);
  const inserts: NewPermission[] = [];
  for (const [uid, { isOffered, fields, localized }] of state.types) {
    if (!isOffered || wasThere(uid)) continue;
    for (const role of receivers) {
      const code = state.permissions.find((permission) => permission.role.id === role)?.role.code;
      const hasOwn = byType.get(uid)?.some(({ permission }) => permission.role.id === role);
      if (code === undefined || hasOwn) continue;
      const rights = OPERATIONS.flatMap((operation) => {
        const conditions = conditionsEverywhere(others, role, code, operation);
        return conditions === undefined ? [] : [{ operation, conditions }];
      });
      // administrators cannot work with a hidden type
      if (!rights.some(({ operation }) => operation === 'read')) continue;
      for (const { operation, conditions } of rights) {
        const properties = {
          ...(namesFields(operation) ? { fields } : {}),
          ...(localized ? { locales: state.locales } : {}),
        };
        inserts.push({ role, action: actionOf(operation), subject: uid, properties, conditions });
      }
    }
  }
  return inserts;
}

/** The conditions of a role that has all of an operation on all of some types; undefined for other roles. */
function conditionsEverywhere(
  types: readonly (readonly [string, TypeRecord])[],
  role: number,
  code: string,
  operation: Operation,
): readonly string[] | undefined {
  if (types.length === 0) {
    const first = FIRST_RIGHTS[code];
    return first?.operations.includes(operation) ? first.conditions : undefined;
  }
  const found = types.map(([, { permissions }]) =>
    Object.values(permissions).find(
      (one) => one.role === role && one.action === actionOf(operation) && one.fields.length + one.locales.length === 0,
    ),
  );
  const [first] = found;
  const isSame = found.every((one) => one !== undefined && sameNames(one.conditions, first!.conditions));
  return isSame ? first!.conditions : undefined;
}

const sameNames = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name) => other.includes(name));

const isSuper = ({ permission }: Listed): boolean => permission.role.code === SUPER_ADMIN;

/** The lists of a permission; nothing for one about no type, and for an unreadable one. */
function listedOf(permission: RolePermission): Listed[] {
  const operation = operationOf(permission.action);
  const conditions = listOf(permission.conditions);
  if (permission.subject === null || operation === undefined || conditions === undefined) return [];
  const { fields, locales } = treeOf(permission.properties);
  const names = namesFields(operation) && fields !== undefined && fields !== null ? listOf(fields) : undefined;
  if (namesFields(operation) && fields !== undefined && fields !== null && names === undefined) return [];
  const codes = locales === undefined || locales === null ? locales : listOf(locales);
  if (locales !== undefined && codes === undefined) return [];
  return [{ permission, operation, fields: names, tree: fieldTree(names ?? []), locales: codes, conditions }];
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];

/** Additions to roles as text: a sentence for each role and type. */
export function receiptSentences(receipts: readonly Receipt[]): string[] {
  const groups = Map.groupBy(receipts, ({ role, subject }) => `${role}\n${subject}`);
  return [...groups.values()].map((group) => {
    const { role, subject, isNew } = group[0]!;
    if (isNew) return `The role ${role} received the new type ${subject} (${operationsOf(group)}).`;
    const parts = (['fields', 'locales'] as const).flatMap((kind) => {
      const alike = Map.groupBy(
        group.filter((receipt) => receipt[kind].length > 0),
        (receipt) => receipt[kind].join(),
      );
      return [...alike.values()].map((same) => {
        const names = same[0]![kind];
        const noun = names.length === 1 ? kind.slice(0, -1) : kind;
        return `the new ${noun} ${listed(names)} (${operationsOf(same)})`;
      });
    });
    return `The role ${role} received ${listed(parts)} of ${subject}.`;
  });
}

/** The operations of additions, and the documents that they are limited to. */
function operationsOf(receipts: readonly Receipt[]): string {
  const alike = Map.groupBy(receipts, ({ conditions }) => conditions.join(' or '));
  return Array.from(alike, ([conditions, same]) => {
    const names = listed(same.map(({ operation }) => operation));
    return conditions === '' ? names : `${names}; only with ${conditions}`;
  }).join('; ');
}
