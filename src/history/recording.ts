/** The statements that record versions of the types of a project, compiled when a type is first written. */
import type { View } from '../access/view.ts';
import type { HistoryConfig } from '../config/config.ts';
import type { Replacement } from '../db/interface/change.ts';
import { type Sending, sending } from '../db/interface/statements.ts';
import { reasonOf } from '../errors.ts';
import { LruCache } from '../lru-cache.ts';
import { type Filled, isWithin, readFilled } from '../plan/filled.ts';
import type { WritePlans } from '../plan/write.ts';
import { type ContentType, FILE_UID } from '../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf } from '../schema/layout/layout.ts';
import type { Dialect } from '../sql/dialect.ts';
import { compileRecord } from '../sql/history.ts';
import { rowLinksOf } from '../sql/row-links.ts';
import { compileRecordDeletion, compileRecordRemoval } from '../sql/trash.ts';
import { compileContent } from './content.ts';
import type { Recording } from './recorder.ts';
import { isOfLibrary } from './trash.ts';
import { retentionOf } from './upkeep.ts';

interface RecordingContext {
  readonly layout: Layout;
  readonly dialect: Dialect;
  /** Shows every attribute of every type. */
  readonly view: View;
  readonly config: HistoryConfig;
  /** Whether deletions are recorded. */
  readonly hasTrash: boolean;
  readonly plans: WritePlans;
  /** Whether rows of a type have stages of review. */
  readonly hasStages: (type: ContentType) => boolean;
  /** Writes a line to the log. */
  readonly log: (line: string) => void;
}

/** Statements for deletions, by type and number of rows. */
const STATEMENTS = 500;

export function recordingOf(context: RecordingContext): Recording {
  const { layout, dialect, view, config, hasTrash, plans, log } = context;
  const statements = new Map<string, RecordStatements>();
  const compile = (
    uid: string,
    status: Replacement['status'],
    isMerged: boolean,
    filled: Filled | undefined,
  ): Sending | undefined => {
    const type = view.catalog.contentTypes.get(uid);
    if (!type?.routed) return undefined;
    try {
      const content = compileContent(dialect, layout, view, type, filled);
      const { table, relations } = layoutOf(layout, uid);
      const columnOf = (creator: string): string | undefined => {
        const relation = type.attributes.has(creator) ? undefined : relations.get(creator);
        return relation?.kind === 'column' ? relation.column : undefined;
      };
      const row = {
        table,
        uid,
        status,
        isLocalized: type.localized,
        createdBy: columnOf('createdBy'),
        updatedBy: columnOf('updatedBy'),
        content,
      };
      return sending(dialect, compileRecord(dialect, row, isMerged));
    } catch (error) {
      log(`versions of ${uid} are not recorded in the history: ${reasonOf(error)}`);
      return undefined;
    }
  };
  const known = (uid: string, status: Replacement['status'], isMerged: boolean): RecordStatements => {
    const key = `${uid} ${status} ${isMerged}`;
    const ofType = statements.get(key) ?? new RecordStatements((filled) => compile(uid, status, isMerged, filled));
    statements.set(key, ofType);
    return ofType;
  };
  const isStored = (uid: string) => retentionOf(config, uid).versions > 0;
  return {
    interval: config.interval,
    records: isStored,
    statement({ uid, status, kind, filled }, isMerged) {
      if (!(kind === 'deleted' ? hasTrash : isStored(uid))) return undefined;
      const ofType = known(uid, status, isMerged);
      return filled === undefined ? ofType.whole : ofType.of(filled, () => readFilled(plans.of(uid).filled, filled));
    },
    // whose content is not recorded cannot be restored
    deletion: deletionRecording(context, (uid) => hasTrash && known(uid, 'published', false).whole !== undefined),
  };
}

/** The most statements for rows that have values in different attributes: each is also planned by the database. */
const SHAPES = 12;

