/** The statements that record versions of the types of a project, compiled when a type is first written. */
import type { View } from '../access/view.ts';
import type { HistoryConfig } from '../config/config.ts';
import type { Replacement } from '../db/interface/change.ts';
import { type Sending, sending } from '../db/interface/statements.ts';
import { reasonOf } from '../errors.ts';
import { LruCache } from '../lru-cache.ts';
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
  const { layout, dialect, view, config, hasTrash, log } = context;
  const statements = new Map<string, Sending | undefined>();
  const compile = (uid: string, status: Replacement['status'], isMerged: boolean): Sending | undefined => {
    const type = view.catalog.contentTypes.get(uid);
    if (!type?.routed) return undefined;
    try {
      const content = compileContent(dialect, layout, view, type);
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
  const known = (uid: string, status: Replacement['status'], isMerged: boolean): Sending | undefined => {
    const key = `${uid} ${status} ${isMerged}`;
    if (!statements.has(key)) statements.set(key, compile(uid, status, isMerged));
    return statements.get(key);
  };
  return {
    interval: config.interval,
    hasTrash,
    hasVersions: (uid) =>
      (view.catalog.contentTypes.get(uid)?.routed ?? false) && retentionOf(config, uid).versions > 0,
    statement({ uid, status, kind }, isMerged) {
      const isStored = kind === 'deleted' ? hasTrash : retentionOf(config, uid).versions > 0;
      return isStored ? known(uid, status, isMerged) : undefined;
    },
    // whose content is not recorded cannot be restored
    deletion: deletionRecording(context, (uid) => hasTrash && known(uid, 'published', false) !== undefined),
  };
}

function deletionRecording(
  { dialect, layout, view, plans, hasStages, hasTrash }: RecordingContext,
  isRestorable: (uid: string) => boolean,
): Recording['deletion'] {
  const statements = new LruCache<string, Sending>(STATEMENTS);
  const compile = (type: ContentType, isReviewed: boolean, rows: number): Sending => {
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
    const linked = { uid, table, hasDrafts, incoming, shown, passwords, review, ...recorded };
    return sending(
      dialect,
      compileRecordDeletion(dialect, linked, rows, (model) => plans.of(model).table),
    );
  };
  return (uid, rows) => {
    const type = view.catalog.contentTypes.get(uid);
    if (!type || !(isOfLibrary(uid) ? hasTrash : type.routed)) return undefined;
    const isReviewed = hasStages(type);
    const key = `${uid} ${rows} ${isReviewed}`;
    const known = statements.get(key) ?? compile(type, isReviewed, rows);
    statements.set(key, known);
    return known;
  };
}
