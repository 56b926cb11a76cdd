/**
 * How rows are written that code names by `strapi.db.query`: as versions of documents, accounts, roles, grants, locales,
 * files and administrators.
 */
import type { WriteRequest } from '../../content/documents/write-request.ts';
import { createLocale, deleteLocale, type Locale, updateLocale } from '../../content/locales/locales.ts';
import { plainData as ownData } from '../../query/plain.ts';
import {
  ADMIN_USER_UID,
  type ContentType,
  FILE_UID,
  LOCALE_UID,
  PERMISSION_UID,
  ROLE_UID,
  USER_UID,
} from '../../schema/catalog.ts';
import { changeRoleGrants } from '../../users/roles/roles.ts';
import { AdministratorWrites } from '../accounts/administrator-writes.ts';
import { unsupported } from '../guarded.ts';
import { linkedId } from '../row-id.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Accounts } from '../strapi/accounts.ts';
import { fileWrites } from '../upload/file-writes.ts';
import type { ComponentRows } from './component-rows.ts';
import type { ProjectService } from './document-actions.ts';
import { knownData } from './known-data.ts';
import type { Params } from './lifecycles.ts';
import type { Row, RowWrites } from './rows.ts';

export interface RowWritesContext {
  readonly runtime: RuntimeContext;
  readonly accounts: Accounts;
  /** The documents of a type without the middlewares and lifecycles of code. */
  readonly plain: (uid: string) => ProjectService;
  readonly components: ComponentRows;
  /** The row of an id. */
  readonly rowOf: (type: ContentType, id: number, populate?: Params) => Promise<Row>;
}

export function rowWrites(context: RowWritesContext, type: ContentType): RowWrites {
  switch (type.uid) {
    case USER_UID:
      return {
        create: async ({ data }) => (await context.accounts.add(data)) as Row,
        update: async ({ id }, data) => (await context.accounts.edit(id, data)) as Row,
        remove: async ({ id }) => void (await context.accounts.remove({ id })),
      };
    case ADMIN_USER_UID:
      return administratorWrites(context, type);
    case PERMISSION_UID:
      return permissionWrites(context, type);
    case ROLE_UID:
      return roleWrites(context, type);
    case LOCALE_UID:
      return localeWrites(context, type);
    case FILE_UID:
      return fileWrites(context, type);
    default:
      if (type.builtIn) return unsupported(`writing ${type.uid} by strapi.db.query`);
      return aroundEntries(context, type, documentWrites(context, type));
  }
}

/** Writes, and notifies listeners of the entries of components that data creates, changes and removes. */
function aroundEntries(
  { runtime, components, rowOf }: RowWritesContext,
  type: ContentType,
  writes: RowWrites,
): RowWrites {
  const around = (row: Row | undefined, data: Params, write: (data: Params) => Promise<Row>): Promise<Row> => {
    if (!components.haveListeners(type)) return write(data);
    return runtime.database.within(async () => {
      const populate = components.populate(type);
      const [changed, entries] = await components.writing(type, data, row && (await rowOf(type, row.id, populate)));
      const written = await write(changed);
      await entries.end(() => rowOf(type, written.id, populate));
      return written;
    });
  };
  return {
    create: ({ data }) => around(undefined, data, (changed) => writes.create({ data: changed })),
    update: (row, data) => around(row, data, (changed) => writes.update(row, changed)),
    remove: (row) => writes.remove(row),
  };
}

function administratorWrites({ runtime: { database }, rowOf }: RowWritesContext, type: ContentType): RowWrites {
  const writes = new AdministratorWrites(database, undefined);
  return {
    create: async ({ data }) => rowOf(type, await writes.create(data)),
    update: async ({ id }, data) => {
      await writes.update(id, data);
      return rowOf(type, id);
    },
    remove: ({ id }) => writes.remove([id]),
  };
}

