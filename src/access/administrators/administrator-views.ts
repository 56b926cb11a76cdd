/**
 * Rights of an administrator × Catalog → Views: one for reading, and one for each operation that writes, which may
 * write what the right of the operation permits. All of them show the same.
 */
import type { RawObject } from '../../query/params.ts';
import {
  ADMIN_USER_UID,
  type Catalog,
  type ContentType,
  FILE_UID,
  FOLDER_UID,
  ROLE_UID,
  USER_UID,
} from '../../schema/catalog.ts';
import { type Fields, fieldTree, intersection, union } from '../field-tree.ts';
import type { CatalogFields } from '../fields.ts';
import { FULL_ACCESS, type Grants } from '../grants.ts';
import { type RowRules, rowConditions } from '../row-conditions.ts';
import { View } from '../view.ts';
import {
  type AdministratorCondition,
  type AdministratorRights,
  actionOf,
  FILE_ACTIONS,
  type FileOperation,
  OPERATIONS,
  type Operation,
  type Right,
} from './administrator-rights.ts';

/** The View for each operation on documents. */
export type AdministratorViews = Readonly<Record<Operation, View>>;

/** The View for each operation on files. Without the right, it permits no action. */
export type LibraryViews = Readonly<Record<FileOperation, View>>;

/** Actions of the content API by operation on files. */
const LIBRARY_ACTIONS: Readonly<Record<FileOperation, readonly string[]>> = {
  read: ['plugin::upload.content-api.find'],
  create: ['plugin::upload.content-api.upload'],
  update: ['plugin::upload.content-api.upload', 'plugin::upload.content-api.destroy'],
};

/** The fields of administrators that other administrators see. */
const ADMINISTRATOR_FIELDS = fieldTree(['firstname', 'lastname', 'username']);

/** The fields of roles of accounts that administrators see. */
const ROLE_FIELDS = fieldTree(['name', 'description', 'type']);

/** Actions of the content API by operation on documents. */
const CONTENT_ACTIONS: Readonly<Record<Operation, readonly string[]>> = {
  read: ['find', 'findOne'],
  create: ['create', 'createLocalization'],
  update: ['update', 'discardDraft'],
  delete: ['delete'],
  publish: ['publish', 'unpublish'],
};

const NOTHING: Fields = new Map();
const hasField = (fields: Fields, name: string): boolean => fields === true || fields.has(name);

const CONDITION_FILTERS: Readonly<Record<AdministratorCondition, RawObject>> = {
  'admin::is-creator': { createdBy: { id: { $eq: '$administrator.id' } } },
  'admin::has-same-role-as-creator': { createdBy: { roles: { users: { id: { $eq: '$administrator.id' } } } } },
};

/** The permitted fields and rows of a type for one operation. */
interface Permitted {
  readonly fields: Fields;
  /** Undefined: every row. */
  readonly rows: RawObject | undefined;
}

/**
 * Creates the Views of a set of rights.
 *
 * @param everything a View that sees everything, to resolve conditions with.
 * @param closed actions that project code guards, with the reason for the log.
 */
export function administratorViews(
  everything: View,
  fields: CatalogFields,
  { key, isSuper, rights }: AdministratorRights,
  closedActions: Grants['closed'],
): AdministratorViews {
  const { catalog } = fields;
  const closed = closedIn(catalog, closedActions);
  const readable = new Map<string, Fields>([[ADMIN_USER_UID, ADMINISTRATOR_FIELDS]]);
  const administration = new Set([ADMIN_USER_UID]);
  const common = { fields, showsPrivate: true, searchesInside: true, administration } as const;
  if (isSuper) {
    const grants = { ...FULL_ACCESS, key: 'administrator of all rights', closed };
    const view = new View({ ...common, grants, readable });
    return { read: view, create: view, update: view, delete: view, publish: view };
  }
  const read = permittedBy(catalog, rights, 'read');
  // hidden fields are not writable either
  const byOperation = (operation: Operation) =>
    new Map([...permittedBy(catalog, rights, operation)].filter(([uid]) => read.has(uid)));
  for (const uid of catalog.contentTypes.keys()) {
    // files are part of the documents that show them
    if (!readable.has(uid)) readable.set(uid, read.get(uid)?.fields ?? (uid === FILE_UID ? true : NOTHING));
  }
  // administrators who see the role of an account need the list of roles
  const seesRoles = hasField(read.get(USER_UID)?.fields ?? NOTHING, 'role');
  if (seesRoles) readable.set(ROLE_UID, ROLE_FIELDS);
  const grants: Grants = {
    key: `administrator\n${key}`,
    all: false,
    reads: false,
    actions: new Set([
      ...OPERATIONS.flatMap((operation) => actionsOf([...byOperation(operation).keys()], operation)),
      ...(seesRoles ? [`${ROLE_UID}.find`] : []),
    ]),
    closed,
  };
  const rows = rowConditions(everything, rulesOf(read));
  const viewFor = (operation: Operation): View => {
    const permitted = byOperation(operation);
    const writable = new Map([...permitted].map(([uid, { fields: own }]) => [uid, own]));
    const writes = rowConditions(everything, rulesOf(both(read, permitted)));
    return new View({ ...common, grants, readable, writable, rows, writes });
  };
  return {
    read: new View({ ...common, grants, readable, writable: new Map(), rows }),
    create: viewFor('create'),
    update: viewFor('update'),
    delete: viewFor('delete'),
    publish: viewFor('publish'),
  };
}

