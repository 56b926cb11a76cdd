/**
 * Comments of administrators on documents and their fields. An administrator who may read a document and a field reads
 * the comments on them and may add one; the content API shows none. They are deleted with the version that they are on.
 */
import type { View, Viewer } from '../access/view.ts';
import { type Person, personOfRow } from '../content/administration/form-values.ts';
import type { ActionName } from '../db/interface/action.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { deleteRows, insertRow, jsonOf, query, updateRows } from '../db/interface/statements.ts';
import type { Transaction } from '../db/interface/transaction.ts';
import { forbidden, notFound } from '../errors.ts';
import { at, because, Failures, validationFailure } from '../failures.ts';
import { meant } from '../nearest.ts';
import { isObject, type JsonObject, numberOrNull, textOrNull } from '../plain-values.ts';
import type { ContentType, Model } from '../schema/catalog.ts';
import { COMMENTS_TABLE, compileCommentCount, compileComments, compileOpenComments } from '../sql/review.ts';
import type { Administrator } from '../users/administrators/administrators.ts';
import type { Notifications } from './notifications.ts';
import { nameOf, namesOf, type PeopleContext, readerOf } from './people.ts';
import { findReviewedVersion, type Version, type VersionAddress, versionAt } from './reviewed-versions.ts';
import type { Workflows } from './workflows.ts';

/** Comments on a version, characters of one, people that one mentions, and characters of the path of a field. */
const MOST_COMMENTS = 500;
const COMMENT_LENGTH = 5000;
const MOST_MENTIONS = 20;
const FIELD_LENGTH = 500;
/** Open comments that a board counts. */
const COUNTED = 1000;

export interface Comment {
  readonly id: number;
  readonly body: string;
  readonly mentions: readonly Person[];
  /** Null for a deleted administrator, whose name is `authorName`. */
  readonly author: Person | null;
  readonly authorName: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly editedAt: number | null;
  /** Whether the reader wrote it, and may change its text. */
  readonly isOwn: boolean;
}

/** A comment with its answers. */
export interface Thread extends Comment {
  /** The path of its field; null: it is on the document. */
  readonly field: string | null;
  readonly resolvedAt: number | null;
  readonly resolvedBy: Person | null;
  readonly replies: readonly Comment[];
}

export interface CommentsContext extends PeopleContext {
  readonly notifications: Notifications;
  readonly workflows: Pick<Workflows, 'last' | 'changed'>;
}

/** An administrator who reads comments. */
export interface CommentReader {
  readonly administrator: Administrator;
  /** The viewer for reading. */
  readonly viewer: Viewer;
}

interface Stored {
  readonly id: number;
  readonly thread: number | null;
  readonly field: string | null;
  readonly body: string;
  readonly mentions: readonly number[];
  readonly author: number;
  readonly authorName: string;
  readonly createdAt: number;
  readonly editedAt: number | null;
  readonly resolvedAt: number | null;
  readonly resolvedBy: number | null;
  /** Undefined for a deleted administrator. */
  readonly person: Person | undefined;
}

export class Comments {
  readonly #context: CommentsContext;

  constructor(context: CommentsContext) {
    this.#context = context;
  }

