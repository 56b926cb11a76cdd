/** Comments on a document and its fields, with answers and mentions. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import type { Comment, Thread } from '../../../contract/review.ts';
import { request } from '../../data/client.ts';
import { commentsQuery, type VersionPlace } from '../../data/review.ts';
import { isSuper, useSession } from '../../data/session.ts';
import { Moment, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Avatar, EmptyState } from '../../ui/bits.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { SidePanel } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Check, MessageSquare, Pencil, RotateCcw, Trash } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import styles from './comments.module.css';
import { goToField } from './field-focus.ts';
import { MentionField } from './mention-field.tsx';
import { mentionedAfter, mentionedIn, mentionParts } from './mentions.ts';

/** Characters of a comment. */
const LONGEST = 5000;
/** A comment before its text is written. */
const NEW = { body: '', mentions: [] };

interface PanelProps {
  readonly model: ContentType;
  readonly place: VersionPlace;
  /** The path of the field whose comments are shown; null for all. */
  readonly field: string | null;
  readonly onField: (field: string | null) => void;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** The number of open threads by the path of their field; the empty path is the document. */
export function openComments(threads: readonly Thread[] | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { field, resolvedAt } of threads ?? []) {
    if (resolvedAt === null) counts.set(field ?? '', (counts.get(field ?? '') ?? 0) + 1);
  }
  return counts;
}

export function CommentsPanel({ model, place, field, onField, open, onOpenChange }: PanelProps): ReactNode {
  const t = useText();
  const { data: threads = [] } = useQuery({ ...commentsQuery(place), enabled: open });
  const [showsResolved, setShowsResolved] = useState(false);
  const labels = labelsOf(model);
  const ofField = threads.filter((thread) => field === null || thread.field === field);
  const resolved = ofField.filter(({ resolvedAt }) => resolvedAt !== null).length;
  const shown = showsResolved ? ofField : ofField.filter(({ resolvedAt }) => resolvedAt === null);
  const options = [
    { value: '', label: t('comments.all') },
    ...[...labels].map(([path, label]) => ({ value: path, label })),
  ];
  return (
    <SidePanel
      open={open}
      onOpenChange={onOpenChange}
      title={t('comments.title')}
      actions={<Button onClick={() => onOpenChange(false)}>{t('close')}</Button>}
    >
      <div className={styles['panel']}>
        <Field label={t('comments.about')}>
          <Select options={options} value={field ?? ''} onValue={(value) => onField(value === '' ? null : value)} />
        </Field>
        {resolved > 0 && (
          <Checkbox
            label={t('comments.resolved', { count: resolved })}
            checked={showsResolved}
            onValue={setShowsResolved}
          />
        )}
        {shown.length === 0 && <EmptyState icon={MessageSquare} title={t('comments.none')} />}
        <ul className={styles['threads']} aria-label={t('comments.title')}>
          {shown.map((thread) => (
            <ThreadItem
              key={thread.id}
              thread={thread}
              place={place}
              label={thread.field === null ? undefined : (labels.get(thread.field) ?? thread.field)}
              onGo={(path) => {
                onOpenChange(false);
                goToField(path.split('.'));
              }}
            />
          ))}
        </ul>
        <CommentForm key={field ?? ''} place={place} field={field} label={t('comments.new')} />
      </div>
    </SidePanel>
  );
}

/** The labels of the fields that comments can be about, by their paths. */
function labelsOf(model: ContentType): ReadonlyMap<string, string> {
  return new Map(model.attributes.filter(({ readable }) => readable).map(({ name, label }) => [name, label]));
}

interface ItemProps {
  readonly thread: Thread;
  readonly place: VersionPlace;
  /** Undefined for a comment on the document. */
  readonly label: string | undefined;
  readonly onGo: (path: string) => void;
}

function ThreadItem({ thread, place, label, onGo }: ItemProps): ReactNode {
  const t = useText();
  const [answers, setAnswers] = useState(false);
  const send = useChange(place);
  const isResolved = thread.resolvedAt !== null;
  const { field } = thread;
  return (
    <li className={styles['thread']} data-resolved={isResolved || undefined}>
      {field !== null && (
        <button type="button" className={styles['field']} onClick={() => onGo(field)}>
          {label}
        </button>
      )}
      <CommentItem comment={thread} place={place} />
      <ul className={styles['replies']}>
        {thread.replies.map((reply) => (
          <li key={reply.id}>
            <CommentItem comment={reply} place={place} />
          </li>
        ))}
      </ul>
      {isResolved && thread.resolvedBy && (
        <p className={styles['quiet']}>{t('comments.resolvedBy', { name: thread.resolvedBy.name })}</p>
      )}
      {answers ? (
        <CommentForm
          place={place}
          field={null}
          thread={thread.id}
          label={t('comments.answer')}
          onSent={() => setAnswers(false)}
        />
      ) : (
        <div className={styles['actions']}>
          <Button look="quiet" onClick={() => setAnswers(true)}>
            {t('comments.answer')}
          </Button>
          <Button
            look="quiet"
            icon={isResolved ? RotateCcw : Check}
            busy={send.isPending}
            onClick={() => send.mutate({ id: thread.id, body: { resolved: !isResolved } })}
          >
            {t(isResolved ? 'comments.reopen' : 'comments.resolve')}
          </Button>
        </div>
      )}
      <FormError error={send.error === null ? undefined : failureText(t, send.error)} />
    </li>
  );
}

