/**
 * Links of a deleted document or file that other documents show: which of them can come back, and their return. A link
 * comes back at its places in the lists of both sides, if its other side still exists and is free.
 */
import type { Viewer } from '../access/view.ts';
import type { ShownRows } from '../content/reading/shown-rows.ts';
import { linkKey, linksOfRows, linkValues, type StoredLink } from '../content/relations/stored-links.ts';
import { documentLock } from '../content/rows/locks.ts';
import {
  hasDrafts,
  linkPlanOf,
  model as modelNamed,
  type ReadContext,
  type WriteContext,
} from '../content/rows/write-context.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import type { Lock } from '../db/interface/transaction.ts';
import { isExclusive, isToOne, type LinkPlace } from '../plan/link-place.ts';
import type { ColumnList } from '../plan/row-query.ts';
import type { ContentType, MediaAttribute, Model, RelationAttribute } from '../schema/catalog.ts';
import { PENDING_TABLE } from '../schema/layout/table.ts';
import type { SqlValue } from '../sql/fragment.ts';
import {
  compileDeletionsOfRows,
  compileRecordedLinks,
  compileRestoredRows,
  type LinkSide,
  type StoredTrashLink,
} from '../sql/trash.ts';
import type { Loss } from './restoring.ts';
import { type Deletion, isOfLibrary } from './trash.ts';

/** Something of a deleted document that cannot come back. */
export interface TrashLoss extends Omit<Loss, 'reason'> {
  /**
   * `takenLink`: the other side links something else by now; `password`: passwords in components are not recorded;
   * `deletedStage`, `deletedAssignee`: the stage of review or the person no longer exists.
   */
  readonly reason: Loss['reason'] | 'takenLink' | 'password' | 'deletedStage' | 'deletedAssignee';
  /** The document that linked the deleted one by the attribute at `path`, which is its own. */
  readonly source?: Loss['target'];
}

/** A link as it was recorded, with null for the parts that it lacks. */
type RecordedLink = Required<StoredTrashLink>;

/** How often a row may have been restored since its links were recorded. */
const RESTORED = 10;

/** What was recorded with a deletion besides the contents of its rows. */
export interface RecordedLinks {
  readonly links: readonly RecordedLink[];
  /** What is no link: passwords, stages and assignees. */
  readonly values: readonly RecordedLink[];
}

const IS_LINK: Readonly<Record<LinkSide, boolean>> = {
  ...{ source: true, target: true, waiting: true, awaited: true },
  ...{ password: false, stage: false, assignee: false },
};

/** The recorded links of a deletion, with the rows that the documents at their other ends have now. */
export async function recordedLinks(db: Queryable, context: ReadContext, deletion: Deletion): Promise<RecordedLinks> {
  const [row] = await query(db, compileRecordedLinks(), [deletion.id]);
  const stored = JSON.parse(String(row?.[0] ?? '[]')) as StoredTrashLink[];
  const missing = { field: null, other: null, otherDocument: null, otherLocale: null, otherPublished: null };
  const recorded = stored.map((link): RecordedLink => ({ ...missing, order: null, inverse: null, ...link }));
  const { links = [], values = [] } = Object.groupBy(recorded, ({ side }) => (IS_LINK[side] ? 'links' : 'values'));
  const found: RecordedLink[] = [];
  for (const [uid, ofType] of Map.groupBy(links, ({ otherType }) => otherType)) {
    const present = await presentLinks(context, uid, await restoredSince(db, uid, ofType));
    found.push(...(await withDocuments(db, context, uid, present)));
  }
  return { links: found, values };
}

/** Links of documents of a type, with the rows that documents have which were restored since. */
async function restoredSince(db: Queryable, uid: string, links: readonly RecordedLink[]): Promise<RecordedLink[]> {
  const present = new Map<number | null, number>();
  let former = new Map(links.flatMap(({ other }) => (other === null ? [] : [[other, other]])));
  for (let n = 0; n < RESTORED && former.size > 0; n += 1) {
    const ids = JSON.stringify([...former.keys()].map((id) => [id]));
    const next = new Map<number, number>();
    for (const [id, now] of await query(db, compileRestoredRows(db.dialect), [uid, ids])) {
      const first = former.get(Number(id))!;
      present.set(first, Number(now));
      next.set(Number(now), first);
    }
    former = next;
  }
  return links.map((link) => ({ ...link, other: present.get(link.other) ?? link.other }));
}

