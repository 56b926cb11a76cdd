/**
 * Publication: the published row of a version takes over its draft (docs/differences.md, "Publication and relations").
 * In whatever order related documents are published, every published link exists once all of them are.
 *
 * A publication takes three steps. `readDraft` reads everything that it depends on; `copied-lists.ts` computes the
 * links of the published row; `difference.ts` stores the differences from the stored rows. Links that other documents
 * store follow (`followers.ts`, `other-sides.ts`, `taken-links.ts`).
 */
import type { WrittenRow } from '../../access/permitted.ts';
import { Failures } from '../../failures.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { type Counterparts, counterpartsOfAll } from '../relations/counterparts.ts';
import {
  forgetNotesAt,
  NO_FOREIGN_EDITS,
  notesOf,
  settleDraftLinks,
  type TakenLink,
  takenBy,
} from '../relations/draft-links.ts';
import { pendingOf } from '../relations/pending-links.ts';
import { recordChange, replacing } from '../rows/changes.ts';
import type { DocumentRow } from '../rows/document-rows.ts';
import { encode, type WriteContext } from '../rows/write-context.ts';
import type { PatternTime } from '../validation/pattern-time.ts';
import { takenValues } from '../validation/unique.ts';
import { validateRow } from '../validation/validate.ts';
import { type OtherDrafts, removedRows } from './copied-lists.ts';
import { columnsDiffer, copyColumns, storeCopy } from './difference.ts';
import { type Followers, linkFollowers, readFollowers, type Version } from './followers.ts';
import { type Original, type ReadAlso, readOriginal } from './original.ts';
import { copyOtherSides } from './other-sides.ts';
import { copySharedAttributes } from './shared-attributes.ts';
import { giveBack, publishTaken } from './taken-links.ts';
import { StoredRows } from './whole-row.ts';

const PUBLISHED = { state: 'published', locale: undefined } as const;
const DRAFT = { state: 'draft', locale: undefined } as const;

/** A draft to be published. */
export interface Candidate {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  /** The row of the draft; undefined for a document that is created by the same request. */
  readonly draft?: number;
  /** The part of the draft that this request wrote: failures quote no other values. */
  readonly written?: WrittenRow;
  /** The time that the patterns of the request may still take. */
  readonly patterns: PatternTime;
  /** Whether a deleted document returns in the state in which it was published. */
  readonly isRestoring?: boolean | undefined;
}

/** What a publication depends on besides its version. */
export interface PublicationScope {
  /** Rows of the document's other locales. */
  readonly others: readonly DocumentRow[];
  readonly now: number;
  /** Relations that this request wrote: their links are published on both sides. */
  readonly mentioned: ReadonlySet<string>;
}

/** Everything that publishing a draft reads, before anything is written. */
interface Draft extends Original, OtherDrafts {
  readonly version: Version;
  /** Links of other documents that the draft has taken away. */
  readonly taken: readonly TakenLink[];
  /** Of a first publication only. */
  readonly followers: Followers | undefined;
}

/**
 * Holds a whole draft to the rules of publication.
 *
 * @throws ContentError 400 for a draft that may not be published.
 */
export async function checkPublication(
  context: WriteContext,
  { type, documentId, locale, draft, written, patterns, isRestoring }: Candidate,
  whole: WrittenRow,
): Promise<void> {
  if (!isRestoring) await context.publicationRule?.check(context.tx, type, draft);
  const failures = new Failures();
  const isWritten = (name: string) => written !== undefined && (whole === written || written.scalars.has(name));
  const rules = { strict: true, creating: true, stored: true, patterns };
  const { scalars, hidden } = validateRow(whole, rules, ({ name }) =>
    isWritten(name) ? failures : failures.withoutValues(),
  );
  const values = new Map<string, SqlValue>();
  for (const { attribute, column } of context.plans.of(type.uid).unique) {
    const value = scalars.get(attribute);
    if (value !== undefined) values.set(column, encode(context, attribute.type, value));
  }
  // like the reference, a write quotes a unique value that another document has published
  const reported = written === undefined ? failures.withoutValues() : failures;
  await takenValues(context, type, documentId, locale, values, reported, hidden);
  failures.throwAny();
}

