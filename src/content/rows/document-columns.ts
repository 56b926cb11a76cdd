/** The columns that every row of a content type has. */
import type { Queryable } from '../../db/interface/queryable.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { createDocumentId } from './document-id.ts';

/** A new document id and three times, all `now` (epoch ms), by column. */
export function documentColumns({ dialect }: Queryable, now: number): Record<string, SqlValue> {
  const time = dialect.encodeTime(now);
  return { document_id: createDocumentId(), created_at: time, updated_at: time, published_at: time };
}