  /**
   * The comments on a version and its fields, as far as the reader is shown these, the oldest first.
   *
   * @throws ContentError 404 for a version that does not exist or is hidden.
   */
  async list({ administrator, viewer }: CommentReader, address: VersionAddress): Promise<readonly Thread[]> {
    const version = await versionAt(this.#context, viewer, address);
    const all = await storedOn(this.#context.database, version);
    const shown = all.filter(({ field }) => field === null || showsField(viewer.view, version.type, field));
    const ids = shown.flatMap(({ mentions, resolvedBy }) => [
      ...mentions,
      ...(resolvedBy === null ? [] : [resolvedBy]),
    ]);
    const people = await namesOf(this.#context, [...new Set(ids)]);
    const commentOf = (stored: Stored): Comment => ({
      id: stored.id,
      body: stored.body,
      mentions: stored.mentions.flatMap((id) => people.get(id) ?? []),
      author: stored.person ?? null,
      authorName: stored.authorName,
      createdAt: stored.createdAt,
      editedAt: stored.editedAt,
      isOwn: stored.author === administrator.row.id,
    });
    const replies = Map.groupBy(shown, ({ thread }) => thread);
    return (replies.get(null) ?? []).map((stored) => ({
      ...commentOf(stored),
      field: stored.field,
      resolvedAt: stored.resolvedAt,
      resolvedBy: (stored.resolvedBy !== null && people.get(stored.resolvedBy)) || null,
      replies: (replies.get(stored.id) ?? []).map(commentOf),
    }));
  }

  /**
   * Adds a comment, or an answer to one.
   *
   * @throws ContentError as `list`; 400 with the paths of all mistakes, such as a field that does not exist or is hidden.
   */
  async add(reader: CommentReader, address: VersionAddress, raw: unknown, now = Date.now()): Promise<number> {
    const { administrator, viewer } = reader;
    const version = await versionAt(this.#context, viewer, address);
    const { body, mentions, field, thread } = newCommentBody(raw);
    if (field !== null) requireField(viewer.view, version.type, field);
    const { name } = nameOf(administrator.row);
    const { database } = this.#context;
    const known = thread === null ? undefined : await this.#threadIn(database, version, viewer, thread);
    await this.#requireReaders(version, mentions, known?.field ?? field);
    const id = await database.transaction(async (tx) => {
      await lockComments(tx, version);
      await findReviewedVersion(this.#context, tx, viewer, version);
      const above = thread === null ? undefined : await this.#threadIn(tx, version, viewer, thread);
      const on = above?.field ?? field;
      const values = [version.type.uid, version.documentId, version.locale ?? ''];
      const [count] = await query(tx, compileCommentCount(), values);
      if (Number(count![0]) >= MOST_COMMENTS) {
        throw validationFailure(
          undefined,
          because(`a document has at most ${MOST_COMMENTS} comments`, 'tooMany', { limit: MOST_COMMENTS }),
        );
      }
      const added = await insertRow(tx, COMMENTS_TABLE, {
        ...columnsOf(version),
        thread_id: above?.id ?? null,
        field: on,
        body,
        mentions: JSON.stringify(mentions),
        author_id: administrator.row.id,
        author_name: name,
        created_at: now,
        edited_at: null,
        resolved_at: null,
        resolved_by: null,
      });
      // an answer opens its thread again
      if (above?.resolvedAt != null) {
        await updateRows(tx, COMMENTS_TABLE, { resolved_at: null, resolved_by: null }, { id: above.id });
      }
      recordAction(tx, 'comment.create', version, added, on);
      return added;
    });
    this.#mention(version, mentions, administrator, body);
    return id;
  }

  /**
   * Changes the text of an own comment, and resolves or reopens any thread.
   *
   * @throws ContentError as `add`; 403 for the text of another person's comment; 404 for a missing comment.
   */
  async change(
    { administrator, viewer }: CommentReader,
    address: VersionAddress,
    id: number,
    raw: unknown,
    now = Date.now(),
  ): Promise<void> {
    const version = await versionAt(this.#context, viewer, address);
    const change = commentChangeBody(raw);
    const known = await this.#storedIn(this.#context.database, version, viewer, id);
    const added = (change.mentions ?? []).filter((person) => !known.mentions.includes(person));
    if (known.author === administrator.row.id) await this.#requireReaders(version, added, known.field);
    const text = await this.#context.database.transaction(async (tx) => {
      await lockComments(tx, version);
      const stored = await this.#storedIn(tx, version, viewer, id);
      const { body = stored.body, mentions = stored.mentions } = change;
      if (change.resolved !== undefined && stored.thread !== null) {
        throw validationFailure(at('resolved'), 'the first comment of a thread is resolved, with its answers');
      }
      const isText = change.body !== undefined || change.mentions !== undefined;
      if (isText && stored.author !== administrator.row.id) throw forbidden();
      const written = isText ? { body, mentions: JSON.stringify(mentions), edited_at: now } : {};
      const resolved =
        change.resolved === undefined
          ? {}
          : change.resolved
            ? { resolved_at: stored.resolvedAt ?? now, resolved_by: stored.resolvedBy ?? administrator.row.id }
            : { resolved_at: null, resolved_by: null };
      const columns = { ...written, ...resolved };
      if (Object.keys(columns).length > 0) {
        await updateRows(tx, COMMENTS_TABLE, columns, { id });
        recordAction(tx, 'comment.update', version, id, stored.field, Object.keys(change));
      }
      return body;
    });
    this.#mention(version, added, administrator, text);
  }

  /**
   * Deletes an own comment with its answers; super administrators delete any.
   *
   * @throws ContentError 403 for another person's comment, 404 for a missing one.
   */
  async remove({ administrator, viewer }: CommentReader, address: VersionAddress, id: number): Promise<void> {
    const version = await versionAt(this.#context, viewer, address);
    await this.#context.database.transaction(async (tx) => {
      await lockComments(tx, version);
      const stored = await this.#storedIn(tx, version, viewer, id);
      if (stored.author !== administrator.row.id && !administrator.rights.isSuper) throw forbidden();
      await deleteRows(tx, COMMENTS_TABLE, { thread_id: id });
      await deleteRows(tx, COMMENTS_TABLE, { id });
      recordAction(tx, 'comment.delete', version, id, stored.field);
    });
  }

  /** A comment on a version that the reader is shown. @throws ContentError 404 if there is none. */
  async #storedIn(tx: Queryable, version: Version, { view }: Viewer, id: number): Promise<Stored> {
    const stored = (await storedOn(tx, version)).find((one) => one.id === id);
    if (!stored || (stored.field !== null && !showsField(view, version.type, stored.field))) throw notFound();
    return stored;
  }

  /** The first comment of a thread. @throws ContentError 400 for another one. */
  async #threadIn(tx: Queryable, version: Version, viewer: Viewer, id: number): Promise<Stored> {
    const stored = await this.#storedIn(tx, version, viewer, id).catch(() => undefined);
    if (stored?.thread === null) return stored;
    throw validationFailure(at('thread'), 'thread must be the id of a comment on this document', id);
  }

  /** @throws ContentError 400 for a person who may not read the version and the field. */
  async #requireReaders(version: Version, mentions: readonly number[], field: string | null): Promise<void> {
    const failures = new Failures();
    for (const [index, id] of mentions.entries()) {
      if (await this.#mayRead(version, id, field)) continue;
      const name = (await namesOf(this.#context, [id])).get(id)?.name ?? `#${id}`;
      failures.add(at('mentions', index), because('this person may not read the document', 'unreadable', { name }), id);
    }
    failures.throwAny();
  }

  async #mayRead(version: Version, id: number, field: string | null): Promise<boolean> {
    if (!(await readerOf(this.#context, id, version))) return false;
    const { administrators } = this.#context;
    const other = await administrators.ofId(id);
    return (
      other !== undefined &&
      (field === null || showsField(administrators.viewer(other, 'read').view, version.type, field))
    );
  }

  #mention(version: Version, mentions: readonly number[], { row }: Administrator, body: string): void {
    const people = mentions.filter((id) => id !== row.id);
    if (people.length > 0) this.#context.notifications.mentioned(version, people, nameOf(row).name, body);
  }
}

/** The numbers of open threads on documents, of those that the viewer is shown, by document. */
export async function openCommentCounts(
  db: Queryable,
  { view }: Viewer,
  type: ContentType,
  locale: string | null,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  if (documentIds.length === 0) return counts;
  const values = [type.uid, locale ?? '', COUNTED, JSON.stringify(documentIds.map((id) => [id]))];
  for (const [documentId, field] of await query(db, compileOpenComments(db.dialect), values)) {
    if (field !== null && !showsField(view, type, String(field))) continue;
    counts.set(String(documentId), (counts.get(String(documentId)) ?? 0) + 1);
  }
  return counts;
}

/** Whether a View shows the field at a path: an attribute, or one of a component that is not repeatable. */
export const showsField = (view: View, type: ContentType, path: string): boolean =>
  firstHidden(view, type, path) === undefined;

/** @throws ContentError 400 for a path that leads to no field which the View shows. */
function requireField(view: View, type: ContentType, path: string): void {
  const hidden = firstHidden(view, type, path);
  if (!hidden) return;
  const hint = meant(hidden.name, hidden.shown);
  throw validationFailure(at('field'), `field must be the path of an attribute${hint}`, path);
}

/** The first step of a path at which a View shows no field, and the fields that it shows there. */
function firstHidden(
  view: View,
  type: ContentType,
  path: string,
): { readonly name: string; readonly shown: readonly string[] } | undefined {
  let model: Model = type;
  const names = path.split('.');
  for (const [index, name] of names.entries()) {
    const named = view.of(model).named(name);
    if (named.kind !== 'field' && named.kind !== 'attribute') return { name, shown: view.of(model).visible };
    if (index === names.length - 1) return undefined;
    const isInner = named.kind === 'attribute' && named.attribute.type === 'component' && !named.attribute.repeatable;
    if (!isInner) return { name: names[index + 1]!, shown: [] };
    model = view.into(model, named.attribute);
  }
  return undefined;
}

async function storedOn(db: Queryable, { type, documentId, locale }: Version): Promise<readonly Stored[]> {
  return (await query(db, compileComments(), [type.uid, documentId, locale ?? '', MOST_COMMENTS])).map(storedOf);
}

function storedOf(row: Row): Stored {
  const [id, thread, field, body, mentions, author, authorName, createdAt, editedAt, resolvedAt, resolvedBy] = row;
  const [firstname, lastname, username] = row.slice(11);
  const people = jsonOf(mentions);
  const isThere = firstname !== null || lastname !== null || username !== null;
  return {
    id: Number(id),
    thread: numberOrNull(thread),
    field: textOrNull(field),
    body: String(body),
    mentions: Array.isArray(people) ? people.map(Number) : [],
    author: Number(author),
    authorName: String(authorName),
    createdAt: Number(createdAt),
    editedAt: numberOrNull(editedAt),
    resolvedAt: numberOrNull(resolvedAt),
    resolvedBy: numberOrNull(resolvedBy),
    person: isThere ? personOfRow([author, firstname, lastname, username])! : undefined,
  };
}

const columnsOf = ({ type, documentId, locale }: Version) => ({
  content_type: type.uid,
  document_id: documentId,
  locale: locale ?? '',
});

/** Makes others who comment on a version wait until the transaction ends. */
async function lockComments(tx: Transaction, { type, documentId }: Version): Promise<void> {
  await tx.lock(() => [{ key: `galley comments ${type.uid} ${documentId}`, shared: false }]);
}

interface NewComment {
  readonly body: string;
  readonly mentions: readonly number[];
  readonly field: string | null;
  readonly thread: number | null;
}

/** Records in the log of actions that a comment was written, changed or deleted; never its text. */
function recordAction(
  tx: Transaction,
  action: ActionName,
  { type, documentId, locale }: Version,
  comment: number,
  field: string | null,
  fields?: readonly string[],
): void {
  const more = { comment, ...(field === null ? {} : { field }), ...(locale === null ? {} : { locales: [locale] }) };
  tx.recordAction({ action, type: type.uid, id: documentId, ...(fields && { fields }), more });
}

/** The keys of bodies; `locale` names the version. */
const NEW_KEYS = ['body', 'mentions', 'field', 'thread', 'locale'];
const CHANGE_KEYS = ['body', 'mentions', 'resolved', 'locale'];

function newCommentBody(raw: unknown): NewComment {
  const failures = new Failures();
  const { body, mentions = [], field = null, thread = null } = bodyOf(raw, NEW_KEYS, failures);
  const text = textOf(body, failures);
  const people = peopleOf(mentions, failures);
  if (field !== null && !(typeof field === 'string' && field !== '' && field.length <= FIELD_LENGTH)) {
    failures.add(at('field'), 'field must be the path of an attribute, or null', field);
  }
  if (thread !== null && !(typeof thread === 'number' && Number.isSafeInteger(thread))) {
    failures.add(at('thread'), 'thread must be the id of a comment, or null', thread);
  }
  failures.throwAny();
  return { body: text, mentions: people, field: field as string | null, thread: thread as number | null };
}

function commentChangeBody(raw: unknown): Partial<Pick<NewComment, 'body' | 'mentions'>> & { resolved?: boolean } {
  const failures = new Failures();
  const { body, mentions, resolved } = bodyOf(raw, CHANGE_KEYS, failures);
  const change: { body?: string; mentions?: readonly number[]; resolved?: boolean } = {};
  if (body !== undefined) change.body = textOf(body, failures);
  if (mentions !== undefined) change.mentions = peopleOf(mentions, failures);
  if (typeof resolved === 'boolean') change.resolved = resolved;
  else if (resolved !== undefined) failures.add(at('resolved'), 'resolved must be true or false', resolved);
  failures.throwAny();
  return change;
}

function textOf(body: unknown, failures: Failures): string {
  if (typeof body !== 'string' || body.trim() === '') {
    failures.add(at('body'), because('body is a required field', 'required'));
    return '';
  }
  if (body.length > COMMENT_LENGTH) {
    failures.add(
      at('body'),
      because(`body must be at most ${COMMENT_LENGTH} characters`, 'tooLong', { limit: COMMENT_LENGTH }),
    );
  } else if (!body.isWellFormed() || /[^\P{Cc}\n\r\t]/u.test(body)) {
    failures.add(at('body'), because('body must not contain control characters', 'characters'));
  }
  return body.trim();
}

function peopleOf(mentions: unknown, failures: Failures): readonly number[] {
  const isList = Array.isArray(mentions) && mentions.every((id) => Number.isSafeInteger(id) && id > 0);
  if (!isList) {
    failures.add(at('mentions'), 'mentions must be a list of ids of administrators', mentions);
    return [];
  }
  const people = [...new Set(mentions as number[])];
  if (people.length > MOST_MENTIONS) {
    failures.add(
      at('mentions'),
      because(`a comment mentions at most ${MOST_MENTIONS} people`, 'tooMany', { limit: MOST_MENTIONS }),
    );
  }
  return people;
}

function bodyOf(raw: unknown, keys: readonly string[], failures: Failures): JsonObject {
  if (!isObject(raw)) throw validationFailure(undefined, 'The request needs a JSON object as its body');
  failures.addUnknown(raw, keys);
  return raw;
}
