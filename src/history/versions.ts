/** Recorded versions of documents, as they are listed and read. */
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { personOf } from '../content/administration/form-values.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import { notFound } from '../errors.ts';
import type { Page } from '../query/page.ts';
import type { Catalog } from '../schema/catalog.ts';
import { compileVersion, compileVersionCount, compileVersions } from '../sql/history.ts';
import { listStrapiVersions, readStrapiVersion, STRAPI_PREFIX } from './strapi-versions.ts';
import type { Author, Content, Version, VersionAddress, VersionPage } from './version.ts';

const decompress = promisify(brotliDecompress);

/**
 * A page of the versions of a document, or of those in one locale: the last one first, then those that the reference
 * recorded.
 */
export async function listVersions(
  db: Queryable,
  { uid, documentId }: VersionAddress,
  locale: string | undefined,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<VersionPage> {
  const values = [documentId, uid, ...(locale === undefined ? [] : [locale])];
  const rows = await query(db, compileVersions(locale !== undefined), [...values, limit, offset]);
  const [count] = await query(db, compileVersionCount(locale !== undefined), values);
  const own = Number(count![0]);
  const rest = { limit: limit - rows.length, offset: Math.max(0, offset - own) };
  const others = await listStrapiVersions(db, { uid, documentId }, locale, rest);
  return { versions: [...rows.map(versionOf), ...others.versions], total: own + others.total };
}

/**
 * One version of a document with its content.
 *
 * @throws ContentError 404 for a version that does not exist.
 */
export async function readVersion(
  db: Queryable,
  catalog: Catalog,
  address: VersionAddress,
  version: string,
): Promise<{ readonly version: Version; readonly content: Content }> {
  const isOther = version.startsWith(STRAPI_PREFIX);
  const id = isOther ? version.slice(STRAPI_PREFIX.length) : version;
  if (!/^\d{1,15}$/.test(id)) throw notFound();
  if (isOther) return readStrapiVersion(db, catalog, address, Number(id));
  const [row] = await query(db, compileVersion(), [address.documentId, address.uid, Number(id)]);
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
  const [beforeKind, beforeId, beforeName, authorId, firstname, lastname, username] = row.slice(9);
  const author = authorId === null ? null : personOf({ id: authorId, firstname, lastname, username });
  return {
    id: String(id),
    status: status === 'draft' ? 'draft' : 'published',
    locale: locale === null ? null : String(locale),
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
  return {
    kind: kind as Author['kind'],
    id: id === null ? null : Number(id),
    name: name === null ? null : String(name),
  };
}
