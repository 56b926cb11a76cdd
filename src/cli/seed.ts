/** Sample content of a project: `seed.json`, loaded when the project starts on an empty database. */
import { existsSync, openAsBlob } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { lookup } from 'mime-types';
import { rightsOf } from '../access/administrators/administrator-rights.ts';
import type { App } from '../app.ts';
import type { Prepared, WriteRequest } from '../content/documents/write-request.ts';
import { defaultLocale, listLocales } from '../content/locales/locales.ts';
import type { Queryable } from '../db/interface/queryable.ts';
import { insertRow, selectRows, updateRows } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { ContentError, UsageError } from '../errors.ts';
import { meant } from '../nearest.ts';
import type { WrittenData } from '../query/body.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { CORE_STORE_TABLE } from '../sql/settings.ts';
import { listRoles } from '../users/roles/roles.ts';
import { applyFixtureIn } from './apply.ts';
import { checkFixture, knownActions, readJson } from './fixture-file.ts';

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

export interface SeedFile {
  /** Its path in the project. It is called by its last part. */
  readonly file: string;
  /** The name of a folder of the library; none when left out. */
  readonly folder?: string;
  readonly alternativeText?: string;
  readonly caption?: string;
  readonly focalPoint?: { readonly x: number; readonly y: number };
}

/** What stands in a document for a file: `{"$file": "seed/knife.webp"}`. */
const REFERENCE = '$file';

/**
 * Stores files that are not stored yet, and gives the ids of all by their paths.
 *
 * @throws UsageError for a file that is not there, ContentError as `Library.upload`.
 */
export async function storeFiles(app: App, files: readonly SeedFile[]): Promise<ReadonlyMap<string, number>> {
  const ids = new Map<string, number>();
  if (files.length === 0) return ids;
  // a start that did not end may have stored some of them
  const stored = new Map<string, number>();
  for (const { id, name } of await listed(app)) stored.set(name, id);
  for (const { file } of files) {
    const id = stored.get(path.basename(file));
    if (id !== undefined) ids.set(file, id);
  }
  const missing = files.filter(({ file }) => !ids.has(file));
  for (const [folder, inFolder] of Map.groupBy(missing, (one) => one.folder)) {
    const records = await upload(app, inFolder, folder);
    for (const [index, { file }] of inFolder.entries()) ids.set(file, records[index]!.id);
  }
  return ids;
}

interface FileRecord {
  readonly id: number;
  readonly name: string;
}

async function listed(app: App): Promise<readonly FileRecord[]> {
  return (await app.documents('plugin::upload.file').findMany({ fields: ['name'] })) as unknown as FileRecord[];
}

async function upload(
  { config, media, views, catalog, code }: App,
  files: readonly SeedFile[],
  folder: string | undefined,
): Promise<readonly FileRecord[]> {
  const form = new FormData();
  const { library } = media;
  // as somebody who may do everything with files, and is nobody
  const { create: view } = views.library(rightsOf(catalog, [], true), code.closed);
  const viewer = { view, values: {} };
  if (folder !== undefined) {
    const known = (await library.folders(viewer)).find(({ name }) => name === folder);
    const { id } = known ?? (await library.createFolder({ name: folder, parent: null }, viewer));
    form.set('folder', String(id));
  }
  form.set('fileInfo', JSON.stringify(files.map(({ file, folder: _, ...info }) => info)));
  for (const { file } of files) {
    const place = path.join(config.dir, file);
    if (!existsSync(place)) throw new UsageError(`seed.json: files: no such file: ${file}`, 1);
    const name = path.basename(file);
    form.append('files', await openAsBlob(place, { type: lookup(name) || '' }), name);
  }
  const { body, headers } = new Response(form);
  const stream = Readable.fromWeb(body as ReadableStream);
  const text = await media.receive(stream, Object.fromEntries(headers), (received) => library.upload(received, viewer));
  return JSON.parse(text) as FileRecord[];
}

/**
 * Gives a value with the ids of the files that it names.
 *
 * @param place where the value stands in the file, for the error.
 * @throws UsageError for a file that is not listed.
 */
export function withFiles(value: unknown, ids: ReadonlyMap<string, number>, place: string): unknown {
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

export interface Backdated {
  /** The write that has just been made. */
  readonly request: WriteRequest;
  readonly documentId: string;
  /** Of the version; without effect on types without locales. */
  readonly locale: string;
  readonly daysAgo: number;
}

/** Says of the version that was just written that it was written some days ago. */
export async function backdate(
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
    // what is published is as old as it was
    if (isNewerDraft && publishedAt !== null) continue;
    const times = {
      [updated!]: time,
      ...(isNewerDraft ? {} : { [created!]: time }),
      ...(publishedAt === null ? {} : { [published!]: time }),
    };
    await updateRows(tx, table, times, { id: Number(id) });
  }
}
