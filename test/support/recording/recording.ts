/** A reader whose statements are written down on their way to the database. */
import type { Viewer } from '../../../src/access/view.ts';
import type { App } from '../../../src/app.ts';
import { LocaleStore } from '../../../src/content/locales/locale-store.ts';
import { Reader, type Single } from '../../../src/content/reading/reader.ts';
import type { Database } from '../../../src/db/interface/database.ts';
import type { SearchIndexes } from '../../../src/plan/read-plan.ts';
import { parseParams } from '../../../src/query/params.ts';
import type { SqlValue } from '../../../src/sql/fragment.ts';
import { standIn } from '../databases/stand-in.ts';

/** The release that `release` names: an empty one. */
const NO_RELEASE = 0;

export interface Recorded {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

export interface RecordingReader {
  /** Statements since the last `reset`. Looking up the default locale, which is kept in memory, is not among them. */
  readonly statements: readonly Recorded[];
  reset(): void;
  /** Lists documents of a type, with full access unless told otherwise. */
  list(
    uid: string,
    query: string,
    viewer?: Viewer,
  ): Promise<{ data: Record<string, unknown>[]; total: number | undefined; next: string | undefined }>;
  one(uid: string, single: Single, query: string, viewer?: Viewer): Promise<Record<string, unknown> | undefined>;
}

/**
 * Makes a reader on an app's database.
 *
 * @param search the search indexes that it may use.
 * @param kept whether it takes totals for kept.
 */
export function recordingReader(
  { catalog, layout, database, config, views }: Pick<App, 'catalog' | 'layout' | 'database' | 'config' | 'views'>,
  search?: SearchIndexes,
  kept = false,
): RecordingReader {
  const statements: Recorded[] = [];
  const recording: Database = standIn(database, {
    rows(text, values) {
      statements.push({ text, values });
      return database.rows(text, values);
    },
    read({ text, values }) {
      return recording.rows(text, values);
    },
    holdsUpWrites: () => false,
    keepsTotals: () => kept,
  });
  const locales = new LocaleStore(database);
  const releases = { idOf: () => NO_RELEASE };
  const reader = new Reader({ catalog, layout, database: recording, locales, releases, limits: config.rest, search });
  const typeOf = (uid: string) => catalog.contentTypes.get(uid)!;
  return {
    statements,
    reset: () => void statements.splice(0),
    async list(uid, query, viewer = views.full) {
      const params = parseParams(query);
      const preview = await reader.previewOf(viewer.view, params);
      const { data, total, next } = await reader.list(typeOf(uid), viewer, params, { preview });
      return { data: JSON.parse(data), total, next };
    },
    async one(uid, single, query, viewer = views.full) {
      const params = parseParams(query);
      const preview = await reader.previewOf(viewer.view, params);
      const text = (await reader.one(typeOf(uid), viewer, params, single, { preview }))?.data;
      return text === undefined ? undefined : JSON.parse(text);
    },
  };
}
