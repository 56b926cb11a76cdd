/** Publication as callers may ask for it: of a draft that meets the rules of published content. */
import type { WrittenRow } from '../access/permitted-write.ts';
import { type FieldFailure, validationFailure } from '../errors.ts';
import type { DocumentRow } from './documents.ts';
import { publish, type Version } from './publication.ts';
import { sharedAttributes, spread } from './spread.ts';
import { takenValues } from './unique.ts';
import { validateRow } from './validate.ts';
import { encode, layoutOfModel, type WriteContext } from './write-context.ts';

/** What a publication is checked by and reaches. */
export interface Publication {
  /** The draft with everything in it. */
  readonly whole: WrittenRow;
  /** Rows of the document's other locales. */
  readonly others: readonly DocumentRow[];
  readonly now: number;
  /** Relations that this request wrote. */
  readonly mentioned: ReadonlySet<string>;
}

/**
 * Holds a whole draft to the rules of publication, publishes it, and gives its shared attributes to the published
 * rows of other locales.
 *
 * @throws ContentError 400 for a draft that may not be published.
 */
export async function publishChecked(context: WriteContext, version: Version, publication: Publication): Promise<void> {
  const { type, documentId, draft } = version;
  const { whole, others, now, mentioned } = publication;
  const failures: FieldFailure[] = [];
  const { scalars } = validateRow(whole, { strict: true, creating: true, stored: true }, failures);
  const names = layoutOfModel(context, type).columns;
  const values = new Map(
    [...scalars].map(([{ name, type: kind }, value]) => [names.get(name)!, encode(context, kind, value)]),
  );
  failures.push(...(await takenValues(context, type, documentId, draft.locale, values)));
  if (failures.length > 0) throw validationFailure(failures);
  const id = await publish(context, version, now, mentioned);
  const peers = others.filter((other) => other.published);
  await spread(context, type, { id }, peers, sharedAttributes(type), undefined);
}
