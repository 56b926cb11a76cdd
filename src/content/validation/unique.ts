/** Uniqueness of published values (docs/reference/writing.md, "Values"). */
import { at, because, type Failures } from '../../failures.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { compileTakenValue } from '../../sql/content-rows.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { valueLock } from '../rows/locks.ts';
import type { WriteContext } from '../rows/write-context.ts';
import { type FailuresOf, isSecret } from './validate.ts';

/** Types whose values are read as milliseconds and written in the form of the engine. */
const TIMES: ReadonlySet<string> = new Set(['datetime', 'timestamp']);

/**
 * Reports unique and uid attributes whose value another document has published in the same locale; on types without
 * drafts, has stored. Null and "" are exempt.
 *
 * @param columns columns of the row, read or written; those of `WritePlan.unique` are checked.
 * @param hidden attributes that a condition hides: their values are not checked.
 */
export async function takenValues(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  locale: string | null,
  columns: ReadonlyMap<string, unknown>,
  failures: Failures | FailuresOf,
  hidden: ReadonlySet<string>,
): Promise<void> {
  const { table, unique } = context.plans.of(type.uid);
  const inLocale = type.localized && locale !== null;
  const checked = unique.flatMap(({ attribute, column }) => {
    const stored = columns.get(column);
    const isTime = typeof stored === 'number' && TIMES.has(attribute.type);
    const value = isTime ? context.tables.dialect.encodeTime(stored) : stored;
    const isFree = value === undefined || value === null || value === '' || hidden.has(attribute.name);
    return isFree ? [] : [{ attribute, column, value }];
  });
  if (checked.length === 0) return;
  // of two writers of one value the second waits, and sees the first one's
  const locks = () => checked.map(({ column, value }) => valueLock(type, column, inLocale ? locale : null, value));
  await context.tx.lock(locks, false);
  const taken = await Promise.all(
    checked.map(({ column, value }) => {
      const values = [value as SqlValue, documentId, ...(inLocale ? [locale] : [])];
      return context.tables.run(`taken ${table} ${column} ${inLocale}`, values, () =>
        compileTakenValue(context.tables.dialect, table, column, { inLocale, published: type.draftAndPublish }),
      );
    }),
  );
  for (const [n, { attribute, value }] of checked.entries()) {
    if (taken[n]!.length === 0) continue;
    const own = typeof failures === 'function' ? failures(attribute) : failures;
    const reported = isSecret(attribute) ? own.withoutValues() : own;
    reported.add(at(attribute.name), because('This attribute must be unique', 'unique'), value);
  }
}
