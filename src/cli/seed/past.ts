/** The past of sample content: documents that were all written at one moment would tell nothing of what is new. */
import type { WriteRequest } from '../../content/writing/write-request.ts';
import { selectRows, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';

const DAY = 86_400_000;

export interface Backdated {
  /** The write that has just been made. */
  readonly request: WriteRequest;
  readonly documentId: string;
  /** Of the version; without effect on types without locales. */
  readonly locale: string;
  readonly daysAgo: number;
}

/** Says of the version that was just written that it was written some days ago. */
export async function backdate(
  tx: Transaction,
  layout: Layout,
  { request: { type, status }, documentId, locale, daysAgo }: Backdated,
): Promise<void> {
  const { table, columns } = layoutOf(layout, type.uid);
  const time = tx.dialect.encodeTime(Date.now() - daysAgo * DAY);
  const [created, updated, published] = ['createdAt', 'updatedAt', 'publishedAt'].map((name) => columns.get(name)!);
  const version = {
    [columns.get('documentId')!]: documentId,
    ...(type.localized ? { [columns.get('locale')!]: locale } : {}),
  };
  const rows = await selectRows(tx, table, ['id', published!], version);
  const isNewerDraft = status === 'draft' && rows.some(([, publishedAt]) => publishedAt !== null);
  for (const [id, publishedAt] of rows) {
    // what is published is as old as it was
    if (isNewerDraft && publishedAt !== null) continue;
    const times = {
      [updated!]: time,
      ...(isNewerDraft ? {} : { [created!]: time }),
      ...(publishedAt === null ? {} : { [published!]: time }),
    };
    await updateRows(tx, table, times, { id: Number(id) });
  }
}
