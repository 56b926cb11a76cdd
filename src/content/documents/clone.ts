/** A document made of another one. */
import { Failures } from '../../failures.ts';
import { isExclusive } from '../../plan/link-place.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { storeCopy } from '../publication/difference.ts';
import { readOriginal } from '../publication/original.ts';
import { readWhole } from '../publication/whole-row.ts';
import { recordChange } from '../rows/changes.ts';
import { createDocumentId } from '../rows/document-id.ts';
import type { DocumentRow } from '../rows/document-rows.ts';
import type { WriteContext } from '../rows/write-context.ts';
import { hiddenOf } from '../validation/shown.ts';
import { takenValues } from '../validation/unique.ts';

/**
 * Copies rows of a document, one for each locale, into a new document and gives its id. Links that only one document
 * may have stay with the original, and so do those that the other side keeps.
 */
export async function cloneRows(
  context: WriteContext,
  type: ContentType,
  rows: readonly DocumentRow[],
  now: number,
): Promise<string> {
  const documentId = createDocumentId();
  const { cloned } = context.plans.of(type.uid);
  const attributes = [...type.attributes.values()].filter(
    (attribute) => attribute.type !== 'relation' || (attribute.owner && !isExclusive(attribute)),
  );
  const names = new Set(attributes.map(({ name }) => name));
  const time = context.tables.dialect.encodeTime(now);
  for (const row of rows) {
    const own = new Map([
      ['document_id', documentId],
      ['created_at', time],
      ['updated_at', time],
      ['published_at', type.draftAndPublish ? null : time],
    ]);
    const id = await context.tables.copy(row.id, cloned, own);
    const mapping = { state: 'same', locale: undefined } as const;
    const pair = { from: row.id, to: undefined };
    await storeCopy(context, await readOriginal(context, { model: type, pair, mapping, only: names }), id);
    recordChange(context, { type, documentId, locale: row.locale, published: false }, 'created', undefined, id);
  }
  return documentId;
}

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Holds the rows of a document to uniqueness, whatever wrote them.
 *
 * @throws ContentError 400 for a value that another document has.
 */
export async function requireUnique(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  rows: readonly DocumentRow[],
): Promise<void> {
  const { index } = context.plans;
  const { contentQuery, content } = context.plans.of(type.uid);
  for (const { id, locale } of rows) {
    const [row] = await context.tables.find(contentQuery, [id]);
    const values = new Map(content.names.map((name, index) => [name, row![index + 1]]));
    const failures = new Failures().withoutValues();
    const whole = index.hasConditions(type.uid) ? await readWhole(context, type, id) : undefined;
    const hidden = whole ? hiddenOf(whole) : NO_NAMES;
    await takenValues(context, type, documentId, locale, values, failures, hidden);
    failures.throwAny();
  }
}
