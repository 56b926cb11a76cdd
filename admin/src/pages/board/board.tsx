/** The board of a type: its documents by stage of review. Documents are moved with the mouse, a menu, or the keyboard. */

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Card, Stages } from '../../../contract/review.ts';
import { Missing } from '../../app/not-found.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { defaultLocale } from '../../data/locales.ts';
import { type BoardView, columnQuery, countsQuery, moveTo, type Stage, stagesQuery } from '../../data/review.ts';
import { schemaQuery } from '../../data/schema.ts';
import { documentName } from '../../language/document-name.ts';
import { Moment, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { typeTitle } from '../../language/type-name.ts';
import { Avatar, DocumentName, Skeleton, StateMark } from '../../ui/bits.tsx';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import { CircleUser, Ellipsis, List, MessageSquare } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { StageMark } from '../../ui/stage-mark.tsx';
import { useToasts } from '../../ui/toast.tsx';
import unseen from '../../ui/unseen.module.css';
import styles from './board.module.css';

/** A document that is being moved. */
interface Move {
  readonly card: Card;
  readonly from: Stage;
  readonly to: Stage;
}

export function BoardPage(): ReactNode {
  const t = useText();
  const { uid } = useParams({ from: '/inside/board/$uid' });
  const { locale: chosen, mine } = useSearch({ from: '/inside/board/$uid' });
  const navigate = useNavigate();
  const { data: schema } = useQuery(schemaQuery);
  const model = schema?.contentTypes.find((type) => type.uid === uid);
  const isReviewed = schema?.reviewed.includes(uid) ?? false;
  const { data: workflow } = useQuery({ ...stagesQuery(uid), enabled: isReviewed });
  const title = model && schema && t('board.title', { type: typeTitle(t, schema, model) });
  useTitle(title);
  const locale = model?.localized && schema ? (chosen ?? defaultLocale(schema) ?? null) : null;
  const view = useMemo<BoardView>(() => ({ uid, locale, mine: mine === true }), [uid, locale, mine]);
  if (schema && !(model && isReviewed)) return <Missing />;
  if (!schema || !model || !workflow || title === undefined) return <Waiting />;
  const select = (search: object): void =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...search }), replace: true });
  return (
    <>
      <PageHead title={title}>
        <Button
          icon={CircleUser}
          look="quiet"
          aria-pressed={view.mine}
          onClick={() => select({ mine: !view.mine || undefined })}
        >
          {t('board.mine')}
        </Button>
        {model.localized && schema.locales.length > 1 && (
          <Select
            aria-label={t('lists.locale')}
            value={locale ?? ''}
            options={schema.locales.map(({ code, name }) => ({ value: code, label: name }))}
            onValue={(code) => select({ locale: code })}
          />
        )}
        <ButtonLink icon={List} to="/content/$uid" params={{ uid }} search={locale === null ? {} : { locale }}>
          {t('board.list')}
        </ButtonLink>
      </PageHead>
      <Columns key={JSON.stringify(view)} view={view} workflow={workflow} />
    </>
  );
}

function Columns({ view, workflow }: { readonly view: BoardView; readonly workflow: Stages }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { data: counts } = useQuery(countsQuery(view));
  /** The document that is dragged, and the stage over which it is. */
  const [dragged, setDragged] = useState<{ readonly card: Card; readonly from: Stage }>();
  const [over, setOver] = useState<number>();
  /** The document that gets the focus in its new column. */
  const follow = useRef<string>(undefined);
  const refresh = () => client.invalidateQueries({ queryKey: ['review', view.uid] });
  const move = useMutation({
    mutationFn: ({ card, from, to }: Move) => moveTo({ ...view, documentId: card.documentId }, to.id, from.id),
    onSuccess: async (review, { card, from, to }) => {
      const name = documentName(t, card);
      show({
        text: t('board.moved', { name, stage: to.name }),
        ...(review.choices.includes(from.id) && { undo: () => move.mutate({ card, from: to, to: from }) }),
      });
      await refresh();
    },
    onError: async (error) => {
      show({ text: failureText(t, error), tone: 'danger' });
      await refresh();
    },
  });
  const moved = move.isPending ? move.variables : undefined;
  const choicesOf = (stage: Stage): readonly Stage[] =>
    workflow.stages.filter(({ id }) => workflow.moves[String(stage.id)]?.includes(id));
  const required = workflow.required;
  return (
    <ol className={styles['board']} aria-label={t('board.stages')}>
      {workflow.stages.map((stage) => {
        const accepts = dragged !== undefined && choicesOf(dragged.from).some(({ id }) => id === stage.id);
        return (
          <li
            key={stage.id}
            className={styles['column']}
            data-accepts={accepts || undefined}
            data-over={(accepts && over === stage.id) || undefined}
            data-closed={(dragged && dragged.from.id !== stage.id && !accepts) || undefined}
            onDragOver={(event) => {
              if (!accepts) return;
              event.preventDefault();
              event.dataTransfer.dropEffect = 'move';
              setOver(stage.id);
            }}
            onDragLeave={() => setOver((now) => (now === stage.id ? undefined : now))}
            onDrop={(event) => {
              if (!accepts || !dragged) return;
              event.preventDefault();
              move.mutate({ ...dragged, to: stage });
              setDragged(undefined);
              setOver(undefined);
            }}
          >
            <header className={styles['columnHead']}>
              <h2>
                <StageMark {...stage} />
              </h2>
              <span className={styles['count']}>{counts?.[String(stage.id)] ?? ''}</span>
              {required === stage.id && <span className={styles['required']}>{t('board.required')}</span>}
            </header>
            <Column
              view={view}
              stage={stage}
              choices={choicesOf(stage)}
              stages={workflow.stages}
              moved={moved}
              follow={follow}
              onMove={(card, to) => {
                follow.current = card.documentId;
                move.mutate({ card, from: stage, to });
              }}
              onDrag={(card) => setDragged(card && { card, from: stage })}
            />
          </li>
        );
      })}
    </ol>
  );
}

