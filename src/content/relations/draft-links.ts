/**
 * Notes about which draft changed a link. A two-sided relation between drafts is one link that both documents show, so
 * the link itself does not say which of them was edited. Publishing a document publishes its own edits; an edit by
 * another document's draft is published with that document (docs/differences.md, "Publication and relations"). So each
 * write of a draft notes the links that it adds and removes, in the table `galley_draft_links`. A link without a note,
 * as the reference leaves all links, belongs to both documents.
 */
import type { ColumnList } from '../../plan/row-query.ts';
import type { ContentType, RelationAttribute } from '../../schema/catalog.ts';
import { DRAFT_LINKS_TABLE } from '../../schema/layout/table.ts';
import type { SqlValue } from '../../sql/fragment.ts';
import { compileNotesAt } from '../../sql/links.ts';
import { hasDrafts, model as modelNamed, type Source, type WriteContext } from '../rows/write-context.ts';
import { counterpartsOf, draftsAhead } from './counterparts.ts';

/** The columns of a link, seen from the side that owns its relation, and those of a note with its author. */
const LINKS = noteColumns(['source_type', 'attribute', 'source_id', 'target_type', 'target_id']);
const NOTES = noteColumns([...LINKS.names, 'author_type', 'author_id']);

function noteColumns(names: readonly string[]): ColumnList {
  return { key: `${DRAFT_LINKS_TABLE} ${names}`, table: DRAFT_LINKS_TABLE, names };
}

/** A link that a draft write has added or removed: a row of the attribute's type, and the row that it leads to. */
export interface ChangedLink {
  readonly row: number;
  readonly uid: string;
  readonly target: number;
}

/**
 * Notes that an edit of one attribute of a draft has changed links: its own, and those that it took from other
 * documents.
 */
export async function noteDraftLinks(
  context: WriteContext,
  author: Pick<Source, 'model' | 'rowId' | 'isNew'>,
  attribute: RelationAttribute,
  links: readonly ChangedLink[],
): Promise<void> {
  const side = context.plans.index.owningSide(attribute);
  if (!side || !hasDrafts(author.model)) return;
  const keys: SqlValue[][] = [];
  const noted: SqlValue[][] = [];
  for (const { row, uid, target } of links) {
    // no publication of another document looks at links to a document without drafts
    if (row === author.rowId && !hasDrafts(modelNamed(context, uid))) continue;
    const [source, other] = side.isOwn ? [row, target] : [target, row];
    const key = [side.uid, side.attribute, source, side.isOwn ? uid : author.model.uid, other];
    keys.push(key);
    // a row inserted by this write has no notes yet
    if (!author.isNew || row !== author.rowId) noted.push(key);
  }
  await context.tables.deleteEach(LINKS, noted);
  await context.tables.insertMany(
    NOTES,
    keys.map((key) => [...key, author.model.uid, author.rowId]),
  );
}

/**
 * Whether the unpublished draft of another document has changed a link of a draft: such a foreign edit is published
 * with that document. The link is named by the attribute and by the type and draft row that it leads to.
 */
export type ForeignEdits = (attribute: RelationAttribute, uid: string, target: number) => boolean;

export const NO_FOREIGN_EDITS: ForeignEdits = () => false;

/**
 * A link between two rows that the draft of a third document has taken from one of them, seen from the side that owns
 * it.
 */
export interface TakenLink {
  readonly sourceType: string;
  readonly attribute: string;
  readonly source: number;
  readonly targetType: string;
  readonly target: number;
}

/** The notes on the links of a draft. */
export interface DraftNotes {
  readonly foreignEdits: ForeignEdits;
  /** Links of other documents that the draft has taken away. They may exist again by now. */
  readonly taken: readonly TakenLink[];
}

/**
 * Reads the notes on the links of a draft.
 *
 * @param settled attributes without foreign edits, because the request itself sets their links.
 */
export async function notesOf(
  context: WriteContext,
  type: ContentType,
  draft: number,
  settled: ReadonlySet<string>,
): Promise<DraftNotes> {
  const notes = await notesAt(context, type, draft);
  const [ofSource, ofTarget] = [notes.filter(isSource(type, draft)), notes.filter(isTarget(type, draft))];
  const foreignEdits = await foreignEditsOf(context, type, draft, [ofSource, ofTarget], settled);
  return { foreignEdits, taken: takenOf(notes, type, draft) };
}

/** Links that a draft has taken from other documents. They may exist again by now. */
export async function takenBy(context: WriteContext, type: ContentType, draft: number): Promise<TakenLink[]> {
  return takenOf(await notesAt(context, type, draft), type, draft);
}

const isSource =
  ({ uid }: ContentType, draft: number) =>
  (note: Note) =>
    note.sourceType === uid && note.source === draft;
