/**
 * One row of a document, changed by itself: its other version and its other locales stay as they are. It is what code
 * asks for that names rows; everybody else writes versions of documents.
 */
import { Failures } from '../../failures.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { copySharedAttributes, mentionedNestedContent } from '../publication/shared-attributes.ts';
import { readWhole } from '../publication/whole-row.ts';
import type { ShownRows } from '../reading/shown-rows.ts';
import { Targets } from '../relations/targets.ts';
import { recordChange } from '../rows/changes.ts';
import { type DocumentRow, type DocumentRows, inLocale, writeTime } from '../rows/document-rows.ts';
import { neededIds } from '../rows/row-ids.ts';
import { layoutOfModel, type Scope, type WriteContext } from '../rows/write-context.ts';
import { tellDisallowed } from '../validation/allowed-files.ts';
import { PatternTime } from '../validation/pattern-time.ts';
import { validateRow } from '../validation/validate.ts';
import { columnsOf, writeNestedContent } from './row-content.ts';
import type { Prepared, RowWrite } from './write-request.ts';

/**
 * Changes a row.
 *
 * @throws ContentError 400 for values and links that are wrong.
 */
export async function writeStoredRow(
  context: WriteContext,
  { type, mayShare = false }: RowWrite,
  { permitted, hashes, defaultLocale }: Prepared,
  { document, row, shown }: { readonly document: DocumentRows; readonly row: DocumentRow; readonly shown: ShownRows },
): Promise<void> {
  const drafts = type.draftAndPublish;
  const { id, locale, published } = row;
  const scope: Scope = { state: drafts ? (published ? 'published' : 'draft') : 'both', locale, defaultLocale };
  const targets = await Targets.of(context, permitted.row, scope, shown);
  await context.tables.draw(() => neededIds(context, permitted.row, { isNew: false, versions: 1 }));
  const failures = new Failures();
  targets.tellMissing(permitted.row, failures);
  tellDisallowed(permitted.row, targets, failures);
  // the reference asks nothing else of a row that code names, such as a value that no other row has
  const rules = { strict: false, creating: false, patterns: new PatternTime() };
  const before = context.plans.index.hasConditions(type.uid) ? await readWhole(context, type, id) : undefined;
  const valid = validateRow(permitted.row, rules, () => failures, undefined, before);
  failures.throwAny();
  const columns = columnsOf(context, valid, hashes);
  const time = context.tables.dialect.encodeTime(timeOf(type, document, row));
  columns.set('updated_at', time);
  if (!drafts) columns.set('published_at', time);
  await context.tables.update(layoutOfModel(context, type).table, columns, { id });
  recordChange(context, { type, documentId: document.documentId, locale, published }, 'updated', id, id);
  await writeNestedContent(
    context,
    type,
    [{ model: type, rowId: id, scope, isNew: false, row: valid }],
    targets,
    hashes,
  );
  if (!mayShare) return;
  const peers = document.rows.filter((other) => other.locale !== locale && other.published === published);
  const nested = mentionedNestedContent(permitted.row);
  await copySharedAttributes(context, { type, documentId: document.documentId }, { id }, peers, nested, undefined);
}

/** When the row was changed, as its column says. A draft with changes to be published has to stay newer than the publication. */
function timeOf(type: ContentType, document: DocumentRows, row: DocumentRow): number {
  const draft = document.rows.find((other) => !other.published && inLocale(other, type, row.locale));
  const isNewer = draft !== undefined && draft !== row && draft.updatedAt > row.updatedAt;
  return type.draftAndPublish && isNewer ? row.updatedAt : writeTime(document);
}
