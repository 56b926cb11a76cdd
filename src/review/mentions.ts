/** Mentions of an administrator in comments of open threads, which the app shows on its first page. */
import type { Viewer } from '../access/view.ts';
import { readArrangements, type StoredArrangements } from '../content/administration/arrangement.ts';
import { type Person, personOfRow } from '../content/administration/form-values.ts';
import { namedVersions } from '../content/administration/named-versions.ts';
import { shownTypes } from '../content/administration/shown-schema.ts';
import type { Row } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { cut } from '../errors.ts';
import { at, because, Failures } from '../failures.ts';
import { momentOf, objectOrEmpty, textOrNull } from '../plain-values.ts';
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
  /** When its text was written, or last edited: epoch milliseconds. */
  readonly changedAt: number;
}

/** Comments that are looked through, mentions that are shown, and characters of a comment. */
const RECENT_COMMENTS = 1000;
const SHOWN = 20;
const BODY_LENGTH = 300;

/** The setting of an administrator with the time up to which mentions were read, in epoch milliseconds. */
const READ = 'mentions.read';

/**
 * The mentions of an administrator in the last comments, the newest first: of threads that are open and have no later
 * answer of the administrator, on documents and fields that are shown.
 */
export async function mentionsOf(
  context: Pick<PeopleContext, 'database' | 'reader'>,
  { administrator: { row }, viewer }: CommentReader,
): Promise<readonly Mention[]> {
  const { database } = context;
  const types = shownTypes(viewer.view).map(({ uid }) => [uid]);
  const read = (await settingsOf(database, row.id))[READ];
  const after = Number.isSafeInteger(read) ? Number(read) : 0;
  // one character more shows that a text goes on
  const values = [row.id, `%,${row.id},%`, after, RECENT_COMMENTS, BODY_LENGTH + 1, JSON.stringify(types)];
  const rows = await query(database, compileMentions(database.dialect), values);
  if (rows.length === 0) return [];
  const arrangements = await readArrangements(database);
  const shown: Mention[] = [];
  for (let from = 0; from < rows.length && shown.length < SHOWN; from += SHOWN) {
    shown.push(...(await shownOf(context, viewer, arrangements, rows.slice(from, from + SHOWN))));
  }
  return shown.slice(0, SHOWN);
}

/** Rows of mentions, without those on documents and fields that are not shown. */
async function shownOf(
  { reader }: Pick<PeopleContext, 'reader'>,
  viewer: Viewer,
  arrangements: StoredArrangements,
  rows: readonly Row[],
): Promise<readonly Mention[]> {
  const { view } = viewer;
  const labels = new Map<string, string | null>();
  for (const [uid, ofType] of Map.groupBy(rows, ([, uid]) => String(uid))) {
    const ids = [...new Set(ofType.map(([, , documentId]) => String(documentId)))];
    const type = view.catalog.contentTypes.get(uid)!;
    for (const { documentId, locale, label } of await namedVersions(reader, viewer, type, ids, arrangements.get(uid))) {
      labels.set(`${uid} ${documentId} ${locale ?? ''}`, label);
    }
  }
  return rows.flatMap(([id, uid, documentId, locale, field, body, changedAt, authorName, ...author]) => {
    const label = labels.get(`${uid} ${documentId} ${locale}`);
    const path = textOrNull(field!);
    const type = view.catalog.contentTypes.get(String(uid))!;
    if (label === undefined || (path !== null && !showsField(view, type, path))) return [];
    return {
      ...{ id: Number(id), contentType: type.uid, documentId: String(documentId), locale: textOrNull(locale!) || null },
      ...{ label, field: path, body: cut(String(body), BODY_LENGTH) },
      ...{ author: personOfRow(author), authorName: String(authorName), changedAt: Number(changedAt) },
    };
  });
}

/**
 * Stores up to which time an administrator has read mentions.
 *
 * @throws ContentError 400 for a body without a time. One in the future counts as now.
 */
export async function markMentionsRead(
  tx: Transaction,
  administrator: number,
  raw: unknown,
  now = Date.now(),
): Promise<void> {
  const failures = new Failures();
  const body = objectOrEmpty(raw);
  failures.addUnknown(body, ['read']);
  const read = momentOf(body['read']);
  if (read === undefined) {
    const example = 'such as 2026-12-04T09:00:00.000Z';
    failures.add(
      at('read'),
      because(`read must be a time in ISO 8601 with its offset, ${example}`, 'noMoment'),
      body['read'],
    );
  }
  failures.throwAny();
  await keepSetting(tx, administrator, READ, Math.min(read!, now));
}
