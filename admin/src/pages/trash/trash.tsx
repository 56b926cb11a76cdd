/** Deleted documents, files and folders by day: restoring them, and deleting them for good. */
import { type QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Deletion, TrashLoss } from '../../../contract/trash.ts';
import { Confirmation } from '../../app/confirmation.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { useTypeTitles } from '../../app/type-titles.ts';
import { request } from '../../data/client.ts';
import { schemaQuery } from '../../data/schema.ts';
import { fieldName } from '../../form/values/field-name.ts';
import { Moment, useLocale, useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { libraryChanged } from '../../media/data.ts';
import { sizeText } from '../../media/kinds.ts';
import { signOf } from '../../media/preview.tsx';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Folder, Trash, Undo2 } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { deletionQuery, FILE, FOLDER, restoreDeletion, TRASH, trashQuery } from './data.ts';
import styles from './trash.module.css';

export function TrashPage(): ReactNode {
  const t = useText();
  useTitle(t('place.trash'));
  const [type, setType] = useState<string>();
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(trashQuery(type));
  const deletions = data?.pages.flatMap((page) => page.data);
  const { mayEmpty = false, days = 0 } = data?.pages[0]?.meta ?? {};
  return (
    <>
      <PageHead title={t('place.trash')}>{mayEmpty && deletions?.length ? <Empty type={type} /> : null}</PageHead>
      <div className={styles['page']}>
        <Types type={type} onType={setType} />
        {deletions === undefined && <Skeleton width="40%" />}
        {deletions?.length === 0 &&
          (type === undefined ? (
            <EmptyState icon={Trash} title={t('trash.empty')} text={t('trash.empty.text', { days })} />
          ) : (
            <p className={shared['quiet']}>{t('trash.none')}</p>
          ))}
        <Days deletions={deletions ?? []} mayDelete={mayEmpty} />
        {hasNextPage && (
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('trash.more')}
          </Button>
        )}
      </div>
    </>
  );
}

function Types({
  type,
  onType,
}: {
  readonly type: string | undefined;
  readonly onType: (type: string | undefined) => void;
}): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  const titleOf = useTypeTitles();
  const types = schema?.contentTypes.filter(({ uid }) => uid.startsWith('api::')) ?? [];
  return (
    <div className={styles['tools']}>
      <Select
        aria-label={t('trash.type')}
        value={type ?? ''}
        onValue={(value) => onType(value === '' ? undefined : value)}
        options={[
          { value: '', label: t('trash.type.all') },
          ...types.map((one) => ({ value: one.uid, label: titleOf(one) })),
          { value: FILE, label: t('trash.files') },
          { value: FOLDER, label: t('trash.folders') },
        ]}
      />
    </div>
  );
}

function Days({
  deletions,
  mayDelete,
}: {
  readonly deletions: readonly Deletion[];
  readonly mayDelete: boolean;
}): ReactNode {
  const t = useText();
  const locale = useLocale();
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'full' });
  const days = Map.groupBy(deletions, ({ deletedAt }) => day.format(new Date(deletedAt)));
  return [...days].map(([title, all]) => (
    <section key={title} aria-label={`${t('trash.list')}: ${title}`}>
      <h2 className={styles['day']}>{title}</h2>
      <ul className={shared['rows']}>
        {all.map((deletion) => (
          <Row key={deletion.id} deletion={deletion} mayDelete={mayDelete} />
        ))}
      </ul>
    </section>
  ));
}

function Row({ deletion, mayDelete }: { readonly deletion: Deletion; readonly mayDelete: boolean }): ReactNode {
  const t = useText();
  const titleOf = useTypeTitles();
  const [open, setOpen] = useState<'restore' | 'delete'>();
  const { type, locales, deletedAt, mayRestore } = deletion;
  const locale = useLocale();
  const name = deletion.name ?? t('trash.untitled');
  const about = partsOf(t, deletion, locale) ?? [titleOf({ uid: type, displayName: type }), ...locales];
  const Sign = deletion.file ? signOf(deletion.file) : deletion.files === null ? undefined : Folder;
  const close = (): void => setOpen(undefined);
  return (
    <li className={shared['row']}>
      <div className={shared['main']}>
        <span className={styles['name']}>
          {Sign && <Sign size={16} />}
          <span className={shared['name']}>{name}</span>
        </span>
        <span className={shared['quiet']}>
          {about.join(' · ')} · {authorText(t, deletion)} · <Moment at={deletedAt} />
        </span>
      </div>
      <div className={styles['buttons']}>
        {mayDelete && (
          <Button
            look="quiet"
            icon={Trash}
            aria-label={t('trash.deleteOf', { name })}
            onClick={() => setOpen('delete')}
          >
            {t('trash.delete')}
          </Button>
        )}
        {mayRestore && (
          <Button icon={Undo2} aria-label={t('trash.restoreOf', { name })} onClick={() => setOpen('restore')}>
            {t('trash.restore')}
          </Button>
        )}
      </div>
      {open === 'restore' && <Restoration deletion={deletion} name={name} onClose={close} />}
      {open === 'delete' && <ForGood deletion={deletion} name={name} onClose={close} />}
    </li>
  );
}