function CommentItem({ comment, place }: { readonly comment: Comment; readonly place: VersionPlace }): ReactNode {
  const t = useText();
  const session = useSession();
  const [edits, setEdits] = useState(false);
  const remove = useRemoval(place);
  const name = comment.author?.name ?? comment.authorName;
  if (edits) {
    return (
      <CommentForm
        place={place}
        field={null}
        comment={comment}
        label={t('comments.edit')}
        onSent={() => setEdits(false)}
      />
    );
  }
  return (
    <article aria-label={t('comments.by', { name })}>
      <header className={styles['head']}>
        <Avatar name={name} />
        <b>{name}</b>
        <span className={styles['quiet']}>
          <Moment at={comment.createdAt} />
          {comment.editedAt !== null && ` · ${t('comments.edited')}`}
        </span>
        {comment.isOwn && <IconButton icon={Pencil} label={t('comments.edit')} onClick={() => setEdits(true)} />}
        {(comment.isOwn || isSuper(session)) && (
          <IconButton icon={Trash} label={t('comments.remove')} onClick={() => remove.mutate(comment.id)} />
        )}
      </header>
      <CommentText comment={comment} />
    </article>
  );
}

/** The text with the people that it mentions; below it, those whose names it does not have. */
function CommentText({ comment: { body, mentions } }: { readonly comment: Comment }): ReactNode {
  const t = useText();
  const { user } = useSession();
  const named = new Set(mentionedIn(body, mentions));
  const others = mentions.filter((one) => !named.has(one));
  const own = mentions.find(({ id }) => id === user.id);
  return (
    <>
      <p className={styles['body']} dir="auto">
        {mentionParts(body, mentions).map((part, place) =>
          typeof part === 'string' ? (
            part
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
            <span key={place} className={styles['mention']} data-own={part.name === own?.name || undefined}>
              @{part.name}
            </span>
          ),
        )}
      </p>
      {others.length > 0 && (
        <p className={styles['quiet']}>{t('comments.mentions', { names: others.map((one) => one.name).join(', ') })}</p>
      )}
    </>
  );
}

interface FormProps {
  readonly place: VersionPlace;
  readonly field: string | null;
  readonly label: string;
  /** The thread that it answers. */
  readonly thread?: number;
  /** The comment that it changes. */
  readonly comment?: Comment;
  readonly onSent?: () => void;
}

function CommentForm({ place, field, label, thread, comment, onSent }: FormProps): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const [body, setBody] = useState(comment?.body ?? '');
  const [people, setPeople] = useState(comment?.mentions ?? []);
  const send = useMutation({
    mutationFn: async () => {
      const { uid, documentId, locale } = place;
      const written = {
        body: body.trim(),
        mentions: mentionedAfter(comment ?? NEW, body, people).map(({ id }) => id),
        ...(locale === null ? {} : { locale }),
      };
      if (comment) {
        const params = { uid, documentId, comment: String(comment.id) };
        return (await request('PUT content/:uid/:documentId/comments/:comment', { params, body: written })).data;
      }
      const on = thread === undefined ? { field } : { thread };
      const params = { uid, documentId };
      return (await request('POST content/:uid/:documentId/comments', { params, body: { ...written, ...on } })).data;
    },
    onSuccess: (data) => {
      client.setQueryData(commentsQuery(place).queryKey, data);
      setBody('');
      setPeople([]);
      onSent?.();
    },
  });
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending && body.trim() !== '') send.mutate();
      }}
    >
      <FormError error={send.error === null ? undefined : failureText(t, send.error)} />
      <Field label={label} hint={t('comments.mention.hint')}>
        <MentionField
          place={place}
          value={body}
          maxLength={LONGEST}
          onValue={setBody}
          onMention={(person) => setPeople((before) => [...before.filter(({ id }) => id !== person.id), person])}
        />
      </Field>
      <div className={styles['actions']}>
        <Button type="submit" look="primary" busy={send.isPending} disabled={body.trim() === ''}>
          {t(comment ? 'save' : 'comments.send')}
        </Button>
        {onSent && <Button onClick={onSent}>{t('cancel')}</Button>}
      </div>
    </form>
  );
}

/** Resolves or reopens a thread. */
function useChange(place: VersionPlace) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, body }: { readonly id: number; readonly body: { readonly resolved: boolean } }) => {
      const { uid, documentId, locale } = place;
      const params = { uid, documentId, comment: String(id) };
      const options = { params, body: { ...body, ...(locale === null ? {} : { locale }) } };
      return (await request('PUT content/:uid/:documentId/comments/:comment', options)).data;
    },
    onSuccess: (data) => client.setQueryData(commentsQuery(place).queryKey, data),
  });
}

function useRemoval(place: VersionPlace) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) => {
      const { uid, documentId, locale } = place;
      const params = { uid, documentId, comment: String(id) };
      const query = { locale: locale ?? undefined };
      return (await request('DELETE content/:uid/:documentId/comments/:comment', { params, query })).data;
    },
    onSuccess: (data) => client.setQueryData(commentsQuery(place).queryKey, data),
  });
}
