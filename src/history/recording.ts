/** The statements that record versions of the types of a project, compiled when a type is first written. */
import type { View } from '../access/view.ts';
import type { HistoryConfig } from '../config/config.ts';
import type { Replacement } from '../db/interface/change.ts';
import { reasonOf } from '../errors.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import type { Dialect } from '../sql/dialect.ts';
import { recordStatement } from '../sql/history.ts';
import { compileContent } from './content.ts';
import type { Recording, RecordStatement } from './recorder.ts';

interface RecordingContext {
  readonly layout: Layout;
  readonly dialect: Dialect;
  /** Shows every attribute of every type. */
  readonly view: View;
  readonly config: HistoryConfig;
  /** Writes a line to the log. */
  readonly log: (line: string) => void;
}

export function recordingOf({ layout, dialect, view, config, log }: RecordingContext): Recording {
  const statements = new Map<string, RecordStatement | undefined>();
  const compile = (uid: string, status: Replacement['status'], isMerged: boolean): RecordStatement | undefined => {
    const type = view.catalog.contentTypes.get(uid);
    if (!type?.routed || (config.types[uid] ?? config).versions === 0) return undefined;
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
      return recordStatement(dialect, row, isMerged);
    } catch (error) {
      log(`versions of ${uid} are not recorded in the history: ${reasonOf(error)}`);
      return undefined;
    }
  };
  return {
    interval: config.interval,
    statement({ uid, status }, isMerged) {
      const key = `${uid} ${status} ${isMerged}`;
      if (!statements.has(key)) statements.set(key, compile(uid, status, isMerged));
      return statements.get(key);
    },
  };
}
