/** Publication as callers may ask for it: of a draft that meets the rules of published content. */
import type { WrittenRow } from '../../access/permitted-write.ts';
import { Failures } from '../../failures.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import type { DocumentRow } from '../rows/document-rows.ts';
import { encode, type WriteContext } from '../rows/write-context.ts';
import type { PatternTime } from '../validation/pattern-time.ts';
import { takenValues } from '../validation/unique.ts';
import { validateRow } from '../validation/validate.ts';
import { type Preparation, preparePublication, publish, type Version } from './publication.ts';
import { copySharedAttributes } from './shared-attributes.ts';
import { StoredRows } from './snapshot.ts';

/** A draft that is to be published. */
export interface Candidate {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  /** The draft with everything in it. */
  readonly whole: WrittenRow;
  /** What this request wrote of it: failures tell no other values. */
  readonly given?: WrittenRow;
  /** What the patterns of the request may still take. */
  readonly patterns: PatternTime;
}

/**
 * Holds a whole draft to the rules of publication.
 *
 * @throws ContentError 400 for a draft that may not be published.
 */
export async function checkPublication(context: WriteContext, candidate: Candidate): Promise<void> {
  const { type, documentId, locale, whole, given, patterns } = candidate;
  const failures = new Failures();
  const isGiven = (name: string) => given !== undefined && (whole === given || given.scalars.has(name));
  const rules = { strict: true, creating: true, stored: true, patterns };
  const { scalars, hidden } = validateRow(whole, rules, ({ name }) =>
    isGiven(name) ? failures : failures.withoutValues(),
  );
  const values = new Map<string, SqlValue>();
  for (const { attribute, column } of context.plans.of(type.uid).unique) {
    const value = scalars.get(attribute);
    if (value !== undefined) values.set(column, encode(context, attribute.type, value));
  }
  // of a write the reference tells taken values as well, which another document has published
  const told = given === undefined ? failures.withoutValues() : failures;
  await takenValues(context, type, documentId, locale, values, told, hidden);
  failures.throwAny();
}

/** What a publication reaches. */
export interface Reach {
  /** Rows of the document's other locales. */
  readonly others: readonly DocumentRow[];
  readonly now: number;
  /** Relations that this request wrote. */
  readonly mentioned: ReadonlySet<string>;
}

/**
 * Publishes a stored draft if it meets the rules.
 *
 * @throws ContentError 400 for a draft that may not be published.
 */
export async function publishStored(
  context: WriteContext,
  candidate: Omit<Candidate, 'whole'>,
  version: Version,
  reach: Reach,
): Promise<void> {
  const { type, draft } = version;
  const stored = new StoredRows(context);
  const prepared = await preparePublication(context, version, reach.mentioned, (model, rows) =>
    stored.read(model, rows),
  );
  await checkPublication(context, { ...candidate, whole: stored.whole(type, draft.id, prepared.content) });
  await publishChecked(context, version, reach, prepared);
}

/** Publishes a draft that was checked, and gives its shared attributes to the published rows of other locales. */
export async function publishChecked(
  context: WriteContext,
  version: Version,
  reach: Reach,
  prepared?: Preparation,
): Promise<void> {
  const { others, now, mentioned } = reach;
  const { type, documentId } = version;
  const id = await publish(context, version, now, mentioned, prepared);
  const peers = others.filter((other) => other.published);
  if (peers.length === 0) return;
  await copySharedAttributes(
    context,
    { type, documentId },
    { id },
    peers,
    context.plans.index.sharedAttributes(type.uid),
    undefined,
  );
}