/** What a file or a folder is described by; undefined for documents. */
function partsOf(t: Text, { file, files }: Deletion, locale: string): readonly string[] | undefined {
  if (file) return [t('trash.file'), sizeText(file.size / 1000, locale)];
  return files === null ? undefined : [t('trash.folder', { count: files })];
}

function authorText(t: Text, { deletedBy: { kind, name } }: Deletion): string {
  if (kind === 'administrator' && name !== null) return t('trash.by', { name });
  if (kind === 'token' && name !== null) return t('trash.by.token', { name });
  return t('trash.by.program');
}

interface OpenProps {
  readonly deletion: Deletion;
  readonly name: string;
  readonly onClose: () => void;
}

/** Shows what cannot come back before a document is restored. */
function Restoration({ deletion, name, onClose }: OpenProps): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const { id, type: uid, documentId } = deletion;
  const isOfLibrary = uid === FILE || uid === FOLDER;
  const whole = isOfLibrary ? 'trash.restore.library' : 'trash.restore.whole';
  const { data } = useQuery(deletionQuery(id));
  const restore = useMutation({
    mutationFn: () => restoreDeletion(deletion),
    onSuccess: (locales) => {
      const locale = locales[0] ?? undefined;
      const run = () =>
        isOfLibrary
          ? void navigate({ to: '/media' })
          : void navigate({ to: '/content/$uid/$documentId', params: { uid, documentId }, search: { locale } });
      show({ text: t('trash.restored', { name }), more: { label: t('trash.open'), run } });
      onClose();
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
    onSettled: () => changed(client, uid),
  });
  const losses = data?.losses ?? [];
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('trash.restore.title', { name })}
      text={data && t(losses.length === 0 ? whole : 'trash.restore.losses')}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="primary" busy={restore.isPending || !data} onClick={() => restore.mutate()}>
            {t('trash.restore')}
          </Button>
        </>
      }
    >
      {losses.length > 0 && (
        <ul className={styles['losses']}>
          {losses.map((loss) => (
            <li key={JSON.stringify(loss)}>
              <Loss uid={uid} loss={loss} />
            </li>
          ))}
          {data && data.more > 0 && <li>{t('trash.restore.more', { count: data.more })}</li>}
        </ul>
      )}
    </Dialog>
  );
}

function Loss({ uid, loss }: { readonly uid: string; readonly loss: TrashLoss }): ReactNode {
  const { reason, source, target } = loss;
  const t = useText();
  const titleOf = useTypeTitles();
  const { data: schema } = useQuery(schemaQuery);
  if (target?.type === FOLDER) return t('trash.loss.place');
  const type = source?.type;
  const model = schema?.contentTypes.find((one) => one.uid === (type ?? uid));
  const path = schema && model ? fieldName(schema, model, loss.path.split('.')) : loss.path;
  if (type === undefined || reason === 'takenLink') return t(`trash.loss.${reason}`, { path });
  return t('trash.loss.source', { path, type: titleOf({ uid: type, displayName: type }) });
}

function ForGood({ deletion: { id, type }, name, onClose }: OpenProps): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const remove = useMutation({
    mutationFn: () => request('DELETE trash/:id', { params: { id: String(id) } }),
    onSuccess: () => {
      show({ text: t('trash.deleted', { name }) });
      onClose();
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
    onSettled: () => changed(client, type),
  });
  return (
    <Confirmation
      title={t('trash.delete.title', { name })}
      text={t(type === FILE ? 'trash.delete.file' : type === FOLDER ? 'trash.delete.folder' : 'trash.delete.text')}
      button={t('trash.delete')}
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    />
  );
}

/** Empties the trash, or deletes the documents of a type in it. */
function Empty({ type }: { readonly type: string | undefined }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const [isAsking, setAsking] = useState(false);
  const empty = useMutation({
    mutationFn: async () => {
      const body = type === undefined ? {} : { type };
      while ((await request('POST trash/empty', { body })).data.more);
    },
    onSuccess: () => {
      show({ text: t('trash.emptied') });
      setAsking(false);
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
    onSettled: () => client.invalidateQueries({ queryKey: TRASH }),
  });
  return (
    <>
      <Button icon={Trash} onClick={() => setAsking(true)}>
        {t('trash.emptyAll')}
      </Button>
      {isAsking && (
        <Confirmation
          title={t('trash.emptyAll.title')}
          text={t('trash.emptyAll.text')}
          button={t('trash.emptyAll')}
          busy={empty.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => empty.mutate()}
        />
      )}
    </>
  );
}

/** The trash and the lists of a type have changed. */
async function changed(client: QueryClient, type: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: TRASH }),
    client.invalidateQueries({ queryKey: ['list', type] }),
    client.invalidateQueries({ queryKey: ['document', type] }),
    type === FILE || type === FOLDER ? libraryChanged(client) : undefined,
  ]);
}
