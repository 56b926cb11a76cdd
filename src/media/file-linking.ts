/**
 * Links uploaded files to a row: `ref`, `refId` and `field` (docs/reference/files.md). Only the named row gets them,
 * the draft or the published one.
 */
import type { View, Viewer } from '../access/view.ts';
import { acting } from '../content/documents/write-request.ts';
import type { ShownRows } from '../content/reading/shown-rows.ts';
import { writeMedia } from '../content/relations/links.ts';
import { linksOfRows } from '../content/relations/stored-links.ts';
import { type ChangedVersion, recordChange, replacing } from '../content/rows/changes.ts';
import { MAX_ROW_ID } from '../content/rows/document-rows.ts';
import { documentLock } from '../content/rows/locks.ts';
import {
  hasDrafts,
  isLocalized,
  layoutOfModel,
  linkPlanOf,
  type ReadContext,
  type WriteContext,
} from '../content/rows/write-context.ts';
import { type ContentError, forbidden } from '../errors.ts';
import { at, validationFailure } from '../failures.ts';
import { type ContentType, type MediaAttribute, type Model, modelOf } from '../schema/catalog.ts';
import type { Form } from './form.ts';

/** A media attribute of a row, and who links to it. */
export interface LinkRequest {
  readonly model: Model;
  readonly attribute: MediaAttribute;
  /** The id of a row, or of a document. */
  readonly refId: string;
  /** Uids of types whose documents the caller may link files to. */
  readonly writable: ReadonlySet<string>;
  readonly viewer: Viewer;
}

/**
 * The link that a form requests; undefined unless all three fields are set. It changes the document, so it needs the
 * right to update documents of the type (docs/differences.md, "Files").
 *
 * @throws ContentError 403 without that right; 400 with the field's path for an unknown type or media attribute.
 */
export function linkRequest(
  { catalog, plans }: Pick<ReadContext, 'catalog' | 'plans'>,
  viewer: Viewer,
  fields: Form['fields'],
): LinkRequest | undefined {
  const [ref, refId, field] = ['ref', 'refId', 'field'].map((name) => fields.get(name)?.at(-1));
  if (!ref || !refId || !field) return undefined;
  const model = catalog.contentTypes.get(ref) ?? catalog.components.get(ref);
  if (!model) throw wrong('ref', `There is no content type or component ${ref}`, ref);
  const holders = model.modelType === 'contentType' ? [model] : plans.index.reachedFrom(model.uid);
  const { view } = viewer;
  const updated = holders.filter(({ uid }) => view.may(`${uid}.update`));
  if (updated.length === 0) throw forbidden();
  const attribute = model.attributes.get(field);
  if (attribute?.type !== 'media') throw wrong('field', `${ref} has no media attribute ${field}`, field);
  const writable = new Set(updated.filter((type) => mayGive(view, type, model, field)).map(({ uid }) => uid));
  if (writable.size === 0) throw forbidden();
  return { model, attribute, refId, writable, viewer };
}

/** Whether a View may write a media attribute of a type, or of a component everywhere in the type. */
function mayGive(view: View, type: ContentType, model: Model, field: string): boolean {
  const { writable } = view.of(type);
  if (model === type) return writable.has(field);
  return [...type.attributes.values()].every(
    (attribute) =>
      (attribute.type !== 'component' && attribute.type !== 'dynamiczone') ||
      (writable.has(attribute.name) &&
        (attribute.type === 'dynamiczone' ||
          view.into(type, attribute) === modelOf(view.catalog, attribute.component))),
  );
}

/**
 * Finds the row to link files to.
 *
 * @param shownTo the rows that a viewer sees.
 * @throws ContentError 400 with the path `refId` for a row or document that does not exist or is hidden, and for a
 *   component outside of any document; 403 for a document that the caller may not update.
 */
export async function findLinkRow(
  context: ReadContext,
  { model, refId, writable, viewer }: LinkRequest,
  shownTo: (viewer: Viewer) => ShownRows,
  defaultLocale: string,
): Promise<LinkRow> {
  const row = await findRow(context, model, refId, defaultLocale);
  const owner = row === undefined ? undefined : await ownerOf(context, model, row);
  const isThere = owner && (await shownTo(viewer).hidden(owner.type, [{ ...owner, id: owner.rowId }])).size === 0;
  if (row === undefined || !isThere) throw wrong('refId', `There is no ${model.uid} with id ${refId}`, refId);
  if (!writable.has(owner.type.uid)) throw forbidden();
  const publishes = owner.type.draftAndPublish && owner.published ? (['publish'] as const) : [];
  const written = shownTo(acting({ viewer }, 'update', ...publishes).viewer);
  await written.requireWritten(owner.type, [{ ...owner, id: owner.rowId }]);
  return { row, owner };
}