/**
 * Links of documents of a type, with the rows of documents that were published anew. A published row whose document is
 * no longer published waits for its publication if the deleted document stored the link; otherwise its draft has it.
 */
async function presentLinks(
  context: ReadContext,
  uid: string,
  links: readonly RecordedLink[],
): Promise<readonly RecordedLink[]> {
  const type = context.catalog.contentTypes.get(uid);
  const rowLinks = links.filter(({ side, otherDocument }) => otherDocument !== null && isStored(side));
  if (!type || rowLinks.length === 0) return links;
  const documents = [...new Set(rowLinks.flatMap(({ otherDocument }) => otherDocument ?? []))];
  const { table } = context.plans.of(uid);
  const rows = await context.tables.select(table, OTHER_COLUMNS, { document_id: documents }, ['id']);
  const others = rows.map((row) => otherRowOf(type, row));
  const ids = new Set(others.map(({ id }) => id));
  return links.flatMap((link): RecordedLink[] => {
    const { side, other, otherDocument, otherLocale, otherPublished } = link;
    if (!isStored(side) || otherDocument === null || (other !== null && ids.has(other))) return [link];
    const locale = type.localized ? otherLocale : null;
    const version = others.filter((row) => row.documentId === otherDocument && row.locale === locale);
    const row = version.find(({ published }) => published === (otherPublished === 1));
    if (row) return [{ ...link, other: row.id }];
    if (version.length === 0 || otherPublished !== 1 || !type.draftAndPublish) return [link];
    return side === 'source' ? [{ ...link, side: 'waiting', other: null }] : [];
  });
}

/** Links with the documents at their other ends that are in the trash, where only their rows were recorded. */
async function withDocuments(
  db: Queryable,
  { catalog, plans, tables }: ReadContext,
  uid: string,
  links: readonly RecordedLink[],
): Promise<readonly RecordedLink[]> {
  const unnamed = links.filter(({ side, other, otherDocument }) => isStored(side) && other !== null && !otherDocument);
  if (unnamed.length === 0 || !catalog.contentTypes.has(uid)) return links;
  const ids = [...new Set(unnamed.flatMap(({ other }) => other ?? []))];
  const present = new Set((await tables.select(plans.of(uid).table, ['id'], { id: ids })).map(([id]) => Number(id)));
  const gone = ids.filter((id) => !present.has(id)).map((id) => [id]);
  if (gone.length === 0) return links;
  const documents = new Map<number | null, string>();
  for (const [document, rows] of await query(db, compileDeletionsOfRows(db.dialect), [uid, JSON.stringify(gone)])) {
    for (const [row] of JSON.parse(String(rows)) as Deletion['rows']) documents.set(row, String(document));
  }
  return links.map((link) => ({ ...link, otherDocument: link.otherDocument ?? documents.get(link.other) ?? null }));
}

const isStored = (side: LinkSide): boolean => side === 'source' || side === 'target';

/** A row at the other end of a link. */
interface OtherRow {
  readonly id: number;
  readonly documentId: string | undefined;
  readonly locale: string | null;
  readonly published: boolean;
}

const OTHER_COLUMNS = ['id', 'document_id', 'locale', 'published_at'];

/** @param type undefined for a component. */
const otherRowOf = (type: ContentType | undefined, [id, documentId, locale, publishedAt]: Row): OtherRow => ({
  id: Number(id),
  documentId: type ? String(documentId) : undefined,
  locale: type?.localized ? (locale as string | null) : null,
  published: type !== undefined && publishedAt !== null,
});

/** The rows at the other ends of links, by type and id. */
export type OtherRows = ReadonlyMap<string, ReadonlyMap<number, OtherRow>>;

