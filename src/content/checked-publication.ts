/** Publication as callers may ask for it: of a draft that meets the rules of published content. */
import type { WrittenRow } from '../access/permitted-write.ts';
import { Failures } from '../failures.ts';
import type { DocumentRow } from './documents.ts';
import type { PatternTime } from './pattern-time.ts';
import { publish, type Version } from './publication.ts';
import { sharedAttributes, spread } from './spread.ts';
import { takenValues } from './unique.ts';
import { validateRow } from './validate.ts';
import { encode, layoutOfModel, type WriteContext } from './write-context.ts';

/** What a publication is checked by and reaches. */
export interface Publication {
  /** The draft with everything in it. */
  readonly whole: WrittenRow;
  /** What this request wrote of it: failures tell no other values. */
  readonly given?: WrittenRow;
  /** Rows of the document's other locales. */
  readonly others: readonly DocumentRow[];
  readonly now: number;
  /** Relations that this request wrote. */
  readonly mentioned: ReadonlySet<string>;
  /** What the patterns of the request may still take. */
  readonly patterns: PatternTime;
}

/**
 * Holds a whole draft to the rules of publication, publishes it, and gives its shared attributes to the published
 * rows of other locales.
 *
 * @throws ContentError 400 for a draft that may not be published.
 */
export async function publishChecked(context: WriteContext, version: Version, publication: Publication): Promise<void> {
  const { type, documentId, draft } = version;
  const { whole, given, others, now, mentioned, patterns } = publication;
  const failures = new Failures();
  const isGiven = (name: string) => given !== undefined && (whole === given || given.scalars.has(name));
  const rules = { strict: true, creating: true, stored: true, patterns };
  const { scalars } = validateRow(whole, rules, ({ name }) => (isGiven(name) ? failures : failures.withoutValues()));
  const names = layoutOfModel(context, type).columns;
  const values = new Map(
    [...scalars].map(([{ name, type: kind }, value]) => [names.get(name)!, encode(context, kind, value)]),
  );
  // of a write the reference tells taken values as well, which another document has published
  const told = given === undefined ? failures.withoutValues() : failures;
  await takenValues(context, type, documentId, draft.locale, values, told);
  failures.throwAny();
  const id = await publish(context, version, now, mentioned);
  const peers = others.filter((other) => other.published);
  await spread(context, type, { id }, peers, sharedAttributes(type), undefined);
}
