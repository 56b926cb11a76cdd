/** The page round the form: what is saved by itself, what is published, and what else can be done with a document. */
import { useQueryClient } from '@tanstack/react-query';
import { defaultParseSearch, Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { useTitle } from '../../app/title.ts';
import { cameFrom, neighboursOf } from '../../data/came-from.ts';
import { wordsOf } from '../../data/query-client.ts';
import { DocumentForm } from '../../form/document-form.tsx';
import { differences } from '../../form/values/differences.ts';
import { publishedWithCounts } from '../../form/values/links.ts';
import { useKeys } from '../../keys/keys.ts';
import { Moment, useText } from '../../language/language.tsx';
import { StateMark } from '../../ui/bits.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Sheet } from '../../ui/dialog.tsx';
import { ArrowLeft, Copy, Ellipsis, Eye, RotateCcw, Trash, Undo2 } from '../../ui/icons.ts';
import { Menu, MenuItem, MenuRule } from '../../ui/menu.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { AboutList } from './about-list.tsx';
import { Beside } from './beside.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import styles from './document.module.css';
import { type DocumentMove, documentQuery, requestsFor, SINGLE } from './document-query.ts';
import { LocaleList } from './locale-list.tsx';
import { Preview } from './preview.tsx';
import { PublishButton, PublishPanel, type PublishPanelProps } from './publish-panel.tsx';
import { SavedStatus } from './saved-status.tsx';
import { staleLists, useDraft } from './use-draft.ts';

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  /** What the server says; it may say something else later. */
  readonly server: DocumentAnswer;
  readonly onCreated: (documentId: string) => void;
}

type Above = 'conflict' | 'delete' | 'panel';