/**
 * The statements that record rows of a type: one reads all of its tables, and others those in which some rows have
 * something. A row is recorded by the statement that reads the fewest tables beyond its own.
 */
class RecordStatements {
  readonly #compile: (filled?: Filled) => Sending | undefined;
  readonly #shapes: { readonly filled: Filled; readonly statement: Sending | undefined }[] = [];
  readonly #chosen = new LruCache<string, { readonly statement: Sending | undefined }>(STATEMENTS);
  #whole: { readonly statement: Sending | undefined } | undefined;

  constructor(compile: (filled?: Filled) => Sending | undefined) {
    this.#compile = compile;
  }

  /** The statement for any row; undefined if the type is not recorded. */
  get whole(): Sending | undefined {
    this.#whole ??= { statement: this.#compile() };
    return this.#whole.statement;
  }

  /** The statement for rows that have values in some attributes. @param key identifies these. */
  of(key: string, read: () => Filled): Sending | undefined {
    const chosen = this.#chosen.get(key) ?? this.#choose(read());
    this.#chosen.set(key, chosen);
    return chosen.statement;
  }

  #choose(filled: Filled): { readonly statement: Sending | undefined } {
    if (this.#shapes.length < SHAPES) {
      const shape = { filled, statement: this.#compile(filled) };
      this.#shapes.push(shape);
      return shape;
    }
    const fitting = this.#shapes.filter((shape) => isWithin(filled, shape.filled));
    const least = fitting.reduce<(typeof fitting)[number] | undefined>(
      (best, shape) => (best && isWithin(best.filled, shape.filled) ? best : shape),
      undefined,
    );
    return least ?? { statement: this.whole };
  }
}

function deletionRecording(
  { dialect, layout, view, plans, hasStages, hasTrash }: RecordingContext,
  isRestorable: (uid: string) => boolean,
): Recording['deletion'] {
  const statements = new LruCache<string, Sending>(STATEMENTS);
  const compile = (type: ContentType, isReviewed: boolean, rows: number, isLinked: boolean): Sending => {
    const { uid, draftAndPublish: hasDrafts } = type;
    if (!isOfLibrary(uid) && !isRestorable(uid)) return sending(dialect, compileRecordRemoval(uid, rows));
    const { table, incoming, links, scalars } = plans.of(uid);
    const shown = [...links.values()].filter(
      ({ attribute, place }) =>
        attribute.type === 'relation' &&
        attribute.owner &&
        (isOfLibrary(uid) ||
          // a column without drafts links one row of a document, which need not be the draft that the content names
          attribute.inverse !== undefined ||
          (place.kind !== 'table' && !hasDrafts)),
    );
    const passwords = new Map(
      [...scalars].flatMap(([name, { attribute, column }]) => (attribute.type === 'password' ? [[name, column]] : [])),
    );
    const review = isReviewed ? rowLinksOf(type) : undefined;
    const columns = layout.tables.find(({ name }) => name === table)!.columns.map(({ name }) => name);
    const recorded = isOfLibrary(uid) ? { columns, ...(uid === FILE_UID && { media: FILES_RELATED_TABLE }) } : {};
    // links in columns of the rows themselves are no removals
    const inColumns = shown.filter(({ place }) => place.kind !== 'table');
    const ends = isLinked ? { incoming, shown } : { incoming: [], shown: inColumns };
    const linked = { uid, table, hasDrafts, ...ends, passwords, review, ...recorded };
    return sending(
      dialect,
      compileRecordDeletion(dialect, linked, rows, (model) => plans.of(model).table),
    );
  };
  return (uid, rows, isLinked) => {
    const type = view.catalog.contentTypes.get(uid);
    if (!type || !(isOfLibrary(uid) ? hasTrash : type.routed)) return undefined;
    const isReviewed = hasStages(type);
    const key = `${uid} ${rows} ${isReviewed} ${isLinked}`;
    const known = statements.get(key) ?? compile(type, isReviewed, rows, isLinked);
    statements.set(key, known);
    return known;
  };
}
