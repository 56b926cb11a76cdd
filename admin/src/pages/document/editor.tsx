/** The page around the form: saving, publishing, and all other actions on a document. */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  type CSSProperties,
  type DragEvent,
  type ReactNode,
  type RefObject,
  useDeferredValue,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { useTitle } from '../../app/title.ts';
import { mayInLocale } from '../../data/locales.ts';
import { commentsQuery } from '../../data/review.ts';
import { permits, useSession } from '../../data/session.ts';
import type { StoredUnsaved } from '../../data/unsaved.ts';
import { DocumentForm } from '../../form/document-form.tsx';
import { linesOf } from '../../form/fields.tsx';
import { differences } from '../../form/values/differences.ts';
import { publishedWithCounts } from '../../form/values/links.ts';
import { uncopiedValues } from '../../form/values/uncopied-values.ts';
import { canUndoDiscard, changesToLose } from '../../form/values/undo-discard.ts';
import { isPathShown } from '../../form/values/visibility.ts';
import { useKeys } from '../../keys/keys.ts';
import { useText } from '../../language/language.tsx';
import { SITE_USERS, typeTitle } from '../../language/type-name.ts';
import { StateMark } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Sheet } from '../../ui/dialog.tsx';
import { ArrowLeft, Eye, MessageSquare } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import unseen from '../../ui/unseen.module.css';
import { AddToRelease } from '../releases/add-later.tsx';
import { HoldingReleases } from '../releases/holding-releases.tsx';
import { ScheduleDialog } from '../schedule/schedule-dialog.tsx';
import { scheduleDocument } from '../schedule/schedule-document.ts';
import { NextAction, ScheduledItems } from '../schedule/scheduled-items.tsx';
import { AboutList } from './about-list.tsx';
import { CommentsPanel, openComments } from './comments-panel.tsx';
import { CompareDialog } from './compare-dialog.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { LostDialog } from './discard-dialog.tsx';
import styles from './document.module.css';
import { DocumentMenu, menuActions } from './document-menu.tsx';
import { requestsFor, SINGLE } from './document-query.ts';
import type { Draft } from './draft.ts';
import { useFirstField } from './field-focus.ts';
import { LocaleList, leadsTo } from './locale-list.tsx';
import { listOf, useNeighbours } from './neighbours.ts';
import { Notices } from './notices.tsx';
import { Others } from './other-editors.tsx';
import { Preview } from './preview.tsx';
import { isUpToDate, PublishButton, PublishPanel, type PublishPanelProps, StateLine } from './publish-panel.tsx';
import { useRelated } from './related.tsx';
import { placeOf, ReviewPanel } from './review-panel.tsx';
import { SavedStatus } from './saved-status.tsx';
import { useCovered } from './scrolling.ts';
import { Beside } from './second-locale.tsx';
import { SiteUser } from './site-user.tsx';
import { useActions } from './use-actions.ts';
import { useDocumentPalette } from './use-document-palette.ts';
import { useDraft } from './use-draft.ts';
import { useFilling } from './use-filling.ts';
import { useUnpublishing } from './use-unpublishing.ts';

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  /** The version of the server, which may change. */
  readonly server: DocumentAnswer;
  /** What remains of the document if the version is gone; otherwise undefined. */
  readonly left: DocumentAnswer | undefined;
  /** The stored changes of a document that was deleted while it was closed. */
  readonly lost: StoredUnsaved | undefined;
  /** Receives the draft. */
  readonly draftRef: RefObject<Draft | undefined>;
  /** Whether the latest version is loading. */
  readonly isAsking: boolean;
  readonly onCreated: (documentId: string) => void;
}

/** The permissions for a document that does not exist yet. */
const NOTHING = { update: false, delete: false, deleteAll: false, publish: false };

type Above = 'conflict' | 'delete' | 'lost' | 'panel' | 'release' | 'schedule';

