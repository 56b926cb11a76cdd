/** Uniqueness of published values (docs/reference/writing.md, "Values"). */
import { isScalar } from '../../access/fields.ts';
import { at, type Failures } from '../../failures.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { compileTakenValue } from '../../sql/content-rows.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { valueLock } from '../writing/locks.ts';
import { layoutOfModel, type WriteContext } from '../writing/write-context.ts';
import { isSecret } from './validate.ts';

/**
 * Tells the failures of unique and uid attributes whose value another document has published in the same locale (of types
 * without drafts: has). Null and "" are exempt.
 *
 * @param columns the row's columns in the driver's form.
 */
export async function takenValues(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  locale: string | null,
  columns: ReadonlyMap<string, unknown>,
  failures: Failures,
): Promise<void> {
  const { table, columns: names } = layoutOfModel(context, type);
  const inLocale = type.localized && locale !== null;
  const checked = [...type.attributes.values()].flatMap((attribute) => {
    if (!isScalar(attribute) || !(attribute.unique || attribute.type === 'uid')) return [];
    const column = names.get(attribute.name)!;
    const value = columns.get(column);
    return value === undefined || value === null || value === '' ? [] : [{ attribute, column, value }];
  });
  // of two writers of one value the second waits, and sees the first one's
  const locks = () => checked.map(({ column, value }) => valueLock(type, column, inLocale ? locale : null, value));
  await context.tx.lock(locks, false);
  const taken = await Promise.all(
    checked.map(({ column, value }) => {
      const values = [value as SqlValue, documentId, ...(inLocale ? [locale] : [])];
      return context.tables.run(`taken ${table} ${column} ${inLocale}`, values, () =>
        compileTakenValue(table, column, { inLocale, published: type.draftAndPublish }),
      );
    }),
  );
  for (const [n, { attribute, value }] of checked.entries()) {
    if (taken[n]!.length === 0) continue;
    const told = isSecret(attribute) ? failures.withoutValues() : failures;
    told.add(at(attribute.name), 'This attribute must be unique', value);
  }
}
