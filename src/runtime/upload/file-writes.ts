/**
 * Writes of rows of files by `strapi.db.query`: descriptions, relations and the folder. The address of the bytes cannot be
 * changed.
 */
import { isDeepStrictEqual } from 'node:util';
import type { WriteRequest } from '../../content/documents/write-request.ts';
import { at, validationFailure } from '../../failures.ts';
import { type FileInfo, infoAt } from '../../media/file-info.ts';
import { plainData } from '../../query/plain.ts';
import { type ContentType, FILE_UID } from '../../schema/catalog.ts';
import { knownData } from '../documents/known-data.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { Row, RowWrites } from '../documents/rows.ts';
import { unsupported } from '../guarded.ts';
import { linkedId } from '../row-id.ts';
import type { RuntimeContext } from '../runtime-context.ts';

/** Attributes for the address of the bytes, and for links from other types. */
export const FIXED_OF_FILES: readonly string[] = [
  ...['hash', 'ext', 'url', 'formats', 'provider', 'provider_metadata', 'related'],
];

interface FileWritesContext {
  readonly runtime: RuntimeContext;
  readonly rowOf: (type: ContentType, id: number) => Promise<Row>;
}

/** Writes of rows of files. Removing one also removes its bytes. */
export function fileWrites({ runtime, rowOf }: FileWritesContext, type: ContentType): RowWrites {
  const { media, database, writer, views, catalog } = runtime;
  return {
    create: async () => unsupported(`creating ${FILE_UID} other than by plugin('upload').service('upload').upload`),
    async update(row, { id: _id, documentId: _documentId, locale: _locale, ...data }) {
      const { folder: asked, folderPath, ...rest } = changedOf(row, data);
      const { name: _name, alternativeText: _text, caption: _caption, focalPoint: _point, ...values } = rest;
      const change = { info: checkedInfo(rest), folder: asked === undefined ? undefined : folderOf(asked) };
      const { info, folder: folderId } = await media.checkDetails(row.id, change, views.code);
      await media.leases.withFile(
        row.id,
        () =>
          database.within(async ({ tx }) => {
            const path = folderId === undefined ? row['folderPath'] : await media.library.put(tx, row.id, folderId);
            if (folderPath !== undefined && folderPath !== path) {
              unsupported(`a folderPath of ${FILE_UID} that is not the path of its folder`);
            }
            const written = knownData(catalog, type, {
              ...values,
              ...info,
              ...(folderId !== undefined && { folderPath: path }),
            });
            const write = { type, viewer: views.code, data: plainData(written) as WriteRequest['data'] };
            await writer.updateRow(write, row.documentId, row.id);
          }),
        database.current?.tx,
      );
      return rowOf(type, row.id);
    },
    remove: async ({ id }) => void (await media.remove(id, views.full)),
  };
}

/** Data without fixed values, which code may pass if they are unchanged. */
function changedOf(row: Row, data: Params): Params {
  const rest = { ...data };
  for (const name of FIXED_OF_FILES) {
    if (!(name in rest)) continue;
    const isKept = rest[name] === undefined || isDeepStrictEqual(rest[name], row[name]);
    if (!isKept) unsupported(`a change of ${name} of ${FILE_UID}`);
    delete rest[name];
  }
  return rest;
}

/** The values of a file in data. @throws ContentError 400 for invalid texts and points, and without a name. */
function checkedInfo(data: Params): FileInfo {
  const info = infoAt(undefined, data);
  if (info.name === null || info.name === '') throw validationFailure(at('name'), 'a file has a name', info.name);
  return Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined));
}

/** The id of the folder in a written relation; null for none. */
function folderOf(value: unknown): number | null {
  const isSet = typeof value === 'object' && value !== null && 'set' in value;
  if (isNone(isSet ? value.set : value)) return null;
  return linkedId(value) ?? unsupported(`a folder of ${FILE_UID} that is named otherwise than by its id`);
}

const isNone = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);