interface ColumnProps {
  readonly view: BoardView;
  readonly stage: Stage;
  /** The stages to which its documents may be moved. */
  readonly choices: readonly Stage[];
  readonly stages: readonly Stage[];
  readonly moved: Move | undefined;
  readonly follow: { current: string | undefined };
  readonly onMove: (card: Card, to: Stage) => void;
  readonly onDrag: (card: Card | undefined) => void;
}

function Column({ view, stage, choices, stages, moved, follow, onMove, onDrag }: ColumnProps): ReactNode {
  const t = useText();
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(columnQuery(view, stage.id));
  const stored = data?.pages.flatMap((page) => page.data) ?? [];
  // A moved document is shown in its new stage at once.
  const others = stored.filter(({ documentId }) => documentId !== moved?.card.documentId);
  const cards = moved && moved.to.id === stage.id ? [moved.card, ...others] : moved ? others : stored;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const followed = cards.find(({ documentId }) => documentId === follow.current);
    if (!followed || moved) return;
    const link = list.current?.querySelector<HTMLElement>(`[data-document="${followed.documentId}"] a`);
    if (link && (document.activeElement === document.body || document.activeElement === null)) link.focus();
    if (link) follow.current = undefined;
  });
  /** Alt and an arrow move a document to the nearest stage in that direction to which it may be moved. */
  const onKeyDown =
    (card: Card) =>
    (event: KeyboardEvent<HTMLElement>): void => {
      if (!event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
      const isForward = (event.key === 'ArrowRight') === (getComputedStyle(event.currentTarget).direction === 'ltr');
      const at = stages.indexOf(stage);
      const inDirection = isForward ? stages.slice(at + 1) : stages.slice(0, at).toReversed();
      const to = inDirection.find(({ id }) => choices.some((choice) => choice.id === id));
      event.preventDefault();
      if (to) onMove(card, to);
    };
  if (data === undefined) return <Skeleton width="80%" />;
  return (
    <>
      <ul className={styles['cards']} ref={list} aria-label={stage.name}>
        {cards.map((card) => (
          <li
            key={card.documentId}
            className={styles['card']}
            data-document={card.documentId}
            draggable={choices.length > 0}
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move';
              event.dataTransfer.setData('text/plain', documentName(t, card));
              onDrag(card);
            }}
            onDragEnd={() => onDrag(undefined)}
            onKeyDown={onKeyDown(card)}
          >
            <div className={styles['cardHead']}>
              <Link
                to="/content/$uid/$documentId"
                params={{ uid: view.uid, documentId: card.documentId }}
                search={view.locale === null ? {} : { locale: view.locale }}
                className={styles['name']}
                draggable={false}
                dir="auto"
              >
                <DocumentName {...card} />
              </Link>
              {choices.length > 0 && (
                <Menu
                  align="end"
                  trigger={<IconButton icon={Ellipsis} label={t('board.move', { name: documentName(t, card) })} />}
                >
                  {choices.map((choice) => (
                    <MenuItem key={choice.id} onSelect={() => onMove(card, choice)}>
                      <StageMark {...choice} />
                    </MenuItem>
                  ))}
                </Menu>
              )}
            </div>
            <p className={styles['facts']}>
              {card.state && <StateMark state={card.state} label={t(`state.${card.state}`)} small />}
              <Moment at={card.updatedAt} />
              {card.openComments > 0 && (
                <span
                  role="img"
                  className={styles['comments']}
                  aria-label={t('comments.open', { count: card.openComments })}
                  title={t('comments.open', { count: card.openComments })}
                >
                  <MessageSquare size={13} />
                  {card.openComments}
                </span>
              )}
              {card.assignee && (
                <span className={styles['assignee']} title={t('review.assigned', { name: card.assignee.name })}>
                  <Avatar name={card.assignee.name} />
                  <span className={unseen['unseen']}>{t('review.assigned', { name: card.assignee.name })}</span>
                </span>
              )}
            </p>
          </li>
        ))}
      </ul>
      {cards.length === 0 && <p className={styles['none']}>{t('board.none')}</p>}
      {hasNextPage && (
        <Button look="quiet" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('board.more')}
        </Button>
      )}
    </>
  );
}

function Waiting(): ReactNode {
  return (
    <div className={styles['board']} aria-hidden="true">
      <Skeleton width="45%" height="34px" />
    </div>
  );
}
