/** What records name: every address of a file, of its formats, and of the still that Strapi's panel may have of it. */
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import { FILE_UID } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import { compileFileRecords } from '../../sql/files.ts';
import { formatsOf } from '../file-record.ts';

/** Records read at a time. */
const BATCH = 500;

/** One address of a record. */
export interface NamedFile {
  readonly recordId: number;
  readonly name: string;
  readonly provider: string;
  readonly url: string;
  /** Bytes, as the record says. */
  readonly size: number;
}

/** Every address that the records name, in the order of their ids. */
export async function* namedFiles(db: Queryable, layout: Layout): AsyncGenerator<NamedFile> {
  const select = compileFileRecords(layoutOf(layout, FILE_UID).table);
  for (let last = 0; ; ) {
    const rows = await query(db, select, [last, BATCH]);
    for (const [recordId, name, provider, url, kilobytes, formats, previewUrl] of rows) {
      const record = { recordId: Number(recordId), name: String(name), provider: String(provider) };
      const bytes = Math.round(Number(kilobytes ?? 0) * 1000);
      yield { ...record, url: String(url), size: bytes };
      // another program may have stored anything below `formats`
      for (const [key, format] of Object.entries(formatsOf(formats) ?? {})) {
        if (typeof format?.url !== 'string') continue;
        const size = Number(format.sizeInBytes ?? Number(format.size ?? 0) * 1000) || 0;
        yield { ...record, name: `${key} of ${record.name}`, url: format.url, size: Math.round(size) };
      }
      if (typeof previewUrl === 'string' && previewUrl !== '') {
        yield { ...record, name: `preview of ${record.name}`, url: previewUrl, size: 0 };
      }
    }
    if (rows.length < BATCH) return;
    last = Number(rows.at(-1)![0]);
  }
}
