/** Records of files as a caller sees them. */
import type { Viewer } from '../access/view.ts';
import { acting } from '../content/documents/write-request.ts';
import { forbidden } from '../errors.ts';
import type { RawObject } from '../query/params.ts';
import { fileType } from './file-record.ts';
import type { MediaContext, ViewedRecords } from './media-context.ts';

/**
 * The records that a caller sees.
 *
 * @param params the shape of each record.
 * @param flags constant keys at the end of each.
 */
export function viewedRecords(
  { reader, catalog }: Pick<MediaContext, 'reader' | 'catalog'>,
  viewer: Viewer,
  params: RawObject,
  flags?: Readonly<Record<string, boolean>>,
): ViewedRecords {
  const type = fileType({ catalog });
  return {
    by: viewer.values,
    author: viewer.values.administratorId,
    read: async (tx, id) => {
      const options = { db: tx, ...(flags === undefined ? {} : { flags }) };
      const text = (await reader.one(type, viewer, params, { kind: 'row', id }, options))?.data;
      if (text === undefined) throw forbidden();
      return text;
    },
    isShown: async (db, id) => (await reader.shown(db, viewer).hidden(type, [{ id, published: true }])).size === 0,
    requireWritten: async (db, id, action) => {
      const narrower = acting({ viewer }, action).viewer;
      if (narrower !== viewer) await reader.shown(db, narrower).requireWritten(type, [{ id, published: true }]);
    },
  };
}
