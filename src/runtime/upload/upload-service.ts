/** `strapi.plugin('upload').service('upload')`, and the services that it works with. */
import { validation } from '../../errors.ts';
import { extensionOf, sentName } from '../../media/file-name.ts';
import { kilobytes } from '../../media/file-record.ts';
import type { ReceivedForm } from '../../media/media-context.ts';
import { extensionFor } from '../../media/prepared-file.ts';
import type { Params } from '../documents/lifecycles.ts';
import type { Rows } from '../documents/rows.ts';
import { rowIdOrNone } from '../row-id.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { storeOf } from '../strapi/store.ts';
import { imageService } from './image-service.ts';
import { incomingOf, type UploadedFile } from './incoming-files.ts';

/** The defaults of the settings in the reference's panel. */
const SETTINGS = { sizeOptimization: true, responsiveDimensions: true, autoOrientation: false, aiMetadata: true };

interface UploadRows {
  readonly files: Rows;
  readonly folders: Rows;
}

export function uploadService(runtime: RuntimeContext, { files: rows, folders }: UploadRows) {
  const { media, views } = runtime;
  const { generateFileName } = imageService(runtime);
  const { getFolderPath } = fileService(folders);
  /** Runs work with a form of copies: the files of code stay in place. */
  const withForm = async (
    uploaded: readonly UploadedFile[],
    data: Params,
    work: (form: ReceivedForm) => Promise<string>,
  ) => {
    const incoming = await Promise.all(uploaded.map(incomingOf));
    const fields = fieldsOf(data);
    return recordsOf(await media.copied(incoming, (files, folder) => work({ files, fields, folder })));
  };
  return {
    /** Stores files, and links them to the attribute that `data` names by `ref`, `refId` and `field`. */
    upload: ({
      data = {},
      files,
    }: {
      readonly data?: Params;
      readonly files: UploadedFile | readonly UploadedFile[];
    }) => withForm([files].flat() as UploadedFile[], data, (form) => media.upload(form, views.full)),
    /** Puts another file in the place of a stored one. */
    replace(id: number, { data = {}, file }: { readonly data?: Params; readonly file: UploadedFile }) {
      return withForm([file], data, (form) => media.replace(rowIdOrNone(id), form, views.full));
    },
    findOne: (id: number, populate?: unknown) => rows.findOne({ where: { id }, populate }),
    findMany: (params: Params = {}) => rows.findMany({ ...params, where: params['where'] ?? params['filters'] }),
    findPage: (params: Params = {}) => rows.findPage(params),
    async findAndCountPage(params: Params = {}) {
      return rows.findPage({ ...params, where: params['where'] ?? params['filters'] });
    },
    async updateFileInfo(id: number, info: Params) {
      return recordsOf(await media.updateInfo(rowIdOrNone(id), info, views.full));
    },
    /** Removes a file. A missing one counts as removed, as in the reference. */
    async remove({ id }: { readonly id: number }) {
      const file = await rows.findOne({ where: { id: rowIdOrNone(id) } });
      return file === null ? null : recordsOf(await media.remove(rowIdOrNone(id), views.full));
    },
    /** The values of a record for a file. @throws ContentError 400 for an invalid name. */
    async formatFileInfo({ filename, type, size }: Params, info: Params = {}, metas: Params = {}) {
      const sent = sentName(String(filename));
      const ext = extensionOf(sent) || extensionFor(String(type));
      const name = String(info['name'] || sent).normalize();
      const { alternativeText, caption, focalPoint, folder } = info;
      const { refId, ref, field, path, tmpWorkingDirectory } = metas;
      const base = name.endsWith(ext) ? name.slice(0, -ext.length) : name;
      return {
        ...{ name, alternativeText, caption, focalPoint, folder, folderPath: await getFolderPath(folder) },
        ...{ hash: generateFileName(base), ext, mime: type },
        ...{ size: kilobytes(Number(size)), sizeInBytes: size },
        ...(refId && ref && field ? { related: [{ id: refId, __type: ref, __pivot: { field } }] } : {}),
        ...(path ? { path } : {}),
        ...(tmpWorkingDirectory ? { tmpWorkingDirectory } : {}),
      };
    },
    async getSettings() {
      const stored = await storeOf(runtime, { type: 'plugin', name: 'upload', key: 'settings' }).get();
      return { ...SETTINGS, ...(stored as object | null) };
    },
  };
}

/** Records for code, without the members that only answers have. */
function recordsOf(text: string): unknown {
  const parsed = JSON.parse(text) as unknown;
  const record = ({ isUrlSigned: _isUrlSigned, ...rest }: Params): Params => rest;
  return Array.isArray(parsed) ? parsed.map(record) : record(parsed as Params);
}

/** `service('file')`. */
export function fileService(folders: Rows) {
  return {
    /** The path of a folder, `/` for none. @throws ContentError 404 for a missing one. */
    async getFolderPath(folder?: unknown): Promise<string> {
      if (!folder) return '/';
      const found = (await folders.findOne({ where: { id: folder } })) as { path: string } | null;
      if (!found) throw validation('some folders do not exist');
      return found.path;
    },
  };
}

/** `service('api-upload-folder')`. */
export function apiFolderService({ media }: Pick<RuntimeContext, 'media'>, folders: Rows) {
  return {
    /** The folder for files of the content API, created if it is missing. */
    async getAPIUploadFolder() {
      return folders.findOne({ where: { id: await media.apiFolder() } });
    },
  };
}

/** Values of a form, as texts. */
function fieldsOf(data: Params): Map<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(data)) {
    if (value === undefined || value === null) continue;
    const values = name === 'fileInfo' ? [value].flat().map((one) => JSON.stringify(one)) : [String(value)];
    fields.set(name, values);
  }
  return fields;
}