/** Finds the row and locks its document until the transaction ends. @throws ContentError as `findLinkRow`. */
export async function lockLinkRow(
  context: WriteContext,
  request: LinkRequest,
  shownTo: (viewer: Viewer) => ShownRows,
  defaultLocale: string,
): Promise<LinkRow> {
  const row = await findLinkRow(context, request, shownTo, defaultLocale);
  const waited = await context.tx.lock(() => [documentLock(row.owner.type.uid, row.owner.documentId)]);
  return waited ? findLinkRow(context, request, shownTo, defaultLocale) : row;
}

/** The version of a document that a row belongs to. */
interface OwnerVersion extends ChangedVersion {
  readonly rowId: number;
}

/** A row to link files to, and the version that it belongs to. */
interface LinkRow {
  readonly row: number;
  readonly owner: OwnerVersion;
}

/**
 * Links new files to a row. A single attribute gets the last file, a multiple one gets all of them after its present
 * files.
 */
export async function linkFiles(
  context: WriteContext,
  { model, attribute }: LinkRequest,
  { row: rowId, owner }: LinkRow,
  files: readonly number[],
): Promise<void> {
  await replacing(context, owner, 'updated', owner.rowId);
  recordChange(context, owner, 'updated', owner.rowId, owner.rowId, { fields: [attribute.name] });
  const source = { model, rowId, scope: { state: 'both', locale: null, defaultLocale: '' } } as const;
  if (!attribute.multiple) return writeMedia(context, model, attribute, [{ source, files: files.slice(-1) }]);
  const linked = (await linksOfRows(context, linkPlanOf(context, model, attribute), [rowId])).get(rowId) ?? [];
  const all = [...linked.map(({ target }) => target), ...files];
  await writeMedia(context, model, attribute, [{ source, files: all }]);
}

/** The row with an id; else the draft of a document in the default locale, or the document's only row. */
async function findRow(
  context: ReadContext,
  model: Model,
  refId: string,
  defaultLocale: string,
): Promise<number | undefined> {
  const { table } = layoutOfModel(context, model);
  const { tables } = context;
  if (/^\d{1,10}$/.test(refId) && Number(refId) <= MAX_ROW_ID) {
    const [row] = await tables.select(table, ['id'], { id: Number(refId) });
    if (row) return Number(row[0]);
  }
  if (model.modelType !== 'contentType' || refId.includes('\0') || !refId.isWellFormed()) return undefined;
  const rows = await tables.select(table, ['id', 'locale', 'published_at'], { document_id: refId }, ['id']);
  if (rows.length === 1) return Number(rows[0]![0]);
  const match = rows.find(
    ([, locale, publishedAt]) =>
      (!isLocalized(model) || locale === defaultLocale) && (!hasDrafts(model) || publishedAt === null),
  );
  return match && Number(match[0]);
}

/** The version that a row belongs to; undefined for a component outside of any document. */
async function ownerOf(context: ReadContext, model: Model, rowId: number): Promise<OwnerVersion | undefined> {
  const { tables, plans } = context;
  if (model.modelType === 'contentType') {
    const columns = ['document_id', 'locale', 'published_at'];
    const [row] = await tables.select(layoutOfModel(context, model).table, columns, { id: rowId });
    if (!row) return undefined;
    const [documentId, locale, publishedAt] = row;
    const version = {
      documentId: String(documentId),
      locale: locale as string | null,
      published: publishedAt !== null,
    };
    return { type: model, rowId, ...version };
  }
  for (const holder of plans.index.holders(model.uid)) {
    const match = { cmp_id: rowId, component_type: model.uid };
    const foreignKey = plans.foreignKeyTo(holder.uid, 'entity_id');
    for (const [entityId] of await tables.select(
      plans.of(holder.uid).ties!.table,
      ['entity_id'],
      match,
      ['id'],
      foreignKey,
    )) {
      const owner = await ownerOf(context, holder, Number(entityId));
      if (owner) return owner;
    }
  }
  return undefined;
}

function wrong(field: string, message: string, value: string): ContentError {
  return validationFailure(at(field), message, value.isWellFormed() ? value : undefined);
}
