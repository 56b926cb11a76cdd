/**
 * An archive of `strapi export` as a source of rows. It is first read once without its lines, so that a wrong path, a
 * damaged part or a missing end is found before anything else. Each reading then takes the parts in their order; if the
 * archive has them in another order, it is read once for each part.
 */

import { Readable } from 'node:stream';
import { UsageError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../plain-values.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import { WEBHOOKS_TABLE } from '../../sql/events/webhooks.ts';
import { CORE_STORE_TABLE } from '../../sql/settings.ts';
import type { CanonicalValue, ReportFinding, RowBatch, Source, SourceFile } from '../rows.ts';
import { isFileName } from './file-names.ts';
import { parseObject, readLines, wrong } from './lines.ts';
import { type Archive, type ArchiveEntry, type ArchivePart, PARTS } from './open-archive.ts';
import { EntityRows } from './read-entities.ts';
import { LinkRows } from './read-links.ts';
import { RowBuffer } from './row-buffer.ts';
import { SourceSchemas, type Switches } from './source-schemas.ts';

/** The most files of an archive. */
const MOST_FILES = 1_000_000;
/** The most settings and webhooks. */
const MOST_SETTINGS = 100_000;
/** The most bytes of `metadata.json`. */
const LONGEST_METADATA = 1024 * 1024;

const UPLOADS = 'assets/uploads/';
const METADATA = 'assets/metadata/';

/** Which tables hold rows of the configuration, and their columns. */
const CONFIGURATION: Readonly<Record<string, { readonly table: string; readonly columns: readonly string[] }>> = {
  'core-store': { table: CORE_STORE_TABLE, columns: ['id', 'key', 'value', 'type', 'environment', 'tag'] },
  webhook: { table: WEBHOOKS_TABLE, columns: ['id', 'name', 'url', 'headers', 'events', 'enabled'] },
};
/** Columns that hold JSON. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(['value', 'headers', 'events']);

/** What an archive contains. */
interface Contents {
  /** The version of Strapi that wrote it. */
  readonly version: string;
  /** The files of the media library with their bytes. */
  readonly assets: ReadonlyMap<string, number>;
  /** The parts to read at once, in their order. */
  readonly passes: readonly ReadonlySet<ArchivePart>[];
  readonly has: ReadonlySet<ArchivePart>;
  /** Entries of no known part. */
  readonly ignored: number;
}

export class ArchiveSource implements Source {
  readonly #archive: Archive;
  readonly #catalog: Catalog;
  readonly #layout: Layout;
  readonly #contents: Contents;
  #schemas: SourceSchemas;
  #notices: readonly string[] = [];

  private constructor(archive: Archive, catalog: Catalog, layout: Layout, contents: Contents) {
    this.#archive = archive;
    this.#catalog = catalog;
    this.#layout = layout;
    this.#contents = contents;
    this.#schemas = new SourceSchemas(catalog);
  }

  /** @throws UsageError in one line for an archive that is damaged, cut off or hostile. */
  static async open(archive: Archive, catalog: Catalog, layout: Layout): Promise<ArchiveSource> {
    return new ArchiveSource(archive, catalog, layout, await contentsOf(archive));
  }

  get notices(): readonly string[] {
    return this.#notices;
  }

  get progress(): () => number {
    const { passes } = this.#contents;
    return () => (this.#pass + this.#archive.progress()) / passes.length;
  }

  #pass = 0;

  /** The options of its content types. */
  get switches(): ReadonlyMap<string, Switches> {
    return this.#schemas.switches;
  }

  async *rows(report: ReportFinding): AsyncGenerator<RowBatch> {
    const { assets, passes } = this.#contents;
    const schemas = new SourceSchemas(this.#catalog);
    this.#schemas = schemas;
    const buffer = new RowBuffer();
    const shared = { catalog: this.#catalog, layout: this.#layout, buffer, report };
    const entities = new EntityRows({ ...shared, schemas, assets });
    const links = new LinkRows({ ...shared, ids: entities.ids });
    const configured = new Set<string>();
    for (const [pass, parts] of passes.entries()) {
      this.#pass = pass;
      for await (const entry of this.#archive.entries()) {
        const part = partOf(entry.path);
        if (!part || part === 'assets' || !parts.has(part)) continue;
        for await (const { value, line, bytes } of readLines(entry)) {
          buffer.at(entry.path, line, bytes);
          if (part === 'schemas') schemas.add(value);
          else if (part === 'entities') entities.add(value);
          else if (part === 'links') links.add(value);
          else addConfiguration(value, entry.path, line, buffer, configured);
          if (buffer.isFull) yield* buffer.take();
        }
        yield* buffer.take();
      }
    }
    if (schemas.isEmpty) throw new UsageError('the archive has no schemas', 1);
    this.#notices = [...this.#noticesOf(), ...entities.notices];
  }

  #noticesOf(): string[] {
    const { has, ignored, version } = this.#contents;
    const notices = [`written by Strapi ${version}`];
    if (!has.has('entities')) notices.push('the archive contains no content');
    if (!has.has('assets')) notices.push('the archive contains no files: the records of files arrive without them');
    if (!has.has('configuration')) notices.push('the archive contains no settings and webhooks');
    if (ignored > 0) notices.push(`${ignored} entries of the archive are of no known kind, and are ignored`);
    return notices;
  }

  async *files(): AsyncGenerator<SourceFile> {
    if (this.#contents.assets.size === 0) return;
    for await (const entry of this.#archive.entries()) {
      if (!entry.path.startsWith(UPLOADS)) continue;
      const name = entry.path.slice(UPLOADS.length);
      yield { name, size: entry.size, open: () => Readable.from(entry.chunks()) };
    }
  }

  async close(): Promise<void> {}
}

const partOf = (path: string): ArchivePart | undefined => PARTS.find((part) => path.startsWith(`${part}/`));

/** Reads an archive to its end. */
async function contentsOf(archive: Archive): Promise<Contents> {
  const assets = new Map<string, number>();
  const described = new Set<string>();
  const has = new Set<ArchivePart>();
  let isInOrder = true;
  let latest = 0;
  let ignored = 0;
  let metadata: JsonObject | undefined;
  for await (const entry of archive.entries()) {
    const part = partOf(entry.path);
    if (entry.path === 'metadata.json') metadata = await metadataOf(entry);
    else if (!part || (part !== 'assets' && !entry.path.endsWith('.jsonl'))) ignored += 1;
    else {
      has.add(part);
      const place = PARTS.indexOf(part);
      if (part !== 'assets' && place < latest) isInOrder = false;
      latest = Math.max(latest, place);
      if (entry.path.startsWith(UPLOADS)) assets.set(fileNameOf(entry.path, UPLOADS), entry.size);
      if (entry.path.startsWith(METADATA)) described.add(fileNameOf(entry.path, METADATA));
      if (assets.size + described.size > 2 * MOST_FILES)
        throw new UsageError(`the archive has more than ${MOST_FILES} files`, 1);
    }
  }
  if (!metadata) throw new UsageError('the archive is cut off: it has no metadata.json, which comes last', 1);
  const { version } = isObject(metadata.strapi) ? metadata.strapi : {};
  if (typeof version !== 'string' || !/^5\./.test(version))
    throw new UsageError(
      `the archive is not of Strapi 5, but of ${JSON.stringify(version ?? 'an unknown version')}`,
      1,
    );
  const passes = isInOrder
    ? [new Set(PARTS)]
    : PARTS.filter((part) => part !== 'assets').map((part) => new Set([part]));
  return { version, assets, passes, has, ignored };
}

async function metadataOf(entry: ArchiveEntry): Promise<JsonObject> {
  const parts: Buffer[] = [];
  if (entry.size > LONGEST_METADATA) throw wrong(entry.path, 1, 'is too long');
  for await (const chunk of entry.chunks()) parts.push(chunk);
  return parseObject(Buffer.concat(parts).toString(), entry.path, 1);
}

function fileNameOf(path: string, folder: string): string {
  const name = path.slice(folder.length);
  if (isFileName(name)) return name;
  throw new UsageError(`the archive contains a file whose name is not one: ${JSON.stringify(path)}`, 1);
}

/** @param configured the rows before, by table and id. */
function addConfiguration(
  { type, value }: JsonObject,
  file: string,
  line: number,
  buffer: RowBuffer,
  configured: Set<string>,
): void {
  const kind = typeof type === 'string' && Object.hasOwn(CONFIGURATION, type) ? CONFIGURATION[type] : undefined;
  if (!kind || !isObject(value)) throw wrong(file, line, 'is neither a setting nor a webhook');
  const row = kind.columns.map((column): CanonicalValue => {
    const own = value[column];
    if (own === undefined || own === null) return null;
    if (JSON_COLUMNS.has(column)) return JSON.stringify(own);
    if (
      column === 'id' ? Number.isSafeInteger(own) && Number(own) > 0 : column === 'enabled' || typeof own === 'string'
    )
      return column === 'enabled' ? own === true || own === 1 : (own as string | number);
    throw wrong(file, line, `has a wrong ${column}`);
  });
  if (row[0] === null) throw wrong(file, line, 'has no id');
  const key = `${kind.table} ${row[0]}`;
  if (configured.has(key)) throw wrong(file, line, `has an id that occurs before: ${row[0]}`);
  configured.add(key);
  if (configured.size > MOST_SETTINGS)
    throw wrong(file, line, `is one of more than ${MOST_SETTINGS} settings and webhooks`);
  buffer.add(kind.table, kind.columns, row);
}
