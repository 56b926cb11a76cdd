/**
 * The folder 'API Uploads', which every file uploaded through the API goes to. Folders are for the reference's panel:
 * this API does not show them.
 */
import type { AroundRows } from '../content/rows/around-rows.ts';
import type { WriteContext } from '../content/rows/write-context.ts';
import { CORE_STORE_TABLE } from '../sql/settings.ts';
import { type FolderPlace, foldersLock, insertFolder } from './library/folder-rows.ts';

const NAME = 'API Uploads';
const SETTING = 'plugin_upload_api-folder';
const FOLDERS = 'upload_folders';

/**
 * The folder; it is made when there is none. Until the transaction ends nobody else puts files into it.
 *
 * @param around as in `MediaContext`.
 */
export async function holdApiFolder(context: WriteContext, around?: AroundRows): Promise<FolderPlace> {
  const isThere = (await findFolder(context)) !== undefined;
  // files are numbered in it one after another, it is made once, and it stays where it is
  await context.tx.lock(() => [{ key: 'galley api folder', shared: false }, foldersLock(isThere)]);
  return (await findFolder(context)) ?? makeFolder(context, around);
}

async function findFolder({ tables }: WriteContext): Promise<FolderPlace | undefined> {
  const [setting] = await tables.select(CORE_STORE_TABLE, ['value'], { key: SETTING }, ['id']);
  const id = idIn(setting?.[0]);
  if (id === undefined) return undefined;
  const [folder] = await tables.select(FOLDERS, ['id', 'path'], { id });
  return folder && { id: Number(folder[0]), path: String(folder[1] ?? '/') };
}

async function makeFolder(context: WriteContext, around: AroundRows | undefined): Promise<FolderPlace> {
  const { tables } = context;
  const taken = new Set((await tables.select(FOLDERS, ['name'], {})).map(([name]) => String(name)));
  let name = NAME;
  for (let n = 1; taken.has(name); n++) name = `${NAME} (${n})`;
  const { id, path } = await insertFolder(context, { name, parent: null }, undefined, around);
  const value = JSON.stringify({ id });
  const [setting] = await tables.select(CORE_STORE_TABLE, ['id'], { key: SETTING });
  if (setting) await tables.update(CORE_STORE_TABLE, new Map([['value', value]]), { key: SETTING });
  else await tables.insert(CORE_STORE_TABLE, new Map(Object.entries({ key: SETTING, value, type: 'object' })));
  return { id, path };
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
