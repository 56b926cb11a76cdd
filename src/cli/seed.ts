/** Sample content: loads a project's `seed.json` when a start has created the database. */
import { existsSync, openAsBlob } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { lookup } from 'mime-types';
import { rightsOf } from '../access/administrators/administrator-rights.ts';
import type { App } from '../app.ts';
import type { Prepared, WriteRequest } from '../content/documents/write-request.ts';
import { defaultLocale, listLocales } from '../content/locales/locales.ts';
import { readEntry, storeEntry } from '../db/interface/core-store.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { selectRows, updateRows } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, UsageError } from '../errors.ts';
import { meant } from '../nearest.ts';
import type { WrittenData } from '../query/body.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { listRoles } from '../users/roles/roles.ts';
import { applyFixtureIn } from './apply.ts';
import { actionContext, checkFixture, readJson } from './fixture-file.ts';

/** A version of a document. A `documentId` that appears again adds a locale or a draft to the document. */
interface SeededVersion {
  readonly documentId: string;
  /** By default the default locale. */
  readonly locale?: string;
  /** By default `published`. */
  readonly status?: 'draft' | 'published';
  /** The age of the version, so that sample content has a past. */
  readonly daysAgo?: number;
  readonly data: WrittenData;
}

/** The form of `seed.json`: a file of `galley apply`, files, and documents by type in the order of their creation. */
interface Seed {
  readonly apply?: unknown;
  readonly files?: readonly SeedFile[];
  readonly content?: Readonly<Record<string, SeededVersion | readonly SeededVersion[]>>;
}

/** The key in the core store: `pending` until everything is loaded, then `done`. */
const MARK = 'galley_seed';

/** The effects of a seed that the start prints. */
export interface Seeded {
  /** The secrets of new tokens by their names. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Grants that it revoked: `public: api::article.article.find`. */
  readonly revoked: readonly string[];
}

export const NOTHING_SEEDED: Seeded = { secrets: new Map(), revoked: [] };

/**
 * Loads a project's `seed.json` if its database is new. It first stores the files, and then writes everything else in one
 * transaction. After a failure the next start tries again, and uses the files that are already stored.
 *
 * @throws UsageError in one line for a seed that does not fit the project.
 */
export async function loadSeed(app: App): Promise<Seeded> {
  const file = path.join(app.config.dir, 'seed.json');
  if (!existsSync(file)) return NOTHING_SEEDED;
  if (app.fresh) {
    await app.database.transaction((tx) => storeEntry(tx, MARK, 'pending', 'string'));
  } else if (!(await isPending(app.database))) return NOTHING_SEEDED;
  const { apply, files = [], content = {} } = readJson(file) as Seed;
  const fixture = checkFixture(file, apply ?? {}, {
    ...actionContext(app),
    roles: (await listRoles(app.database)).map(({ type }) => type),
    locales: (await listLocales(app.database)).map(({ code }) => code),
  });
  const ids = await withPlace(`${file}: files`, storeFiles(app, files));
  const writes = await preparedWrites(app, file, content, ids);
  return app.database.transaction(async (tx) => {
    await storeEntry(tx, MARK, 'done', 'string');
    const applied = await applyFixtureIn(tx, app, fixture, new Map());
    for (const { request, documentId, isNew, prepared, daysAgo, place } of writes) {
      const ready = { ...prepared, defaultLocale: await defaultLocale(tx) };
      const { writer } = app;
      const written = isNew ? writer.createIn(tx, request, ready) : writer.updateIn(tx, request, documentId, ready);
      await withPlace(place, written);
      const { locale = ready.defaultLocale } = request;
      if (daysAgo !== undefined) await backdate(tx, app.layout, { request, documentId, locale, daysAgo });
    }
    return applied;
  });
}

/** Whether an earlier start began to load the seed and did not finish. */
async function isPending(db: Queryable): Promise<boolean> {
  return (await readEntry(db, MARK)) === 'pending';
}

/** A version to write. `place` is its place in the file, for errors. */
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
    const created = new Set<string>();
    for (const { documentId, locale, status = 'published', daysAgo, data } of [versions].flat()) {
      const place = `${file}: content.${uid} ${documentId}`;
      const isNew = !created.has(documentId);
      created.add(documentId);
      const own = {
        type,
        data: withFiles(data, files, place) as WrittenData,
        viewer: app.views.full,
        status,
        locale,
        ...(isNew ? { documentId } : {}),
      };
      const request = { ...own, shape: {}, mayLocalize: true };
      const prepared = await withPlace(place, app.writer.prepare(request, isNew ? undefined : documentId));
      writes.push({ request, documentId, isNew, prepared, daysAgo, place });
    }
  }
  return writes;
}

/** Adds the place in the file to an error of a step. */
async function withPlace<T>(place: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    throw new UsageError(`${place}: ${error.message}`, 1);
  }
}