/**
 * Publishes a stored draft if it meets the rules.
 *
 * @throws ContentError 400 for a draft that may not be published.
 */
export async function publishStored(
  context: WriteContext,
  candidate: Candidate,
  version: Version,
  scope: PublicationScope,
): Promise<void> {
  const stored = new StoredRows(context);
  const draft = await readDraft(context, version, scope.mentioned, (model, rows) => stored.read(model, rows));
  const { id: row } = version.draft;
  await checkPublication(context, { ...candidate, draft: row }, stored.whole(version.type, row, draft.content));
  const id = await publish(context, draft, scope);
  await sharePublished(context, version, id, scope);
}

/**
 * Publishes a document that this request has created and checked, together with its published row. No other document
 * links it yet, and no other draft has changed its links.
 *
 * @param twin the published row: it has the columns, links and components of the draft.
 */
export async function publishCreated(
  context: WriteContext,
  version: Version,
  twin: number,
  scope: PublicationScope,
): Promise<void> {
  const { type, documentId, draft } = version;
  await noteFirstPublication(context, type, [draft.id, twin], scope.now);
  if (areOtherSides(type, scope.mentioned)) {
    await linkFollowers(context, version, twin, await readFollowers(context, version));
  }
  const sides = { type, from: draft.id, to: twin, state: 'published' } as const;
  await copyOtherSides(context, sides, NO_FOREIGN_EDITS, scope.mentioned);
  recordChange(context, { type, documentId, locale: draft.locale, published: true }, 'published', undefined, twin);
  await sharePublished(context, version, twin, scope);
}

/** Whether the rows of another type store the links of one of some attributes. */
function areOtherSides(type: ContentType, names: ReadonlySet<string>): boolean {
  return [...names].some((name) => {
    const attribute = type.attributes.get(name);
    return attribute?.type === 'relation' && !attribute.owner;
  });
}

/** Copies the shared attributes of a published row to the published rows of other locales. */
async function sharePublished(
  context: WriteContext,
  { type, documentId }: Version,
  id: number,
  { others }: PublicationScope,
): Promise<void> {
  const peers = others.filter((other) => other.published);
  const shared = context.plans.index.sharedAttributes(type.uid);
  await copySharedAttributes(context, { type, documentId }, { id }, peers, shared, undefined);
}

/** Reads a draft; `also` reads more of it and its components. */
async function readDraft(
  context: WriteContext,
  version: Version,
  mentioned: ReadonlySet<string>,
  also: ReadAlso,
): Promise<Draft> {
  const { type, draft, published } = version;
  const pair = { from: draft.id, to: published?.id };
  const [{ foreignEdits, taken }, original, followers] = await Promise.all([
    notesOf(context, type, draft.id, mentioned),
    readOriginal(context, { model: type, pair, mapping: PUBLISHED, only: undefined }, also),
    published ? undefined : readFollowers(context, version),
  ]);
  const others = await readOtherDrafts(context, original, foreignEdits);
  return { ...original, ...others, version, taken, followers };
}

/** Reads which links of the published row the drafts of other documents have changed. */
async function readOtherDrafts(
  context: WriteContext,
  original: Original,
  foreignEdits: OtherDrafts['foreignEdits'],
): Promise<OtherDrafts> {
  const { model, pair } = original;
  if (foreignEdits === NO_FOREIGN_EDITS || pair.to === undefined) {
    return { foreignEdits, drafts: new Map(), pending: undefined };
  }
  const pending = context.plans.of(model.uid).mayWait ? await pendingOf(context, model, pair.to) : undefined;
  const drafts = await counterpartsOfAll(context, removedRows(context, original, { foreignEdits, pending }), DRAFT);
  return { foreignEdits, drafts, pending };
}

