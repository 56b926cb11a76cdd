/** Recorded versions of documents, as they are listed and read. */
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { personOfRow } from '../content/administration/form-values.ts';
import { actorOf } from '../db/interface/actor.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { jsonOf, query } from '../db/interface/statements.ts';
import { notFound } from '../errors.ts';
import { numberOrNull, objectOrEmpty, textOrNull } from '../plain-values.ts';
import type { Page } from '../query/page.ts';
import type { Catalog } from '../schema/catalog.ts';
import { compileContentActors, compileFirstSince } from '../sql/audit.ts';
import { compileVersion, compileVersionCount, compileVersions } from '../sql/history.ts';
import { countStrapiVersions, listStrapiVersions, readStrapiVersion, STRAPI_PREFIX } from './strapi-versions.ts';
import {
  type Author,
  type Content,
  localesValue,
  scopeOf,
  type Version,
  type VersionAddress,
  type VersionPage,
  type VersionWithContent,
} from './version.ts';

const decompress = promisify(brotliDecompress);

/** Where versions are stored. */
export interface VersionSource {
  readonly database: Queryable;
  readonly catalog: Catalog;
  /** Whether the database has the table of versions that the reference recorded. */
  readonly history: { readonly hasStrapiVersions: boolean };
}

/**
 * A page of the versions of a document, or of those in one locale: the last one first, then those that the reference
 * recorded.
 */
export async function listVersions(
  { database: db, history }: Omit<VersionSource, 'catalog'>,
  address: VersionAddress,
  locale: string | undefined,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<VersionPage> {
  const { scope, values } = scopeOf(address, localesValue(address, locale), (time) => time);
  const [rows, counted, ofStrapi] = await Promise.all([
    query(db, compileVersions(db.dialect, scope), [...values, limit, offset]),
    query(db, compileVersionCount(db.dialect, scope), values),
    history.hasStrapiVersions ? countStrapiVersions(db, address, locale) : 0,
  ]);
  const own = Number(counted[0]![0]);
  const rest = { limit: limit - rows.length, offset: Math.max(0, offset - own) };
  const versions = await Promise.all(rows.map((row) => withAuthor(db, address, versionOf(row))));
  const further = rest.limit > 0 && rest.offset < ofStrapi ? await listStrapiVersions(db, address, locale, rest) : [];
  return { versions: [...versions, ...further], total: own + ofStrapi };
}

/**
 * One version of a document with its content.
 *
 * @throws ContentError 404 for a version that does not exist or is not shown.
 */
export async function readVersion(
  { database, catalog, history }: VersionSource,
  address: VersionAddress,
  version: string,
): Promise<VersionWithContent> {
  const isOther = history.hasStrapiVersions && version.startsWith(STRAPI_PREFIX);
  const id = isOther ? version.slice(STRAPI_PREFIX.length) : version;
  if (!/^\d{1,15}$/.test(id)) throw notFound();
  const found = isOther
    ? await readStrapiVersion(database, catalog, address, Number(id))
    : await withSaver(database, address, await readOwnVersion(database, address, Number(id)));
  const { locale } = found.version;
  if (locale !== null && address.locales && !address.locales.includes(locale)) throw notFound();
  return found;
}

/** A version that Galley recorded, with the author if the row or the version before names it. @throws ContentError 404 for one that does not exist. */
export async function readOwnVersion(db: Queryable, address: VersionAddress, id: number): Promise<VersionWithContent> {
  const { scope, values } = scopeOf(address, undefined, (time) => time);
  const [row] = await query(db, compileVersion(db.dialect, scope), [...values, id]);
  if (!row) throw notFound();
  const [content, packed] = row.slice(-2);
  const text = content === null ? await unpacked(String(packed)) : String(content);
  return { version: versionOf(row), content: JSON.parse(text) as Content };
}

async function unpacked(packed: string): Promise<string> {
  return (await decompress(Buffer.from(packed, 'base64'))).toString();
}

function versionOf(row: Row): Version {
  const [id, status, locale, changedAt, replacedAt, reason, kind, actorId, actorName] = row;
  const [beforeKind, beforeId, beforeName, ...administrator] = row.slice(9);
  const author = personOfRow(administrator);
  return {
    id: String(id),
    status: status === 'draft' ? 'draft' : 'published',
    locale: textOrNull(locale),
    savedAt: new Date(Number(changedAt ?? 0)).toISOString(),
    // the state began when the state before it was replaced
    savedBy: authorOf(beforeKind, beforeId, beforeName) ?? (author && { kind: 'administrator', ...author }),
    replacedAt: new Date(Number(replacedAt)).toISOString(),
    replacedBy: authorOf(kind, actorId, actorName)!,
    reason: reason as Version['reason'],
  };
}

/** Milliseconds within which the transaction of a write ends, and the most entries in that time: of a type, of a document. */
const [LONGEST_WRITE, OF_TYPE, OF_DOCUMENT] = [60_000, 1000, 20];

/**
 * The version with the author of its state. Rows name administrators alone, and the first state of a row replaces no
 * other one: its author is the actor of the write in the log of actions, if there is one.
 */
async function withAuthor(db: Queryable, { uid, documentId }: VersionAddress, version: Version): Promise<Version> {
  if (version.savedBy) return version;
  const saved = Date.parse(version.savedAt);
  const [[first], [end]] = (await Promise.all(
    [saved, saved + LONGEST_WRITE].map(async (time) => (await query(db, compileFirstSince(), [time]))[0]),
  )) as [Row, Row];
  const values = [Number(first), Number(end), uid, documentId, OF_DOCUMENT];
  const entries = await query(db, compileContentActors(OF_TYPE), values);
  const isOfVersion = ([, , details]: Row): boolean => {
    const { locales } = objectOrEmpty(jsonOf(details));
    return version.locale === null || (Array.isArray(locales) && locales.includes(version.locale));
  };
  const entry = entries.find(isOfVersion);
  return entry ? { ...version, savedBy: actorOf(String(entry[0]), textOrNull(entry[1])) } : version;
}

async function withSaver(
  db: Queryable,
  address: VersionAddress,
  found: VersionWithContent,
): Promise<VersionWithContent> {
  return { ...found, version: await withAuthor(db, address, found.version) };
}

function authorOf(kind: unknown, id: unknown, name: unknown): Author | null {
  if (kind === null || kind === undefined) return null;
  return { kind: kind as Author['kind'], id: numberOrNull(id), name: textOrNull(name) };
}