/** The rows at the other ends of links that still exist. */
export async function otherRows(context: ReadContext, links: readonly RecordedLink[]): Promise<OtherRows> {
  const found = new Map<string, Map<number, OtherRow>>();
  for (const [uid, ofType] of Map.groupBy(links, ({ otherType }) => otherType)) {
    const type = context.catalog.contentTypes.get(uid);
    if (!type && !context.catalog.components.has(uid)) continue;
    const ids = [...new Set(ofType.flatMap(({ other }) => other ?? []))];
    const columns = type ? OTHER_COLUMNS : ['id'];
    const rows: Row[] =
      ids.length === 0 ? [] : await context.tables.select(context.plans.of(uid).table, columns, { id: ids });
    const others = rows.map((row): [number, OtherRow] => [Number(row[0]), otherRowOf(type, row)]);
    found.set(uid, new Map(others));
  }
  return found;
}

/** Locks on the documents at the other ends of links, so that they are not removed meanwhile. */
export function locksOfOthers(others: OtherRows): Lock[] {
  return [...others].flatMap(([uid, rows]) =>
    [...rows.values()].flatMap(({ documentId }) =>
      documentId === undefined ? [] : [documentLock(uid, documentId, true)],
    ),
  );
}

/** What returns with a document. */
export interface LinkReturn {
  /** Statements to be sent; none before the document exists. */
  readonly write: (context: WriteContext) => Promise<void>;
  readonly losses: readonly TrashLoss[];
}

export interface ReturningLinks {
  readonly type: ContentType;
  readonly deletion: Deletion;
  readonly links: readonly RecordedLink[];
  /** Of those who restore. */
  readonly viewer: Viewer;
  readonly shown: ShownRows;
  /** The new row for each removed one; undefined before the document exists. */
  readonly rows: ReadonlyMap<number, number> | undefined;
}

/** Finds the links that can return. */
export async function returningLinks(context: ReadContext, returning: ReturningLinks): Promise<LinkReturn> {
  const others = await otherRows(context, returning.links);
  const work = new Returning(context, returning, others, await hiddenRows(context, returning, others));
  const { stored = [], pending = [] } = Object.groupBy(returning.links, ({ side }) =>
    isStored(side) ? 'stored' : 'pending',
  );
  for (const group of Map.groupBy(stored, ({ holder, attribute }) => `${holder} ${attribute}`).values()) {
    await work.take(group);
  }
  await work.takePending(pending);
  return { write: (writing) => work.write(writing), losses: work.losses };
}

type LinkAttribute = RelationAttribute | MediaAttribute;
/** The rows at the other ends of links that the viewer is not shown, each as its type and id. */
async function hiddenRows(
  { catalog }: ReadContext,
  { viewer, shown }: ReturningLinks,
  others: OtherRows,
): Promise<ReadonlySet<string>> {
  const hidden = new Set<string>();
  for (const [uid, rows] of others) {
    const type = catalog.contentTypes.get(uid);
    if (!type) continue;
    const ids = viewer.view.of(type).isSeen ? await shown.hidden(type, [...rows.values()]) : rows.keys();
    for (const id of ids) hidden.add(rowKey(uid, id));
  }
  return hidden;
}

const rowKey = (uid: string, id: number): string => `${uid} ${id}`;

/** A link between two rows. */
interface Link {
  readonly recorded: RecordedLink;
  readonly source: number;
  readonly target: number;
  readonly uid: string;
}

/** Links of one attribute that return. */
interface Returned {
  readonly model: Model;
  readonly place: LinkPlace;
  readonly attribute: LinkAttribute;
  readonly added: readonly Link[];
  /** Stored links that come to another place: their ids, and what was recorded. */
  readonly moved: readonly (readonly [id: number, recorded: RecordedLink])[];
}

const PENDING: ColumnList = {
  key: 'links of the trash that wait',
  table: PENDING_TABLE,
  names: [
    ...['source_type', 'source_id', 'attribute', 'target_type', 'target_document_id', 'target_locale'],
    ...['link_order', 'inverse_order'],
  ],
};

