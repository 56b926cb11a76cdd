/** Sample content of a project: `seed.json`, loaded when the project starts on an empty database. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { App } from '../../app.ts';
import { defaultLocale, listLocales } from '../../content/locales/locales.ts';
import type { Prepared, WriteRequest } from '../../content/writing/write-request.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { insertRow, selectRows, updateRows } from '../../db/interface/statements.ts';
import { ContentError, UsageError } from '../../errors.ts';
import { meant } from '../../nearest.ts';
import type { WrittenData } from '../../query/body.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import { listRoles } from '../../users/roles/roles.ts';
import { applyFixtureIn } from '../apply.ts';
import { checkFixture, knownActions, readJson } from '../fixture-file.ts';
import { backdate } from './past.ts';
import { type SeedFile, storeFiles, withFiles } from './seed-files.ts';

/** A version of a document. A `documentId` that was there before is written again: in another locale, or as a draft. */
interface SeededVersion {
  readonly documentId: string;
  /** The default locale when left out. */
  readonly locale?: string;
  /** Published, unless it is to stay a draft. */
  readonly status?: 'draft' | 'published';
  /** How long ago it was written, so that sample content has a past. */
  readonly daysAgo?: number;
  readonly data: WrittenData;
}

/** The form of the file: what `galley apply` takes, files, and documents by type in the order in which they are made. */
interface Seed {
  readonly apply?: unknown;
  readonly files?: readonly SeedFile[];
  readonly content?: Readonly<Record<string, SeededVersion | readonly SeededVersion[]>>;
}

/** Where the core store keeps how far the seed is: `pending` until everything is loaded, then `done`. */
const MARK = 'galley_seed';

/** What a seed has made known. */
export interface Seeded {
  /** Of the tokens that it made, by their names. */
  readonly secrets: ReadonlyMap<string, string>;
  /** What it has taken from roles: `public: api::article.article.find`. */
  readonly revoked: readonly string[];
}

export const NOTHING_SEEDED: Seeded = { secrets: new Map(), revoked: [] };

/**
 * Loads a project's `seed.json` if its database is new. Files are stored first, and everything else is loaded in one
 * transaction: after a failure none of it is there, and the next start tries again, with the files that are stored already.
 *
 * @throws UsageError in one line for a file that does not fit the project.
 */
export async function loadSeed(app: App): Promise<Seeded> {
  const file = path.join(app.config.dir, 'seed.json');
  if (!existsSync(file)) return NOTHING_SEEDED;
  if (app.fresh) {
    const mark = { key: MARK, value: 'pending', type: 'string' };
    await app.database.transaction((tx) => insertRow(tx, CORE_STORE_TABLE, mark));
  } else if (!(await isPending(app.database))) return NOTHING_SEEDED;
  const { apply, files = [], content = {} } = readJson(file) as Seed;
  const fixture = checkFixture(file, apply ?? {}, {
    ...knownActions(app),
    roles: (await listRoles(app.database)).map(({ type }) => type),
    locales: (await listLocales(app.database)).map(({ code }) => code),
  });
  const ids = await named(`${file}: files`, storeFiles(app, files));
  const writes = await preparedWrites(app, file, content, ids);
  return app.database.transaction(async (tx) => {
    await updateRows(tx, CORE_STORE_TABLE, { value: 'done' }, { key: MARK });
    const applied = await applyFixtureIn(tx, app, fixture, new Map());
    for (const { request, documentId, isNew, prepared, daysAgo, place } of writes) {
      const known = { ...prepared, defaultLocale: await defaultLocale(tx) };
      const { writer } = app;
      const written = isNew ? writer.createIn(tx, request, known) : writer.updateIn(tx, request, documentId, known);
      await named(place, written);
      const { locale = known.defaultLocale } = request;
      if (daysAgo !== undefined) await backdate(tx, app.layout, { request, documentId, locale, daysAgo });
    }
    return applied;
  });
}

/** Whether an earlier start began with the seed and did not end. */
async function isPending(db: Queryable): Promise<boolean> {
  const marks = await selectRows(db, CORE_STORE_TABLE, ['value'], { key: MARK });
  return marks.some(([value]) => value === 'pending');
}

/** A version to be written. `place` is where it is in the file. */
interface SeedWrite {
  readonly request: WriteRequest;
  readonly documentId: string;
  readonly isNew: boolean;
  readonly prepared: Prepared;
  readonly daysAgo: number | undefined;
  readonly place: string;
}

async function preparedWrites(
  app: App,
  file: string,
  content: NonNullable<Seed['content']>,
  files: ReadonlyMap<string, number>,
): Promise<SeedWrite[]> {
  const writes: SeedWrite[] = [];
  for (const [uid, versions] of Object.entries(content)) {
    const type = app.catalog.contentTypes.get(uid);
    if (!type)
      throw new UsageError(`${file}: content: unknown type ${uid}${meant(uid, app.catalog.contentTypes.keys())}`, 1);
    const made = new Set<string>();
    for (const { documentId, locale, status = 'published', daysAgo, data } of [versions].flat()) {
      const place = `${file}: content.${uid} ${documentId}`;
      const isNew = !made.has(documentId);
      made.add(documentId);
      const written = withFiles(data, files, place) as WrittenData;
      const own = { type, data: written, viewer: app.views.full, status, locale, ...(isNew ? { documentId } : {}) };
      const request = { ...own, shape: {}, mayLocalize: true };
      const prepared = await named(place, app.writer.prepare(request, isNew ? undefined : documentId));
      writes.push({ request, documentId, isNew, prepared, daysAgo, place });
    }
  }
  return writes;
}

/** Waits for a step; an error gets its place in the file. */
async function named<T>(place: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    throw new UsageError(`${place}: ${error.message}`, 1);
  }
}