function documentWrites({ plain, runtime, rowOf }: RowWritesContext, type: ContentType): RowWrites {
  const documents = plain(type.uid);
  const { writer, views } = runtime;
  return {
    create: async ({ data }) => {
      const { publishedAt, locale, documentId: _id, ...rest } = data;
      // without a value it is the present time, as in the reference: only null makes a draft
      const status = type.draftAndPublish && publishedAt === null ? 'draft' : 'published';
      const created = await documents.create({ data: rest, status, ...(type.localized && locale ? { locale } : {}) });
      return created as Row;
    },
    update: async (row, { publishedAt, ...data }) => {
      const isDraft = type.draftAndPublish && row['publishedAt'] === null;
      if (isDraft && publishedAt != null) {
        const version = { documentId: row.documentId, ...(type.localized ? { locale: row['locale'] } : {}) };
        return (await documents.update({ ...version, data: plainData(data), status: 'published' })) as Row;
      }
      const written = ownData(knownData(runtime.catalog, type, plainData(data))) as WriteRequest['data'];
      await writer.updateRow({ type, viewer: views.code, data: written }, row.documentId, row.id);
      return rowOf(type, row.id);
    },
    remove: (row) => writer.removeRow(type, row.documentId, row.id),
  };
}

/** Data without the identifiers of the row. */
const plainData = ({ id: _id, documentId: _documentId, locale: _locale, ...data }: Params): Params => data;

/** Grants: `{action, role}`. */
function permissionWrites({ runtime, rowOf }: RowWritesContext, type: ContentType): RowWrites {
  const { database, reader, views } = runtime;
  const change = async (roleId: number, edit: (actions: ReadonlySet<string>) => Iterable<string>): Promise<void> => {
    await database.transaction((tx) => changeRoleGrants(tx, roleId, edit));
  };
  const roleOf = async (id: number): Promise<number | undefined> => {
    const found = await reader.one(type, views.code, { populate: 'role' }, { kind: 'row', id });
    return found && (JSON.parse(found.data) as { role: { id: number } | null }).role?.id;
  };
  return {
    create: async ({ data: { action, role } }) => {
      const id = linkedId(role);
      if (id === undefined) return unsupported('a permission without a role');
      await change(id, (actions) => [...actions, String(action)]);
      const params = { filters: { action: String(action), role: { id: String(id) } } };
      const { data } = await reader.list(type, views.code, params);
      return (JSON.parse(data) as Row[])[0] ?? ({ id: 0, documentId: '', action } as Row);
    },
    update: async ({ id, action }, data) => {
      const role = await roleOf(id);
      const wanted = data['action'] ?? action;
      if (role !== undefined) {
        await change(role, (actions) => [...without(actions, action), String(wanted)]);
      }
      return rowOf(type, id);
    },
    remove: async ({ id, action }) => {
      const role = await roleOf(id);
      if (role !== undefined) await change(role, (actions) => without(actions, action));
    },
  };
}

const without = (actions: ReadonlySet<string>, action: unknown): string[] =>
  [...actions].filter((one) => one !== String(action));

function roleWrites({ runtime, rowOf }: RowWritesContext, type: ContentType): RowWrites {
  return {
    create: async ({ data }) => rowOf(type, await runtime.roles.create({ ...data, permissions: {} })),
    update: async ({ id }, data) => {
      await runtime.roles.update(id, data);
      return rowOf(type, id);
    },
    remove: ({ id }) => runtime.roles.remove(id),
  };
}

/** Which locale is the default one is no part of its row. */
function localeWrites({ runtime, rowOf }: RowWritesContext, type: ContentType): RowWrites {
  const { database, catalog, layout } = runtime;
  const localeOf = (row: Row): Locale => ({ ...row, code: String(row['code']), name: String(row['name']) });
  return {
    create: async ({ data: { code, name } }) =>
      rowOf(
        type,
        await database.transaction(async (tx) => (await createLocale(tx, { code, name: name ?? undefined })).id),
      ),
    update: async (row, { code, name }) => {
      await database.transaction((tx) => updateLocale(tx, localeOf(row), { code, name: name ?? undefined }));
      return rowOf(type, row.id);
    },
    remove: (row) => database.transaction((tx) => deleteLocale(tx, { catalog, layout }, localeOf(row))),
  };
}