/**
 * The Views for the library of files. Folders are visible to administrators who see files. A condition of the right
 * applies to files. `create` shows every file, so that an administrator with this right alone sees the added files.
 */
export function libraryViews(
  everything: View,
  fields: CatalogFields,
  { key, isSuper, rights }: AdministratorRights,
  closed: Grants['closed'],
): LibraryViews {
  const common = { fields, showsPrivate: true, administration: new Set([ADMIN_USER_UID]) } as const;
  const shown = new Map<string, Fields>([
    [ADMIN_USER_UID, ADMINISTRATOR_FIELDS],
    [FILE_UID, true],
    [FOLDER_UID, true],
  ]);
  const readable = new Map([...everything.catalog.contentTypes.keys()].map((uid) => [uid, shown.get(uid) ?? NOTHING]));
  const rowsFor = (operation: FileOperation): Permitted | undefined => {
    if (isSuper) return { fields: true, rows: undefined };
    const own = rights.filter(({ action }) => action === FILE_ACTIONS[operation]);
    if (own.length === 0) return undefined;
    const file = everything.catalog.contentTypes.get(FILE_UID)!;
    return together(own.map((right) => ({ fields: true, rows: rowsOf(file, right) })));
  };
  const viewFor = (operation: FileOperation, permitted: readonly (Permitted | undefined)[]): View => {
    const may = permitted.every((part) => part !== undefined);
    const rows = may ? permitted.map((part) => part.rows).filter((part) => part !== undefined) : [];
    const actions = may ? [...LIBRARY_ACTIONS[operation], `${FOLDER_UID}.find`, `${FILE_UID}.find`] : [];
    const grants: Grants = {
      key: `files ${operation}\n${key}`,
      all: false,
      reads: false,
      actions: new Set(actions),
      closed,
    };
    const rules = rows.length === 0 ? {} : { [FILE_UID]: { $and: rows } };
    return new View({ ...common, grants, readable, writable: new Map(), rows: rowConditions(everything, rules) });
  };
  return {
    read: viewFor('read', [rowsFor('read')]),
    create: viewFor(
      'create',
      [rowsFor('create')].map((part) => part && { ...part, rows: undefined }),
    ),
    update: viewFor('update', [rowsFor('read'), rowsFor('update')]),
  };
}

/**
 * The content API creates the document of a single type by an update, so a guard of updates applies to its creation
 * too.
 */
function closedIn(catalog: Catalog, closed: Grants['closed']): Grants['closed'] {
  const views = [...catalog.contentTypes.values()].flatMap(({ uid, kind }): [string, string][] => {
    const reason = kind === 'singleType' ? closed.get(`${uid}.update`) : undefined;
    return reason === undefined ? [] : [[`${uid}.create`, reason]];
  });
  return views.length === 0 ? closed : new Map([...closed, ...views]);
}

const actionsOf = (uids: readonly string[], operation: Operation): string[] =>
  uids.flatMap((uid) => CONTENT_ACTIONS[operation].map((name) => `${uid}.${name}`));

/**
 * The permissions of an operation for each type. Rights on different rows of a type may name different fields; a View
 * has one set of fields for all rows, so only the fields that all of them name remain. Fields that no right names are
 * not visible.
 */
function permittedBy(catalog: Catalog, rights: readonly Right[], operation: Operation): Map<string, Permitted> {
  const action = actionOf(operation);
  const own = rights.filter((right) => right.action === action && right.subject !== null);
  const byType = new Map<string, Permitted>();
  for (const [uid, ofType] of Map.groupBy(own, ({ subject }) => subject!)) {
    const type = catalog.contentTypes.get(uid);
    if (!type) continue;
    const groups = new Map<string, Permitted>();
    for (const right of ofType) {
      const rows = rowsOf(type, right);
      const key = JSON.stringify(rows ?? null);
      const known = groups.get(key);
      groups.set(key, { rows, fields: known ? union(known.fields, right.fields) : right.fields });
    }
    byType.set(uid, together([...groups.values()]));
  }
  return byType;
}

/** The permissions of several rights on one type, each for rows of its own. */
function together(parts: readonly Permitted[]): Permitted {
  const fields = parts.map((part) => part.fields).reduce(intersection);
  const rows = parts.map((part) => part.rows).filter((part) => part !== undefined);
  if (rows.length < parts.length) return { fields, rows: undefined };
  return { fields, rows: rows.length === 1 ? rows[0] : { $or: rows } };
}

function rowsOf({ localized }: ContentType, { locales, conditions }: Right): RawObject | undefined {
  const parts: RawObject[] = [];
  if (localized && locales !== null) parts.push({ locale: { $in: [...locales] } });
  if (conditions.length > 0) parts.push({ $or: conditions.map((name) => CONDITION_FILTERS[name]) });
  if (parts.length < 2) return parts[0];
  return { $and: parts };
}

/** Writable rows are a subset of the visible ones. */
function both(read: ReadonlyMap<string, Permitted>, written: ReadonlyMap<string, Permitted>): Map<string, Permitted> {
  return new Map(
    [...written].map(([uid, { fields, rows }]) => {
      const parts = [read.get(uid)?.rows, rows].filter((part) => part !== undefined);
      return [uid, { fields, rows: parts.length < 2 ? parts[0] : { $and: parts } }];
    }),
  );
}

function rulesOf(permitted: ReadonlyMap<string, Permitted>): RowRules {
  return Object.fromEntries([...permitted].flatMap(([uid, { rows }]) => (rows === undefined ? [] : [[uid, rows]])));
}
