/** Files of sample content: stored in the library like those that somebody uploads, and named in documents. */
import { existsSync, openAsBlob } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { lookup } from 'mime-types';
import { rightsOf } from '../../access/administrators/administrator-rights.ts';
import type { App } from '../../app.ts';
import { UsageError } from '../../errors.ts';

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
