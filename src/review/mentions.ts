/** Mentions of an administrator in comments of open threads, which the app shows on its first page. */
import { readArrangements } from '../content/administration/arrangement.ts';
import { type Person, personOfRow } from '../content/administration/form-values.ts';
import { namedVersions } from '../content/administration/named-versions.ts';
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { cut } from '../errors.ts';
import { at, Failures } from '../failures.ts';
import { objectOrEmpty, textOrNull } from '../plain-values.ts';
import type { Catalog } from '../schema/catalog.ts';
import { compileMentions } from '../sql/review.ts';
import { keepSetting, settingsOf } from '../users/administrators/administrator-settings.ts';
import { type CommentReader, showsField } from './comments.ts';
import type { PeopleContext } from './people.ts';

export interface Mention {
  /** The id of the comment. */
  readonly id: number;
  readonly contentType: string;
  readonly documentId: string;
  /** Null on types without locales. */
  readonly locale: string | null;
  /** The name of the document; null if it has none. */
  readonly label: string | null;
  /** The path of the field; null: the comment is on the document. */
  readonly field: string | null;
  /** The beginning of the comment. */
  readonly body: string;
  /** Null for a deleted administrator, whose name is `authorName`. */
  readonly author: Person | null;
  readonly authorName: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Comments that are looked through, mentions that are shown, and characters of a comment. */
export const RECENT_COMMENTS = 1000;
const SHOWN = 20;
const BODY_LENGTH = 300;

/** The setting of an administrator with the id of the last comment whose mention was read. */
const READ = 'mentions.read';

/**
 * The mentions of an administrator in the last comments, the newest first: of threads that are open and have no later
 * answer of the administrator, on documents and fields that are shown.
 */
export async function mentionsOf(
  { database, reader, catalog }: Pick<PeopleContext, 'database' | 'reader'> & { readonly catalog: Catalog },
  { administrator: { row }, viewer }: CommentReader,
): Promise<readonly Mention[]> {
  const after = Number((await settingsOf(database, row.id))[READ] ?? 0);
  const rows = await query(database, compileMentions(), [row.id, `%,${row.id},%`, after, RECENT_COMMENTS, SHOWN]);
  if (rows.length === 0) return [];
  const arrangements = await readArrangements(database);
  const found: Mention[] = [];
  for (const [uid, ofType] of Map.groupBy(rows, ([, type]) => String(type))) {
    const type = catalog.contentTypes.get(uid);
    if (!type || !viewer.view.may(`${uid}.find`)) continue;
    const ids = [...new Set(ofType.map(([, , documentId]) => String(documentId)))];
    const versions = await namedVersions(reader, viewer, type, ids, arrangements.get(uid));
    const labels = new Map(versions.map((one) => [`${one.documentId} ${one.locale ?? ''}`, one.label]));
    for (const [id, , documentId, locale, field, body, createdAt, authorName, ...author] of ofType) {
      const label = labels.get(`${documentId} ${locale}`);
      const path = textOrNull(field!);
      if (label === undefined || (path !== null && !showsField(viewer.view, type, path))) continue;
      found.push({
        ...{ id: Number(id), contentType: uid, documentId: String(documentId), locale: textOrNull(locale!) || null },
        ...{ label, field: path, body: cut(String(body), BODY_LENGTH) },
        ...{ author: personOfRow(author), authorName: String(authorName), createdAt: Number(createdAt) },
      });
    }
  }
  return found.sort((a, b) => b.id - a.id);
}

/**
 * Stores up to which comment an administrator has read mentions.
 *
 * @throws ContentError 400 for a body without the id of a comment.
 */
export async function markMentionsRead(tx: Transaction, administrator: number, raw: unknown): Promise<void> {
  const failures = new Failures();
  const { read } = objectOrEmpty(raw);
  if (!(Number.isSafeInteger(read) && Number(read) > 0)) failures.add(at('read'), 'read must be the id of a comment');
  failures.throwAny();
  await keepSetting(tx, administrator, READ, read);
}