/** Publishes a draft. Returns the id of the published row. */
async function publish(context: WriteContext, draft: Draft, { now, mentioned }: PublicationScope): Promise<number> {
  const { version, foreignEdits, taken, followers } = draft;
  const { type, documentId, draft: row, published } = version;
  if (published) await replacing(context, { type, documentId, ...published }, 'published', published.id);
  await noteFirstPublication(context, type, [row.id], now);
  const { copied, followed } = context.plans.of(type.uid);
  const time = new Map<string, SqlValue>([['published_at', context.tables.dialect.encodeTime(now)]]);
  const id = published?.id ?? (await context.tables.copy(row.id, copied, time));
  if (published) await copyColumns(context, followed, row.id, id, time);
  await storeCopy(context, { ...draft, counterparts: withOwn(draft, id) }, id, draft);
  if (followers) await linkFollowers(context, version, id, followers);
  await copyOtherSides(context, { type, from: row.id, to: id, state: 'published' }, foreignEdits);
  if (taken.length > 0) await publishTaken(context, type, taken);
  await settleDraftLinks(context, type, row.id, mentioned);
  recordChange(context, { type, documentId, locale: row.locale, published: true }, 'published', published?.id, id);
  return id;
}

/** Sets the time of the first publication in rows that have none. */
async function noteFirstPublication(
  context: WriteContext,
  type: ContentType,
  id: readonly number[],
  now: number,
): Promise<void> {
  const { table, firstPublished } = context.plans.of(type.uid);
  if (firstPublished === undefined) return;
  const time = new Map([[firstPublished, context.tables.dialect.encodeTime(now)]]);
  await context.tables.update(table, time, { id, [firstPublished]: null });
}

/** The counterparts with the published row of the document itself, to which its draft may be linked. */
function withOwn({ counterparts, version: { type, documentId, draft } }: Draft, id: number): Counterparts {
  const rows = counterparts.get(type.uid);
  if (!rows?.has(draft.id)) return counterparts;
  const own = { id, documentId, locale: draft.locale };
  return new Map(counterparts).set(type.uid, new Map(rows).set(draft.id, own));
}

/** Makes a draft equal to its published row. */
export async function discardDraft(
  context: WriteContext,
  version: Version & { published: DocumentRow },
): Promise<void> {
  const { type, documentId, draft, published } = version;
  const { followed } = context.plans.of(type.uid);
  await replacing(context, { type, documentId, ...draft }, 'discarded', draft.id);
  const [differs, taken] = await Promise.all([
    columnsDiffer(context, followed, published.id, draft.id),
    takenBy(context, type, draft.id),
  ]);
  if (differs) await copyColumns(context, followed, published.id, draft.id);
  const pair = { from: published.id, to: draft.id };
  const original = await readOriginal(context, { model: type, pair, mapping: DRAFT, only: undefined });
  const isNestedChanged = await storeCopy(context, original, draft.id);
  const sides = { type, from: published.id, to: draft.id, state: 'draft' } as const;
  const isLinkedChanged = await copyOtherSides(context, sides, NO_FOREIGN_EDITS);
  await giveBack(context, type, taken);
  await forgetNotesAt(context, type, draft.id);
  const isChanged = differs || isNestedChanged || isLinkedChanged;
  if (isChanged) recordChange(context, { type, documentId, ...draft }, 'discarded', draft.id, draft.id);
}

/** Inserts the draft that a published row lacks. */
export async function draftFrom(
  context: WriteContext,
  type: ContentType,
  documentId: string,
  published: DocumentRow,
): Promise<DocumentRow> {
  const { copied } = context.plans.of(type.uid);
  const id = await context.tables.copy(published.id, copied, new Map([['published_at', null]]));
  const pair = { from: published.id, to: undefined };
  const original = await readOriginal(context, { model: type, pair, mapping: DRAFT, only: undefined });
  await storeCopy(context, original, id);
  await copyOtherSides(context, { type, from: published.id, to: id, state: 'draft' }, NO_FOREIGN_EDITS);
  const draft = { ...published, id, published: false };
  recordChange(context, { type, documentId, ...draft }, 'created', undefined, id);
  return draft;
}