class Returning {
  readonly losses: TrashLoss[] = [];
  readonly #context: ReadContext;
  readonly #returning: ReturningLinks;
  readonly #others: OtherRows;
  readonly #hidden: ReadonlySet<string>;
  readonly #own: ReadonlySet<number>;
  readonly #returned: Returned[] = [];
  readonly #pending: SqlValue[][] = [];

  constructor(context: ReadContext, returning: ReturningLinks, others: OtherRows, hidden: ReadonlySet<string>) {
    this.#context = context;
    this.#returning = returning;
    this.#others = others;
    this.#hidden = hidden;
    const { deletion, rows } = returning;
    this.#own = new Set(rows?.values() ?? deletion.rows.map(([row]) => row));
  }

  /** Takes the links of one attribute. */
  async take(group: readonly RecordedLink[]): Promise<void> {
    const { holder, attribute: name } = group[0]!;
    const { catalog } = this.#context;
    const model = catalog.contentTypes.get(holder) ?? catalog.components.get(holder);
    const attribute = model?.attributes.get(name);
    const isLinked = attribute?.type === 'media' || (attribute?.type === 'relation' && attribute.owner);
    if (!model || !isLinked) {
      this.#loseAll(group, 'removedAttribute');
      return;
    }
    if (!this.#mayChange(model, attribute)) {
      this.#loseAll(group, 'notPermitted');
      return;
    }
    const links = this.#shown(attribute, this.#existing(group, attribute));
    const plan = linkPlanOf(this.#context, model, attribute);
    const { place } = plan;
    const sources = this.#returning.rows ? links : links.filter(({ source }) => !this.#own.has(source));
    const stored = await linksOfRows(this.#context, plan, [...new Set(sources.map(({ source }) => source))]);
    const taken = await this.#takenTargets(model, attribute, links);
    const added: Link[] = [];
    const moved: [number, RecordedLink][] = [];
    for (const link of links) {
      const present = stored.get(link.source) ?? [];
      const same = present.find((one) => linkKey(one) === linkKey(link));
      const isElsewhere = (one: StoredLink) => one.uid !== link.uid || !this.#own.has(one.target);
      const isFull = isToOne(attribute) && link.recorded.side === 'target' && present.some(isElsewhere);
      if (same) moved.push([same.id, link.recorded]);
      else if (isFull || taken.has(link.target)) this.#lose(link.recorded, 'takenLink');
      else added.push(link);
    }
    this.#returned.push({ model, place, attribute, added, moved });
  }

  /** Takes links that wait for a publication. */
  async takePending(links: readonly RecordedLink[]): Promise<void> {
    const { uid, documentId } = this.#returning.deletion;
    const { catalog, tables } = this.#context;
    for (const link of links) {
      const { side, holder, attribute: name, otherDocument, otherLocale, otherType, other, row } = link;
      const model = catalog.contentTypes.get(holder) ?? catalog.components.get(holder);
      const attribute = model?.attributes.get(name);
      const isAwaited = side === 'awaited';
      const source = isAwaited ? this.#row(otherType, other!) : this.#row(uid, row);
      const [targetType, target] = isAwaited ? [uid, documentId] : [otherType, otherDocument!];
      if (!model || attribute?.type !== 'relation' || source === undefined || !catalog.contentTypes.has(targetType)) {
        this.#lose(link, attribute ? 'deletedDocument' : 'removedAttribute');
        continue;
      }
      const plan = linkPlanOf(this.#context, model, attribute);
      const isNew = !isAwaited && !this.#returning.rows;
      const present = isNew ? [] : ((await linksOfRows(this.#context, plan, [source])).get(source) ?? []);
      const { table } = this.#context.plans.of(targetType);
      const key = { document_id: target, ...(otherLocale === null ? {} : { locale: otherLocale }) };
      const found = isAwaited ? [] : await tables.select(table, ['id', 'published_at'], key, ['id']);
      const targets = found.map(([id, time]) => ({ id: Number(id), published: time !== null }));
      if (!isAwaited && targets.length === 0 && target !== documentId) {
        this.#lose(link, 'deletedDocument');
        continue;
      }
      if (!(await this.#showsSome(targetType, targets))) {
        this.#lose(link, 'notPermitted', true);
        continue;
      }
      if (isToOne(attribute) && present.length > 0) {
        if (!present.some((one) => this.#isOf(targets, one))) this.#lose(link, 'takenLink');
        continue;
      }
      const published = targets.find(({ published }) => published);
      if (published && hasDrafts(modelNamed(this.#context, targetType))) {
        if (present.some((one) => one.target === published.id && one.uid === targetType)) continue;
        const added = [{ recorded: link, source, target: published.id, uid: targetType }];
        this.#returned.push({ model, place: plan.place, attribute, added, moved: [] });
        continue;
      }
      const match = { source_type: holder, source_id: source, attribute: name, target_document_id: target };
      const waiting = isNew ? [] : await tables.select(PENDING_TABLE, ['target_locale'], match);
      if (waiting.some(([locale]) => locale === otherLocale)) continue;
      this.#pending.push([holder, source, name, targetType, target, otherLocale, link.order, link.inverse]);
    }
  }

  /** Sends the statements. */
  async write(context: WriteContext): Promise<void> {
    const { tables } = context;
    for (const { model, place, attribute, added, moved } of this.#returned) {
      const { table } = context.plans.of(model.uid);
      if (place.kind === 'table') {
        const rows = added.map(({ source, target, uid, recorded: { order, inverse, field } }) => {
          const names = Object.keys(place.added);
          const fields = Object.fromEntries(names.map((one) => [one, field ?? place.added[one]!]));
          const link = linkValues(place, source, { target, uid, order, fields });
          return place.inverseOrder === null ? link : [...link, inverse];
        });
        await tables.insertMany(place.placedColumns, rows);
        const orders = (column: string | null, of: (recorded: RecordedLink) => number | null) =>
          column === null
            ? undefined
            : tables.setEach(place.table, column, new Map(moved.map(([id, recorded]) => [id, of(recorded)])));
        await orders(place.order, ({ order }) => order);
        await orders(place.inverseOrder, ({ inverse }) => inverse);
      } else if (place.kind === 'own') {
        for (const { source, target } of added) {
          await tables.update(table, new Map([[place.column, target]]), { id: source });
        }
      } else if (place.kind === 'ownMorph') {
        for (const { source, target, uid } of added) {
          const columns = new Map<string, SqlValue>([
            [place.id, target],
            [place.type, uid],
          ]);
          await tables.update(table, columns, { id: source });
        }
      } else throw new Error(`links of ${attribute.name} are not stored by its own side`);
    }
    await tables.insertMany(PENDING, this.#pending);
  }

  /** Whether one link leads to one of several rows. */
  #isOf(rows: readonly Pick<OtherRow, 'id'>[], { target }: StoredLink): boolean {
    return rows.some(({ id }) => id === target);
  }

  /** Whether the viewer is shown some of a document's rows, if it has any. */
  async #showsSome(uid: string, rows: readonly Pick<OtherRow, 'id' | 'published'>[]): Promise<boolean> {
    const { viewer, shown } = this.#returning;
    const type = this.#context.catalog.contentTypes.get(uid)!;
    if (rows.length === 0) return true;
    return viewer.view.of(type).isSeen && (await shown.hidden(type, rows)).size < rows.length;
  }

  /** Whether the viewer may change a relation that the deleted document shows. */
  #mayChange(model: Model, attribute: LinkAttribute): boolean {
    const { type, viewer } = this.#returning;
    if (isOfLibrary(type.uid)) return true;
    const { writable } = viewer.view.of(type);
    if (model.uid === type.uid) return writable.has(attribute.name);
    const own = [...type.attributes.values()].find(
      (one) =>
        one.type === 'relation' &&
        one.target === model.uid &&
        (one.inverse === attribute.name || one.morphBy === attribute.name),
    );
    return own === undefined || writable.has(own.name);
  }

  /** The links whose other side still exists, each once. */
  #existing(group: readonly RecordedLink[], attribute: LinkAttribute): Link[] {
    const { type } = this.#returning;
    const links = new Map<string, Link>();
    for (const recorded of group) {
      const { side, row, otherType, other } = recorded;
      const [own, end] = [this.#row(type.uid, row), this.#row(otherType, other!)];
      if (end === undefined || own === undefined) {
        // the components of the document itself are restored with it
        if (isOfLibrary(type.uid) || this.#context.catalog.contentTypes.has(otherType))
          this.#lose(recorded, 'deletedDocument');
        continue;
      }
      const [source, target] = side === 'source' ? [own, end] : [end, own];
      // links to files are stored without a type
      const uid = attribute.type === 'media' ? '' : side === 'source' ? (attribute.target ?? otherType) : type.uid;
      links.set(`${source} ${target}`, { recorded, source, target, uid });
    }
    return [...links.values()];
  }

  /** Links of an attribute that the document shows itself, without those to documents that are hidden from the viewer. */
  #shown(attribute: LinkAttribute, links: readonly Link[]): Link[] {
    if (attribute.type === 'media' || attribute.inverse === undefined) return [...links];
    return links.filter(({ recorded }) => {
      const isHidden = this.#isHidden(recorded);
      if (isHidden) this.#lose(recorded, 'notPermitted');
      return !isHidden;
    });
  }

  #isHidden({ otherType, other }: RecordedLink): boolean {
    return other !== null && this.#hidden.has(rowKey(otherType, other));
  }

  /** The targets of an attribute which may be linked once, and that another document links. */
  async #takenTargets(model: Model, attribute: LinkAttribute, links: readonly Link[]): Promise<ReadonlySet<number>> {
    const { plans, tables } = this.#context;
    const targets = [
      ...new Set(links.filter(({ recorded }) => recorded.side === 'source').map(({ target }) => target)),
    ];
    if (attribute.type === 'media' || !isExclusive(attribute) || targets.length === 0) return new Set();
    const plan = plans
      .of(attribute.target!)
      .incoming.find((one) => one.model.uid === model.uid && one.attribute.name === attribute.name);
    if (!plan) return new Set();
    const { query: byTarget, fixed } = plan.byTarget;
    const rows = await tables.find(byTarget, [targets, ...fixed]);
    const others = rows.filter(([, source]) => !this.#own.has(Number(source)));
    return new Set(others.map((row) => Number(row[2])));
  }

  /** A row as it is now; undefined if it no longer exists. */
  #row(uid: string, id: number): number | undefined {
    const { type, deletion, rows } = this.#returning;
    if (uid === type.uid && deletion.rows.some(([row]) => row === id)) return rows ? rows.get(id) : id;
    return this.#others.get(uid)?.has(id) ? id : undefined;
  }

  #loseAll(group: readonly RecordedLink[], reason: TrashLoss['reason']): void {
    this.#lose(group[0]!, reason, true);
  }

  /** @param isAnonymous whether the other side is not named. One that is hidden from the viewer never is. */
  #lose(link: RecordedLink, reason: TrashLoss['reason'], isAnonymous = false): void {
    const { side, attribute, otherType, other, otherDocument, otherLocale } = link;
    const { view } = this.#returning.viewer;
    const type = this.#context.catalog.contentTypes.get(otherType);
    const row = other === null ? undefined : this.#others.get(otherType)?.get(other);
    // of a document that no longer exists, conditions on rows cannot be tested
    const isKnown = side === 'waiting' || (reason === 'deletedDocument' && type && view.of(type).rows === undefined);
    const documentId = row?.documentId ?? (isKnown ? otherDocument : null);
    const locale = row?.locale ?? (isKnown && type?.localized ? otherLocale : null);
    const named =
      isAnonymous || documentId === null || documentId === undefined || this.#isHidden(link)
        ? {}
        : { documentId, ...(locale === null ? {} : { locale }) };
    const end = { type: otherType, ...named };
    const isOwn = side === 'source' || side === 'waiting';
    const isSeen = !type || view.of(type).isSeen;
    this.losses.push({ path: attribute, reason, ...(isSeen && (isOwn ? { target: end } : { source: end })) });
  }
}
