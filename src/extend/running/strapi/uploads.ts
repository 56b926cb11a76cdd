/** `strapi.plugin('upload').service('upload')`. */
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { lookup } from 'mime-types';
import type { Params } from '../documents/lifecycles.ts';
import type { Rows } from '../documents/rows.ts';
import type { CodeRooms } from '../rooms.ts';

/** A file as code hands it over: of a request, or on the disk. */
interface GivenFile {
  readonly filepath?: string;
  readonly path?: string;
  readonly originalFilename?: string;
  readonly originalFileName?: string;
  readonly name?: string;
  readonly mimetype?: string;
  readonly type?: string;
  readonly size?: number;
}

export function uploadService({ media, views }: CodeRooms, rows: Rows) {
  return {
    /** Stores files, and links them to what `data` names by `ref`, `refId` and `field`. */
    async upload({ data = {}, files }: { readonly data?: Params; readonly files: GivenFile | readonly GivenFile[] }) {
      const given = [files].flat() as GivenFile[];
      const incoming = await Promise.all(
        given.map(async (file) => {
          const path = file.filepath ?? file.path ?? '';
          const name = file.originalFilename ?? file.originalFileName ?? file.name ?? basename(path);
          const type = file.mimetype ?? file.type ?? (lookup(name) || 'application/octet-stream');
          return { path, field: 'files', name, mime: type, size: file.size ?? (await stat(path)).size };
        }),
      );
      const fields = new Map<string, readonly string[]>();
      for (const [name, value] of Object.entries(data)) {
        if (value === undefined || value === null) continue;
        const values = name === 'fileInfo' ? [value].flat().map((one) => JSON.stringify(one)) : [String(value)];
        fields.set(name, values);
      }
      const folder = dirname(incoming[0]?.path ?? '');
      const text = await media.upload({ files: incoming, fields, folder }, views.full);
      return JSON.parse(text) as unknown;
    },
    findOne: (id: number, populate?: unknown) => rows.findOne({ where: { id }, populate }),
    findMany: (params: Params = {}) => rows.findMany({ ...params, where: params['where'] ?? params['filters'] }),
    findPage: (params: Params = {}) => rows.findPage(params),
    async updateFileInfo(id: number, info: Params) {
      return JSON.parse(await media.updateInfo(Number(id), info, views.full)) as unknown;
    },
    async remove({ id }: { readonly id: number }) {
      return JSON.parse(await media.remove(Number(id), views.full)) as unknown;
    },
  };
}
