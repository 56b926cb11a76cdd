/** Recorded versions of documents, as they are listed and read. */
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { personOfRow } from '../content/administration/form-values.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import { notFound } from '../errors.ts';
import { numberOrNull, textOrNull } from '../plain-values.ts';
import type { Page } from '../query/page.ts';
import type { Catalog } from '../schema/catalog.ts';
import { compileVersion, compileVersionCount, compileVersions } from '../sql/history.ts';
import { listStrapiVersions, readStrapiVersion, STRAPI_PREFIX } from './strapi-versions.ts';
import {
  type Author,
  type Content,
  localesValue,
  type Version,
  type VersionAddress,
  type VersionPage,
  type VersionWithContent,
} from './version.ts';

const decompress = promisify(brotliDecompress);

/**
 * A page of the versions of a document, or of those in one locale: the last one first, then those that the reference
 * recorded.
 */
export async function listVersions(
  db: Queryable,
  address: VersionAddress,
  locale: string | undefined,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<VersionPage> {
  const locales = localesValue(address, locale);
  const values = [address.documentId, address.uid, ...(locales === undefined ? [] : [locales])];
  const scope = { hasLocales: locales !== undefined, isSinceDeletion: address.isSinceDeletion ?? false };
  const rows = await query(db, compileVersions(db.dialect, scope), [...values, limit, offset]);
  const [count] = await query(db, compileVersionCount(db.dialect, scope), values);
  const own = Number(count![0]);
  const rest = { limit: limit - rows.length, offset: Math.max(0, offset - own) };
  const others = await listStrapiVersions(db, address, locale, rest);
  return { versions: [...rows.map(versionOf), ...others.versions], total: own + others.total };
}

/**
 * One version of a document with its content.
 *
 * @throws ContentError 404 for a version that does not exist or is not shown.
 */
export async function readVersion(
  db: Queryable,
  catalog: Catalog,
  address: VersionAddress,
  version: string,
): Promise<VersionWithContent> {
  const found = await storedVersion(db, catalog, address, version);
  const { locale } = found.version;
  if (locale !== null && address.locales && !address.locales.includes(locale)) throw notFound();
  return found;
}

async function storedVersion(
  db: Queryable,
  catalog: Catalog,
  address: VersionAddress,
  version: string,
): Promise<VersionWithContent> {
  const isOther = version.startsWith(STRAPI_PREFIX);
  const id = isOther ? version.slice(STRAPI_PREFIX.length) : version;
  if (!/^\d{1,15}$/.test(id)) throw notFound();
  if (isOther) return readStrapiVersion(db, catalog, address, Number(id));
  const { isSinceDeletion = false } = address;
  const [row] = await query(db, compileVersion(db.dialect, isSinceDeletion), [
    address.documentId,
    address.uid,
    Number(id),
  ]);
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

function authorOf(kind: unknown, id: unknown, name: unknown): Author | null {
  if (kind === null || kind === undefined) return null;
  return { kind: kind as Author['kind'], id: numberOrNull(id), name: textOrNull(name) };
}