const isTarget =
  ({ uid }: ContentType, draft: number) =>
  (note: Note) =>
    note.targetType === uid && note.target === draft;

function takenOf(notes: readonly Note[], type: ContentType, draft: number): TakenLink[] {
  const [isOwn, isOther] = [isSource(type, draft), isTarget(type, draft)];
  return notes.filter((note) => !isOwn(note) && !isOther(note));
}

/** The notes in which a draft is one of the ends, or the author. */
async function notesAt({ tables, plans }: WriteContext, type: ContentType, draft: number): Promise<Note[]> {
  if (!plans.index.isTwoSided(type.uid)) return [];
  const row = [draft, type.uid];
  const rows = await tables.run('draft links', [...row, ...row, ...row], () => compileNotesAt(NOTES.names));
  return rows.map(([sourceType, attribute, source, targetType, target, authorType, author]) => ({
    sourceType: String(sourceType),
    attribute: String(attribute),
    source: Number(source),
    targetType: String(targetType),
    target: Number(target),
    author: { uid: String(authorType), row: Number(author) },
  }));
}

/** A note with its author. */
interface Note extends TakenLink {
  readonly author: { readonly uid: string; readonly row: number };
}

async function foreignEditsOf(
  context: WriteContext,
  type: ContentType,
  draft: number,
  [ofSource, ofTarget]: readonly [readonly Note[], readonly Note[]],
  settled: ReadonlySet<string>,
): Promise<ForeignEdits> {
  const { catalog, plans } = context;
  const authors = new Map<string, Set<number>>();
  for (const { author } of [...ofSource, ...ofTarget]) {
    if (author.uid === type.uid && author.row === draft) continue;
    authors.set(author.uid, (authors.get(author.uid) ?? new Set()).add(author.row));
  }
  const ahead = new Set<string>();
  for (const [uid, rows] of authors) {
    const author = catalog.contentTypes.get(uid);
    if (!author) continue;
    const published = await counterpartsOf(context, author, [...rows], { state: 'published', locale: undefined });
    for (const row of await draftsAhead(context, author, published)) ahead.add(`${uid} ${row}`);
  }
  const edited = new Set<string>();
  for (const [notes, isOwn] of [[ofSource, true] as const, [ofTarget, false] as const]) {
    for (const { sourceType, attribute, source, targetType, target, author } of notes) {
      if (!ahead.has(`${author.uid} ${author.row}`)) continue;
      const [uid, row] = isOwn ? [targetType, target] : [sourceType, source];
      edited.add(`${isOwn} ${sourceType} ${attribute} ${uid} ${row}`);
    }
  }
  if (edited.size === 0) return NO_FOREIGN_EDITS;
  return (attribute, uid, target) => {
    const side = settled.has(attribute.name) ? undefined : plans.index.owningSide(attribute);
    return side !== undefined && edited.has(`${side.isOwn} ${side.uid} ${side.attribute} ${uid} ${target}`);
  };
}

/** Changes the author of a note to another document's draft. */
export async function handNoteOn(
  { tables }: WriteContext,
  { sourceType, attribute, source, targetType, target }: TakenLink,
  author: { readonly uid: string; readonly row: number },
): Promise<void> {
  const key = { source_type: sourceType, attribute, source_id: source, target_type: targetType, target_id: target };
  const columns = new Map<string, SqlValue>([
    ['author_type', author.uid],
    ['author_id', author.row],
  ]);
  await tables.update(DRAFT_LINKS_TABLE, columns, key);
}

/**
 * Removes all notes on the links of a draft that equals its published row, and its notes on links between other
 * documents.
 */
export async function forgetNotesAt(
  { tables, plans }: WriteContext,
  { uid }: ContentType,
  draft: number,
): Promise<void> {
  if (!plans.index.isTwoSided(uid)) return;
  for (const end of ['author', 'source', 'target'])
    await tables.delete(DRAFT_LINKS_TABLE, { [`${end}_type`]: uid, [`${end}_id`]: draft });
}

/**
 * Removes the notes of a draft that is published or discarded, and the notes of other drafts on the settled attributes.
 */
export async function settleDraftLinks(
  { tables, plans }: WriteContext,
  type: ContentType,
  draft: number,
  settled: ReadonlySet<string>,
): Promise<void> {
  if (!plans.index.isTwoSided(type.uid)) return;
  await tables.delete(DRAFT_LINKS_TABLE, { author_type: type.uid, author_id: draft });
  for (const name of settled) {
    const attribute = type.attributes.get(name);
    const side = attribute?.type === 'relation' ? plans.index.owningSide(attribute) : undefined;
    if (!side) continue;
    const relation = { source_type: side.uid, attribute: side.attribute };
    const end = side.isOwn ? { source_id: draft } : { target_type: type.uid, target_id: draft };
    await tables.delete(DRAFT_LINKS_TABLE, { ...relation, ...end });
  }
}
