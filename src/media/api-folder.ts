/**
 * The folder 'API Uploads', which every file uploaded through the API goes to. Folders are for the reference's panel:
 * this API does not show them (behaviour-storage.md, "Accounts, tokens, locales, files").
 */

import { linkColumns } from '../content/links/stored-links.ts';
import { createDocumentId } from '../content/writing/document-id.ts';
import { placeOf, type WriteContext } from '../content/writing/write-context.ts';
import type { LinkTable } from '../plan/link-place.ts';
import type { RelationAttribute } from '../schema/catalog.ts';
import { compileLastFolder } from '../sql/files.ts';
import { CORE_STORE_TABLE } from '../sql/settings.ts';
import { fileType } from './file-record.ts';

const NAME = 'API Uploads';
const SETTING = 'plugin_upload_api-folder';
const FOLDERS = 'upload_folders';
const FOLDER_UID = 'plugin::upload.folder';

export interface ApiFolder {
  readonly id: number;
  /** `/<path id>` */
  readonly path: string;
}

/** The folder; it is made when there is none. Until the transaction ends nobody else puts files into it. */
export async function holdApiFolder(context: WriteContext): Promise<ApiFolder> {
  // files are numbered in it one after another, and it is made once
  await context.tx.lock(() => [{ key: 'galley api folder', shared: false }]);
  return (await findFolder(context)) ?? makeFolder(context);
}

/** Puts a new file into the folder, behind the others. */
export async function putIntoFolder(context: WriteContext, file: number, folder: ApiFolder): Promise<void> {
  const type = fileType(context);
  const attribute = type.attributes.get('folder') as RelationAttribute | undefined;
  if (!attribute) return;
  const place = placeOf(context, type, attribute) as LinkTable;
  const columns = linkColumns(place, file, { target: folder.id, uid: FOLDER_UID, order: null });
  if (place.inverseOrder === null) await context.tables.insert(place.table, columns);
  else await context.tables.insertLast(place.table, columns, place.inverseOrder, place.target);
}

async function findFolder({ tables }: WriteContext): Promise<ApiFolder | undefined> {
  const [setting] = await tables.select(CORE_STORE_TABLE, ['value'], { key: SETTING }, ['id']);
  const id = idIn(setting?.[0]);
  if (id === undefined) return undefined;
  const [folder] = await tables.select(FOLDERS, ['id', 'path'], { id });
  return folder && { id: Number(folder[0]), path: String(folder[1] ?? '/') };
}

async function makeFolder({ tables }: WriteContext): Promise<ApiFolder> {
  const taken = new Set((await tables.select(FOLDERS, ['name'], {})).map(([name]) => String(name)));
  let name = NAME;
  for (let n = 1; taken.has(name); n++) name = `${NAME} (${n})`;
  const [last] = await tables.run('last folder', [], compileLastFolder);
  const pathId = Number(last?.[0] ?? 0) + 1;
  const time = tables.dialect.encodeTime(Date.now());
  const folder = {
    document_id: createDocumentId(),
    name,
    path_id: pathId,
    path: `/${pathId}`,
    created_at: time,
    updated_at: time,
    published_at: time,
  };
  const id = await tables.insert(FOLDERS, new Map(Object.entries(folder)));
  const value = JSON.stringify({ id });
  const [setting] = await tables.select(CORE_STORE_TABLE, ['id'], { key: SETTING });
  if (setting) await tables.update(CORE_STORE_TABLE, new Map([['value', value]]), { key: SETTING });
  else await tables.insert(CORE_STORE_TABLE, new Map(Object.entries({ key: SETTING, value, type: 'object' })));
  return { id, path: folder.path };
}

function idIn(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const id = (JSON.parse(value) as { id?: unknown } | null)?.id;
    return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
