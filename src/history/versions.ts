/** Recorded versions of documents, as they are listed and read. */
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { personOf } from '../content/administration/form-values.ts';
import type { Actor } from '../db/interface/actor.ts';
import type { Replacement } from '../db/interface/change.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import { notFound } from '../errors.ts';
import type { Page } from '../query/page.ts';
import { compileVersion, compileVersionCount, compileVersions } from '../sql/history.ts';

const decompress = promisify(brotliDecompress);

/** Who made a version: an actor without its address. */
export type Author = Omit<Actor, 'address'>;

export interface Version {
  readonly id: number;
  readonly status: 'draft' | 'published';
  /** Null on types without locales. */
  readonly locale: string | null;
  /** When it was saved or published, in ISO 8601. */
  readonly savedAt: string;
  /** Null if it is not known. */
  readonly savedBy: Author | null;
  /** When it was replaced or removed, in ISO 8601, and by whom. */
  readonly replacedAt: string;
  readonly replacedBy: Author;
  readonly reason: Replacement['kind'];
}

/** The values of a recorded version by attribute. */
export type Content = Readonly<Record<string, unknown>>;

export interface VersionAddress {
  readonly uid: string;
  readonly documentId: string;
}

/** A page of the versions of a document, or of those in one locale, the last one first, and their number. */
export async function listVersions(
  db: Queryable,
  { uid, documentId }: VersionAddress,
  locale: string | undefined,
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<{ readonly versions: readonly Version[]; readonly total: number }> {
  const values = [documentId, uid, ...(locale === undefined ? [] : [locale])];
  const rows = await query(db, compileVersions(locale !== undefined), [...values, limit, offset]);
  const [count] = await query(db, compileVersionCount(locale !== undefined), values);
  return { versions: rows.map(versionOf), total: Number(count![0]) };
}

/**
 * One version of a document with its content.
 *
 * @throws ContentError 404 for a version that does not exist.
 */
export async function readVersion(
  db: Queryable,
  { uid, documentId }: VersionAddress,
  version: number,
): Promise<{ readonly version: Version; readonly content: Content }> {
  const [row] = await query(db, compileVersion(), [documentId, uid, version]);
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
    id: Number(id),
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