export function Editor({
  schema,
  model,
  server: answered,
  left: found,
  lost,
  draftRef,
  isAsking,
  onCreated,
}: Props): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  const { beside, comments: shown } = useSearch({ from: '/inside/content/$uid/$documentId' });
  const client = useQueryClient();
  const { show: tell } = useToasts();
  const requests = useMemo(() => requestsFor(model), [model]);
  const savesItself = model.draftAndPublish;
  const { draft, isOpening, kept, dropKept, bringBack, gone, forgetGone, others } = useDraft({
    schema,
    model,
    answered,
    lost: lost && found && { kept: lost, left: found },
    isAsking,
    requests,
    savesItself,
    onCreated,
  });
  const written = useSyncExternalStore(draft.subscribe, draft.get);
  useEffect(() => {
    draftRef.current = draft;
    if (found) draft.lose(found);
  }, [draft, draftRef, found]);
  const { shown: server, unpublish, stay } = useUnpublishing(schema, model, written.server);
  const state = useMemo(() => ({ ...written, server }), [written, server]);
  const { values, errors, theirs, left } = state;
  const without = useMemo(() => (left ? uncopiedValues(schema, model, values) : []), [schema, model, values, left]);
  const [above, setAbove] = useState<Above>();
  const [comparing, setComparing] = useState(false);
  const [previews, setPreviews] = useState(false);

  const onSite = useMemo(() => publishedWithCounts(schema, model, server), [schema, model, server]);
  const published = model.draftAndPublish ? onSite : draft.before;
  const deferred = useDeferredValue(values);
  // Types without drafts are compared with the saved version, which may link unpublished documents.
  const by = model.draftAndPublish ? 'published' : 'shown';
  const marks = useMemo(
    () =>
      differences(schema, model, deferred, published, by).filter(({ path }) =>
        isPathShown(schema, model, deferred, path),
      ),
    [schema, model, deferred, published, by],
  );
  // A single type names its document.
  const isSingle = model.kind === 'singleType';
  const name = isSingle ? model.displayName : String(values[model.layout.mainField] ?? '') || t('document.untitled');
  const locale = schema.locales.find(({ code }) => code === server.locale)?.name;
  useTitle(locale === undefined ? name : `${name} · ${locale}`);

  const { actions } = model;
  const isNew = server.documentId === null;
  const form = useFirstField(isNew);
  const { top, bar } = useCovered();
  const { rights } = useSession();
  const mayMake = actions.create && mayInLocale(rights, 'create', model, server.locale);
  const mayDuplicate =
    actions.create &&
    model.kind === 'collectionType' &&
    Object.keys(server.states).every((code) => mayInLocale(rights, 'create', model, code || null));
  const mayWrite = isNew ? mayMake : server.may.update;
  const mayPublish = !model.draftAndPublish ? mayWrite : isNew ? actions.publish : server.may.publish;
  const select = (search: object): void =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...search }), replace: true });
  const closed = (open: boolean): void => setAbove((now) => (open ? now : undefined));

  const onConflict = (): void => setAbove('conflict');
  const onCompare = (): void => setComparing(true);
  const { busy, ...doing } = useActions({ schema, model, draft, requests, name, onConflict, onCompare });
  const publish = (isSeen: boolean) => (): void => {
    stay();
    setComparing(false);
    doing.publish(isSeen);
  };
  const fill = useFilling(schema, model, draft);
  const toLose = () => changesToLose(schema, model, values, published);
  const { previous, next } = useNeighbours(model.uid, server.documentId ?? '');
  const goTo = (documentId: string | undefined) => (): void => {
    if (documentId === undefined) return;
    void navigate({
      to: '/content/$uid/$documentId',
      params: { uid: model.uid, documentId },
      search: server.locale === null ? {} : { locale: server.locale },
    });
  };
  const group = t('document.keys');
  useKeys([
    { keys: 'mod+s', label: t('document.keys.save'), group, run: doing.saveNow },
    ...(mayPublish && model.draftAndPublish
      ? [{ keys: 'mod+shift+p', label: t('document.publish'), group, run: publish(false) }]
      : []),
    ...(previous === undefined ? [] : [{ keys: '[', label: t('document.keys.previous'), group, run: goTo(previous) }]),
    ...(next === undefined ? [] : [{ keys: ']', label: t('document.keys.next'), group, run: goTo(next) }]),
  ]);

  const schedules = mayPublish && model.draftAndPublish;
  const scheduleNow = (): void => doing.schedule(() => setAbove('schedule'));
  const panel: PublishPanelProps = {
    schema,
    model,
    state,
    differences: marks,
    mayPublish,
    mayWrite,
    busy: busy === 'publish',
    onPublish: publish(false),
    onSchedule: schedules ? scheduleNow : undefined,
    scheduled: model.draftAndPublish && server.documentId !== null && (
      <>
        <ScheduledItems
          schema={schema}
          uid={model.uid}
          documentId={isSingle ? SINGLE : server.documentId}
          mayChange={mayPublish}
        />
        <HoldingReleases schema={schema} uid={model.uid} documentId={server.documentId} />
      </>
    ),
    onCompare,
  };
  const own = server.states[server.locale ?? ''];
  const open = errors.length + (mayWrite ? state.advice.length : 0);
  // There is room for one of the two beside the form.
  const isBeside = beside !== undefined && beside !== server.locale && server.documentId !== null && !previews;
  const show = (code: string | undefined): void => {
    setPreviews(false);
    select({ beside: code });
  };
  const menu = menuActions({
    model,
    may: isNew ? NOTHING : server.may,
    mayDuplicate: mayDuplicate && !isNew,
    state: own,
    isChanged: marks.length > 0,
    others: schema.locales.filter(({ code }) => code !== server.locale && server.states[code] !== undefined),
    onFill: (from) => void fill(from),
    onHistory: () =>
      void navigate({
        to: '/content/$uid/$documentId/history',
        params: { uid: model.uid, documentId: isSingle ? SINGLE : server.documentId! },
        search: server.locale === null ? {} : { locale: server.locale },
      }),
    onDuplicate: doing.duplicate,
    onDiscard: () => (canUndoDiscard(schema, model, toLose()) ? doing.discard(true) : setAbove('lost')),
    onUnpublish: unpublish,
    onAddToRelease:
      server.documentId !== null && permits(rights, 'plugin::content-releases.create-action')
        ? () => setAbove('release')
        : undefined,
    onDelete: () => setAbove('delete'),
  });
  const { related, panel: relatedPanel } = useRelated(server.locale);
  const hasPreview = schema.previews.includes(model.uid) && !isNew;
  useDocumentPalette({
    model,
    name,
    menu,
    onPublish: mayPublish && !isUpToDate(panel) ? publish(false) : undefined,
    onSchedule: schedules ? scheduleNow : undefined,
    preview: hasPreview ? { isOpen: previews, onToggle: () => setPreviews(!previews) } : undefined,
    locales: schema.locales.filter(({ code }) => leadsTo(rights, model, server, code)),
    onLocale: (code) => select({ locale: code, beside: undefined }),
  });
  const place = useMemo(
    () => placeOf(model, server.documentId ?? '', server.locale),
    [model, server.documentId, server.locale],
  );
  const isCommented = !isNew && own !== undefined && model.uid !== SITE_USERS;
  const { data: threads } = useQuery({ ...commentsQuery(place), enabled: isCommented });
  const [commenting, setCommenting] = useState<{ readonly field: string | null } | undefined>(
    shown === undefined ? undefined : { field: null },
  );
  const openThreads = useMemo(() => openComments(threads), [threads]);
  const comments = useMemo(
    () => (isCommented ? { open: openThreads, show: (field: string) => setCommenting({ field }) } : undefined),
    [isCommented, openThreads],
  );
  const commentCount = [...openThreads.values()].reduce((sum, count) => sum + count, 0);
  const side = (isAbove: boolean): ReactNode => (
    <>
      <PublishPanel {...panel} {...(isAbove ? { onField: () => setAbove(undefined) } : {})} />
      <ReviewPanel
        model={model}
        server={server}
        isReviewed={schema.reviewed.includes(model.uid) && own !== undefined}
      />
      <LocaleList
        schema={schema}
        model={model}
        server={server}
        beside={isBeside ? beside : undefined}
        {...(isAbove ? {} : { onBeside: show })}
      />
      <SiteUser
        model={model}
        server={server}
        mayWrite={mayWrite}
        onSet={(field, value) => {
          draft.change([field], value);
          doing.saveNow();
        }}
      />
      <AboutList server={server} />
    </>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropped files are ignored here
    <div className={styles['page']} onDragOver={refuseFiles} onDrop={refuseFiles}>
      <div ref={top} className={styles['top']}>
        <header className={styles['head']}>
          <h1 className={isSingle ? styles['pageName'] : unseen['unseen']}>{name}</h1>
          {!isSingle && (
            <Link {...listOf(model.uid)} className={styles['back']}>
              <ArrowLeft size={15} />
              {typeTitle(t, schema, model)}
            </Link>
          )}
          <span className={styles['grow']} />
          {server.documentId !== null && <Others others={others} />}
          <SavedStatus state={state} savesItself={savesItself} />
          {hasPreview && (
            <Button icon={Eye} look="quiet" aria-pressed={previews} onClick={() => setPreviews(!previews)}>
              <span className={styles['previewName']}>{t('document.preview')}</span>
            </Button>
          )}
          {isCommented && (
            <Button
              icon={MessageSquare}
              look="quiet"
              aria-label={t('comments.open', { count: commentCount })}
              onClick={() => setCommenting({ field: null })}
            >
              {commentCount > 0 && commentCount}
            </Button>
          )}
          {!isNew && <DocumentMenu model={model} may={server.may} actions={menu} />}
        </header>
        <Notices
          kept={kept}
          onBringBack={async () => {
            if (!(await bringBack())) tell({ text: t('document.kept.inTheWay'), tone: 'danger' });
            else if (draft.get().theirs) onConflict();
          }}
          onThrowAway={dropKept}
          theirs={theirs}
          onLook={onConflict}
          gone={gone}
          onForgetGone={forgetGone}
          hasPassword={theirs !== undefined && draft.losesPassword}
          left={left}
          without={without}
          isPart={lost !== undefined && lost.isWhole !== true}
          {...(mayMake && { onRenew: () => void draft.renew() })}
          onGiveUp={() => {
            draft.forget();
            void navigate(model.kind === 'singleType' ? { to: '/' } : listOf(model.uid));
          }}
        />
      </div>
      <div
        className={styles['edit']}
        data-beside={isBeside ? 'locale' : previews ? 'preview' : undefined}
        style={{ '--lines': linesOf(model) + 1 } as CSSProperties}
      >
        <div className={styles['form']} ref={form}>
          {isBeside && (
            <h2 className={styles['besideHead']}>
              {own && model.draftAndPublish ? <StateMark state={own} label={locale} small /> : locale}
            </h2>
          )}
          {model.uid === SITE_USERS && (
            <p className={styles['aboutType']}>
              {t('siteUsers.note')}{' '}
              {permits(rights, 'admin::users.read') && <Link to="/people">{t('siteUsers.invite')}</Link>}
            </p>
          )}
          <DocumentForm
            model={model}
            schema={schema}
            documentId={server.documentId}
            locale={server.locale}
            value={values}
            published={model.draftAndPublish ? onSite : null}
            errors={errors}
            advice={state.advice}
            readOnly={!mayWrite}
            isOpening={isOpening}
            onChange={draft.change}
            related={related}
            comments={comments}
            isLevel={isBeside}
          />
        </div>
        {isBeside && (
          <Beside
            schema={schema}
            model={model}
            documentId={model.kind === 'singleType' ? SINGLE : server.documentId}
            locale={beside}
            onClose={() => select({ beside: undefined })}
          />
        )}
        {previews && server.documentId !== null && (
          <Preview
            uid={model.uid}
            documentId={model.kind === 'singleType' ? SINGLE : server.documentId}
            locale={server.locale}
            version={server.tag}
            onClose={() => setPreviews(false)}
          />
        )}
        <aside className={styles['side']} aria-label={t('document.side')}>
          {side(false)}
        </aside>
      </div>
      <div ref={bar} className={styles['bar']}>
        <button type="button" className={styles['barState']} onClick={() => setAbove('panel')}>
          <StateLine {...panel} />
          {open > 0 && (
            <small data-quiet={errors.length === 0 || undefined}>{t('document.errors', { count: open })}</small>
          )}
          {panel.onSchedule && server.documentId !== null && (
            <NextAction uid={model.uid} documentId={isSingle ? SINGLE : server.documentId} />
          )}
        </button>
        <PublishButton {...panel} />
      </div>
      <Sheet open={above === 'panel'} onOpenChange={closed} title={t('document.side')}>
        <div className={styles['sheet']}>{side(true)}</div>
      </Sheet>
      <ScheduleDialog
        open={above === 'schedule'}
        schema={schema}
        model={model}
        locale={server.locale}
        count={1}
        unpublishes={isUpToDate(panel)}
        values={values}
        onClose={() => setAbove(undefined)}
        onSchedule={async (choice) => {
          await scheduleDocument(client, model, server, choice);
          setAbove(undefined);
          tell({ text: t('schedule.done') });
        }}
      />
      <CompareDialog {...panel} onPublish={publish(true)} open={comparing} onOpenChange={setComparing} />
      {theirs && (
        <ConflictDialog
          open={above === 'conflict'}
          onOpenChange={closed}
          schema={schema}
          model={model}
          mine={values}
          before={draft.before}
          theirs={theirs}
          onResolve={(chosen) => {
            setAbove(undefined);
            draft.resolve(theirs, chosen);
          }}
        />
      )}
      {above === 'delete' && (
        <DeleteDialog
          open
          onOpenChange={closed}
          schema={schema}
          model={model}
          server={written.server}
          label={name}
          onDelete={async (whole) => {
            stay();
            await doing.remove(whole);
            setAbove((now) => (now === 'delete' ? undefined : now));
          }}
        />
      )}
      {above === 'release' && server.documentId !== null && (
        <AddToRelease
          documents={[{ contentType: model.uid, documentId: server.documentId, locale: server.locale }]}
          onClose={() => setAbove(undefined)}
        />
      )}
      {relatedPanel}
      <CommentsPanel
        model={model}
        place={place}
        field={commenting?.field ?? null}
        onField={(field) => setCommenting({ field })}
        open={commenting !== undefined}
        onOpenChange={(open) => {
          setCommenting(open ? { field: null } : undefined);
          if (!open && shown !== undefined) select({ comments: undefined });
        }}
      />
      <LostDialog
        open={above === 'lost'}
        onOpenChange={closed}
        changes={above === 'lost' ? toLose() : []}
        onDiscard={() => {
          setAbove(undefined);
          doing.discard(false);
        }}
      />
    </div>
  );
}

/** Otherwise the browser would open a file that is dropped beside a field, and leave the page. */
function refuseFiles(event: DragEvent): void {
  if (event.defaultPrevented || !event.dataTransfer.types.includes('Files')) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}
