/** Sample content of a project: `seed.json`, loaded when the project starts on an empty database. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { App } from '../app.ts';
import { defaultLocale } from '../content/locales/locales.ts';
import type { Prepared, WriteRequest } from '../content/writing/write-request.ts';
import type { Queryable } from '../db/queryable.ts';
import { insertRow, selectRows, updateRows } from '../db/statements.ts';
import { ContentError, UsageError } from '../errors.ts';
import type { WrittenData } from '../query/body.ts';
import { CORE_STORE_TABLE } from '../sql/settings.ts';
import { grantableActions } from '../users/roles/actions.ts';
import { applyFixtureIn } from './apply.ts';
import { checkFixture, readJson } from './fixture-file.ts';

type SeededDocument = WrittenData & { readonly documentId: string };

/** The form of the file: what `galley apply` takes, and documents by type in the order in which they are made. */
interface Seed {
  readonly apply?: unknown;
  readonly content?: Readonly<Record<string, SeededDocument | readonly SeededDocument[]>>;
}

/** Where the core db keeps how far the seed is: `pending` until everything is loaded, then `done`. */
const MARK = 'galley_seed';

/**
 * Loads a project's `seed.json` if its database is new, and gives the secrets of the tokens that it made. Everything is
 * loaded in one transaction: after a failure nothing is there, and the next start tries again.
 *
 * @throws UsageError in one line for a file that does not fit the project.
 */
export async function loadSeed(app: App): Promise<ReadonlyMap<string, string>> {
  const file = path.join(app.config.dir, 'seed.json');
  if (!existsSync(file)) return new Map();
  if (app.fresh) {
    const mark = { key: MARK, value: 'pending', type: 'string' };
    await app.database.transaction((tx) => insertRow(tx, CORE_STORE_TABLE, mark));
  } else if (!(await isPending(app.database))) return new Map();
  const { apply, content = {} } = readJson(file) as Seed;
  const fixture = checkFixture(file, apply ?? {}, grantableActions(app.catalog, app.code.actions));
  const writes = await preparedWrites(app, file, content);
  const secrets = await app.database.transaction(async (tx) => {
    await updateRows(tx, CORE_STORE_TABLE, { value: 'done' }, { key: MARK });
    const applied = await applyFixtureIn(tx, app, fixture, new Map());
    for (const { request, prepared, place } of writes) {
      await named(
        place,
        app.writer.createIn(tx, request, {
          ...prepared,
          defaultLocale: await defaultLocale(tx),
        }),
      );
    }
    return applied.secrets;
  });
  return secrets;
}

/** Whether an earlier start began with the seed and did not end. */
async function isPending(db: Queryable): Promise<boolean> {
  const marks = await selectRows(db, CORE_STORE_TABLE, ['value'], { key: MARK });
  return marks.some(([value]) => value === 'pending');
}

/** A document to be created. `place` is where it is in the file. */
interface SeedWrite {
  readonly request: WriteRequest;
  readonly prepared: Prepared;
  readonly place: string;
}

async function preparedWrites(app: App, file: string, content: NonNullable<Seed['content']>): Promise<SeedWrite[]> {
  const writes: SeedWrite[] = [];
  for (const [uid, documents] of Object.entries(content)) {
    const type = app.catalog.contentTypes.get(uid);
    if (!type) throw new UsageError(`${file}: content: unknown type ${uid}`, 1);
    for (const { documentId, ...data } of [documents].flat()) {
      const own = { type, data, documentId, viewer: app.views.full, status: 'published', locale: undefined } as const;
      const request = { ...own, shape: {}, mayLocalize: true };
      const place = `${file}: content.${uid} ${documentId}`;
      writes.push({ request, prepared: await named(place, app.writer.prepare(request)), place });
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