interface SeedFile {
  /** Its path in the project. The library uses the last part as its name. */
  readonly file: string;
  /** The name of a folder of the library. */
  readonly folder?: string;
  readonly alternativeText?: string;
  readonly caption?: string;
  readonly focalPoint?: { readonly x: number; readonly y: number };
}

/** The key of a reference to a file in a document: `{"$file": "seed/knife.webp"}`. */
const REFERENCE = '$file';

/**
 * Stores the files that are not stored yet, and returns the ids of all files by their paths.
 *
 * @throws UsageError for a missing file, ContentError as `Library.upload`.
 */
async function storeFiles(app: App, files: readonly SeedFile[]): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  if (files.length === 0) return ids;
  // an interrupted start may have stored some of them
  const stored = new Map<string, number>();
  const records = await app.documents('plugin::upload.file').findMany({ fields: ['name'] });
  for (const { id, name } of records as unknown as readonly FileRecord[]) stored.set(name, id);
  for (const { file } of files) {
    const id = stored.get(path.basename(file));
    if (id !== undefined) ids.set(file, id);
  }
  const missing = files.filter(({ file }) => !ids.has(file));
  for (const [folder, inFolder] of Map.groupBy(missing, (one) => one.folder)) {
    const uploaded = await upload(app, inFolder, folder);
    for (const [index, { file }] of inFolder.entries()) ids.set(file, uploaded[index]!.id);
  }
  return ids;
}

interface FileRecord {
  readonly id: number;
  readonly name: string;
}

async function upload(
  { config, media, views, catalog, code }: App,
  files: readonly SeedFile[],
  folder: string | undefined,
): Promise<readonly FileRecord[]> {
  const form = new FormData();
  const { library } = media;
  // all rights on files, without an account
  const { create: view } = views.library(rightsOf(catalog, [], true), code.closed);
  const viewer = { view, values: {} };
  if (folder !== undefined) {
    const existing = (await library.folders(viewer)).find(({ name }) => name === folder);
    const { id } = existing ?? (await library.createFolder({ name: folder, parent: null }, viewer));
    form.set('folder', String(id));
  }
  form.set('fileInfo', JSON.stringify(files.map(({ file, folder: _, ...info }) => info)));
  for (const { file } of files) {
    const source = path.join(config.dir, file);
    if (!existsSync(source)) throw new UsageError(`seed.json: files: no such file: ${file}`, 1);
    const name = path.basename(file);
    form.append('files', await openAsBlob(source, { type: lookup(name) || '' }), name);
  }
  const { body, headers } = new Response(form);
  const stream = Readable.fromWeb(body as ReadableStream);
  const text = await media.receive(stream, Object.fromEntries(headers), (received) => library.upload(received, viewer));
  return JSON.parse(text) as FileRecord[];
}

/**
 * Replaces references to files in a value by the ids of the files.
 *
 * @param place the place of the value in the seed, for errors.
 * @throws UsageError for a file that the seed does not list.
 */
function withFiles(value: unknown, ids: ReadonlyMap<string, number>, place: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withFiles(item, ids, place));
  if (typeof value !== 'object' || value === null) return value;
  if (!(REFERENCE in value)) {
    return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, withFiles(own, ids, place)]));
  }
  const file = String(value[REFERENCE]);
  const id = ids.get(file);
  if (id === undefined) throw new UsageError(`${place}: ${file} is not one of the files`, 1);
  return id;
}

const DAY = 86_400_000;

interface Backdated {
  /** The write of this version. */
  readonly request: WriteRequest;
  readonly documentId: string;
  /** Without effect on types without locales. */
  readonly locale: string;
  readonly daysAgo: number;
}

/** Sets the times of a version that was just written to some days ago. */
async function backdate(
  tx: Transaction,
  layout: Layout,
  { request: { type, status }, documentId, locale, daysAgo }: Backdated,
): Promise<void> {
  const { table, columns } = layoutOf(layout, type.uid);
  const time = tx.dialect.encodeTime(Date.now() - daysAgo * DAY);
  const [created, updated, published] = ['createdAt', 'updatedAt', 'publishedAt'].map((name) => columns.get(name)!);
  const version = {
    [columns.get('documentId')!]: documentId,
    ...(type.localized ? { [columns.get('locale')!]: locale } : {}),
  };
  const rows = await selectRows(tx, table, ['id', published!], version);
  const isNewerDraft = status === 'draft' && rows.some(([, publishedAt]) => publishedAt !== null);
  for (const [id, publishedAt] of rows) {
    // the published row keeps its times
    if (isNewerDraft && publishedAt !== null) continue;
    const times = {
      [updated!]: time,
      ...(isNewerDraft ? {} : { [created!]: time }),
      ...(publishedAt === null ? {} : { [published!]: time }),
    };
    await updateRows(tx, table, times, { id: Number(id) });
  }
}
