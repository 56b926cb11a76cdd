/** Moving files and folders, as the reference does: paths follow, and nothing says that it was changed. */
import type { Viewer } from '../../access/view.ts';
import { layoutOfModel, type WriteContext } from '../../content/rows/write-context.ts';
import { forbidden, notFound } from '../../errors.ts';
import { fileType } from '../file-record.ts';
import type { MediaContext } from '../media-context.ts';
import type { Chosen } from './bodies.ts';
import {
  destination,
  type FolderRow,
  foldersLock,
  moveFolder,
  putIntoFolder,
  readFolders,
  takeFromFolders,
} from './folder-rows.ts';
import { requireFree, requireOutside } from './folders.ts';

/**
 * Moves files and folders into a folder; null is none.
 *
 * @throws ContentError 400 for a folder that is not there, that would be in itself, or whose name is taken there; 403
 * for files that the viewer may not change; 404 where something is not there.
 */
export async function move(
  { database, writer, reader }: MediaContext,
  { files, folders, to }: Chosen & { readonly to: number | null },
  viewer: Viewer,
): Promise<void> {
  await database.transaction(async (tx) => {
    const write = writer.context(tx);
    const type = fileType(write);
    const { table, columns } = layoutOfModel(write, type);
    await tx.lock(() => [foldersLock(false)]);
    const place = await destination(write, to, 'to');
    const moved = await readFolders(write, folders);
    const found = await write.tables.select(table, ['id'], { id: files }, ['id']);
    if (moved.length < folders.length || found.length < files.length) throw notFound();
    const rows = files.map((id) => ({ id, published: true }));
    if ((await reader.shown(tx, viewer).hidden(type, rows)).size > 0) throw forbidden();
    for (const folder of moved) requireOutside(folder, place, 'to');
    const names = moved.map(({ name }) => name);
    if (names.length > 0) await requireFree(write, names, place, folders);
    // one that lies in another of them comes first: its path is changed once
    for (const folder of moved.sort(deepestFirst)) await moveFolder(write, folder, place);
    if (files.length === 0) return;
    await takeFromFolders(write, files);
    if (place.id !== null) await putIntoFolder(write, files, place.id);
    const column = columns.get('folderPath');
    // `updated_at` stays: whoever replaces a file's bytes tells by it whether that is done
    if (column !== undefined) await write.tables.update(table, new Map([[column, place.path]]), { id: files });
  });
}

/**
 * Puts a file into a folder, or into none, within a transaction, and gives the path that its record has to have.
 *
 * @throws ContentError 400 for a folder that is not there.
 */
export async function putFile(write: WriteContext, file: number, folder: number | null): Promise<string> {
  await write.tx.lock(() => [foldersLock(true)]);
  const { id, path } = await destination(write, folder, 'folder');
  await takeFromFolders(write, [file]);
  if (id !== null) await putIntoFolder(write, [file], id);
  return path;
}

const deepestFirst = (a: FolderRow, b: FolderRow): number => b.path.split('/').length - a.path.split('/').length;