export function Editor({ schema, model, server: answered, onCreated }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const { beside } = useSearch({ from: '/inside/content/$uid/$documentId' });
  const requests = useMemo(() => requestsFor(model), [model]);
  const savesItself = model.draftAndPublish;
  const { draft, kept, decide } = useDraft({ schema, model, answered, requests, savesItself, onCreated });
  const state = useSyncExternalStore(draft.subscribe, draft.get);
  const { values, server, errors, theirs } = state;
  const [above, setAbove] = useState<Above>();
  const [busy, setBusy] = useState<string>();
  const [previews, setPreviews] = useState(false);

  const onSite = useMemo(() => publishedWithCounts(schema, model, server), [schema, model, server]);
  const published = model.draftAndPublish ? onSite : draft.before;
  const deferred = useDeferredValue(values);
  const marks = useMemo(() => differences(schema, model, deferred, published), [schema, model, deferred, published]);
  const name = String(values[model.layout.mainField] ?? '') || t('document.untitled');
  const locale = schema.locales.find(({ code }) => code === server.locale)?.name;
  useTitle(locale === undefined ? name : `${name} · ${locale}`);

  const { actions } = model;
  const isNew = server.documentId === null;
  const mayWrite = isNew ? actions.create : actions.update;
  const mayPublish = model.draftAndPublish ? actions.publish : mayWrite;
  const select = (search: object): void =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...search }), replace: true });

  // a conflict is told at once, and again whenever somebody wants to go on
  useEffect(() => {
    if (theirs) setAbove('conflict');
  }, [theirs]);

  const during = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    if (busy !== undefined) return;
    setBusy(what);
    try {
      await work();
    } catch (error) {
      show({ text: wordsOf(error) ?? t('unreachable'), tone: 'danger' });
    } finally {
      setBusy(undefined);
    }
  };
  const publish = (): void =>
    void during('publish', async () => {
      if (draft.get().theirs) return setAbove('conflict');
      if (!model.draftAndPublish) {
        if (!draft.isSaved && (await draft.flush())) show({ text: t('saved') });
        return;
      }
      if (await draft.act((saved) => requests.move('publish', saved))) show({ text: t('document.published') });
    });
  const move = (what: DocumentMove, done: string): void =>
    void during(what, async () => {
      const work = (saved: DocumentAnswer) => requests.move(what, saved);
      if (await (what === 'discard' ? draft.replace(work) : draft.act(work))) show({ text: done });
    });
  const duplicate = (): void =>
    void during('duplicate', async () => {
      if (!(await draft.flush())) return;
      const copy = await requests.duplicate(draft.get().server);
      client.setQueryData(documentQuery(model.uid, copy.documentId!, copy.locale).queryKey, copy);
      await navigate({
        to: '/content/$uid/$documentId',
        params: { uid: model.uid, documentId: copy.documentId! },
        search: copy.locale === null ? {} : { locale: copy.locale },
      });
      show({ text: t('document.duplicated') });
    });
  const remove = async (whole: boolean): Promise<void> => {
    try {
      if (!(await draft.remove((seen) => requests.remove(seen, whole)))) {
        const { theirs: others, refusal } = draft.get();
        if (others) setAbove('conflict');
        else show({ text: refusal ?? t('unreachable'), tone: 'danger' });
        return;
      }
    } catch (error) {
      show({ text: wordsOf(error) ?? t('unreachable'), tone: 'danger' });
      return;
    }
    draft.forget();
    setAbove(undefined);
    const { documentId } = draft.get().server;
    const rest = Object.keys(server.states).filter((code) => code !== server.locale);
    staleLists(client, model.uid);
    show({ text: t('document.deleted', { name }) });
    if (whole || rest.length === 0)
      await navigate({ to: '/content/$uid' as never, params: { uid: model.uid } as never });
    else select({ locale: rest[0] });
    const named = model.kind === 'singleType' ? SINGLE : documentId;
    client.removeQueries({ queryKey: ['document', model.uid, named] });
  };

  const saveNow = (): void => void during('save', () => draft.flush());
  const { previous, next } = neighboursOf(model.uid, server.documentId ?? '');
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
    { keys: 'mod+s', label: t('document.keys.save'), group, run: saveNow },
    ...(mayPublish && model.draftAndPublish
      ? [{ keys: 'mod+shift+p', label: t('document.publish'), group, run: publish }]
      : []),
    ...(previous === undefined ? [] : [{ keys: '[', label: t('document.keys.previous'), group, run: goTo(previous) }]),
    ...(next === undefined ? [] : [{ keys: ']', label: t('document.keys.next'), group, run: goTo(next) }]),
  ]);

  const panel: PublishPanelProps = {
    schema,
    model,
    state,
    differences: marks,
    mayPublish,
    busy: busy === 'publish',
    onPublish: publish,
  };
  const own = server.states[server.locale ?? ''];
  const side = (isAbove: boolean): ReactNode => (
    <>
      <PublishPanel {...panel} {...(isAbove ? { onField: () => setAbove(undefined) } : {})} />
      <LocaleList
        schema={schema}
        model={model}
        server={server}
        beside={beside}
        {...(isAbove ? {} : { onBeside: (code: string | undefined) => select({ beside: code }) })}
      />
      <AboutList server={server} />
    </>
  );
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <h1 className={styles['unseen']}>{name}</h1>
        {model.kind === 'collectionType' && (
          <Link {...listOf(model)} className={styles['back']}>
            <ArrowLeft size={15} />
            {model.displayName}
          </Link>
        )}
        <span className={styles['grow']} />
        <SavedStatus state={state} savesItself={savesItself} />
        {theirs && (
          <Button look="plain" onClick={() => setAbove('conflict')}>
            {t('document.conflict.look')}
          </Button>
        )}
        {schema.previews && !isNew && (
          <Button icon={Eye} look="quiet" aria-pressed={previews} onClick={() => setPreviews(!previews)}>
            {t('document.preview')}
          </Button>
        )}
        {!isNew && (
          <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('document.more')} />}>
            {actions.create && model.kind === 'collectionType' && (
              <MenuItem icon={Copy} onSelect={duplicate}>
                {t('document.duplicate')}
              </MenuItem>
            )}
            {model.draftAndPublish && actions.update && (
              <MenuItem
                icon={RotateCcw}
                disabled={own === 'draft' || (marks.length === 0 && own === 'published')}
                onSelect={() => move('discard', t('document.discarded'))}
              >
                {t('document.discard')}
              </MenuItem>
            )}
            {model.draftAndPublish && actions.publish && (
              <MenuItem
                icon={Undo2}
                disabled={own === 'draft'}
                onSelect={() => move('unpublish', t('document.unpublished'))}
              >
                {t('document.unpublish')}
              </MenuItem>
            )}
            {actions.delete && (
              <>
                <MenuRule />
                <MenuItem icon={Trash} dangerous onSelect={() => setAbove('delete')}>
                  {t('document.delete')}
                </MenuItem>
              </>
            )}
          </Menu>
        )}
      </header>
      {kept && (
        <div role="status" className={styles['kept']}>
          <span>
            {t('document.kept')} <Moment at={new Date(kept.at).toISOString()} />
          </span>
          <Button
            look="primary"
            onClick={() => {
              decide();
              draft.bringBack(kept);
            }}
          >
            {t('document.kept.bringBack')}
          </Button>
          <Button
            onClick={() => {
              decide();
              draft.dropKept();
            }}
          >
            {t('document.kept.throwAway')}
          </Button>
        </div>
      )}
      <div className={styles['edit']} data-beside={beside !== undefined || previews || undefined}>
        <div className={styles['form']}>
          <DocumentForm
            model={model}
            schema={schema}
            documentId={server.documentId}
            locale={server.locale}
            value={values}
            published={model.draftAndPublish ? onSite : null}
            errors={errors}
            readOnly={!mayWrite}
            onChange={draft.change}
          />
        </div>
        {beside !== undefined && beside !== server.locale && server.documentId !== null && (
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
      <div className={styles['bar']}>
        <button type="button" className={styles['barState']} onClick={() => setAbove('panel')}>
          {own ? <StateMark state={own} label={t(`state.${own}`)} /> : t('document.state.new')}
          {errors.length > 0 && <small>{t('document.errors', { count: errors.length })}</small>}
        </button>
        <PublishButton {...panel} />
      </div>
      <Sheet
        open={above === 'panel'}
        onOpenChange={(open) => setAbove(open ? 'panel' : undefined)}
        title={t('document.side')}
      >
        <div className={styles['sheet']}>{side(true)}</div>
      </Sheet>
      {theirs && (
        <ConflictDialog
          open={above === 'conflict'}
          onOpenChange={(open) => setAbove(open ? 'conflict' : undefined)}
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
          onOpenChange={(open) => setAbove(open ? 'delete' : undefined)}
          schema={schema}
          model={model}
          server={server}
          label={name}
          onDelete={remove}
        />
      )}
    </div>
  );
}

/** The list that somebody came from, as it was there. */
function listOf({ uid }: ContentType) {
  const [, query = ''] = cameFrom(uid)?.href.split('?') ?? [];
  return { to: '/content/$uid', params: { uid }, search: defaultParseSearch(query) } as const;
}
