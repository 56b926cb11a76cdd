/** The dialog for deleting files and folders. It lists the documents that use them. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { request } from '../data/client.ts';
import { useLanguage, useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { Skeleton } from '../ui/bits.tsx';
import { Button } from '../ui/button.tsx';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { useToasts } from '../ui/toast.tsx';
import { chosenText } from './chosen-text.ts';
import { type Chosen, inRequests, libraryChanged, useFolders, usesQuery } from './data.ts';
import styles from './delete-dialog.module.css';
import { UseList } from './uses.tsx';

interface Props {
  readonly chosen: Chosen;
  /** The name, if there is only one. */
  readonly name?: string | undefined;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** The number of documents that are listed; others are counted. */
const NAMED = 6;

export function DeleteDialog({ chosen, name, onClose, onDeleted }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const [deleted, setDeleted] = useState<number>();
  const { data, isFetching, error } = useQuery(usesQuery(chosen));
  const chosenName = chosenText(t, chosen);
  const tree = useFolders();
  const names = new Intl.ListFormat(useLanguage(), { type: 'conjunction' });
  // A document is listed once for each of its locales that uses a file.
  const shown = new Set(data?.data.map(({ uid, documentId }) => `${uid} ${documentId}`));
  const documents = shown.size + (data?.meta.hidden ?? 0);
  const versions = documents + (data?.data.length ?? 0) - shown.size;
  const files = (data?.meta.files ?? 0) - chosen.files.length;
  const folders = tree.below(chosen.folders).filter((id) => !chosen.folders.includes(id)).length;
  const inside = [
    ...(files > 0 ? [t('media.files', { count: files })] : []),
    ...(folders > 0 ? [t('media.folders', { count: folders })] : []),
  ];
  // without an answer, nothing promises that the files come back
  const days = data?.meta.days ?? 0;
  const isClosed = data?.meta.deletable === false;
  const isBusy = deleted !== undefined;
  const run = async (): Promise<void> => {
    setDeleted(0);
    let removedFiles = 0;
    try {
      for (const part of inRequests(chosen)) {
        for (let remaining = 1; remaining > 0; ) {
          const { data: removed } = await request('POST files/delete', {
            body: { files: [...part.files], folders: [...part.folders] },
          });
          removedFiles += removed.files;
          remaining = removed.files > 0 ? removed.left : 0;
          setDeleted(removedFiles);
        }
      }
      onDeleted();
      show({
        text: t('media.deleted', {
          what: chosen.folders.length > 0 ? chosenName : t('media.files', { count: removedFiles }),
        }),
      });
    } catch (failure) {
      setDeleted(undefined);
      show({ text: failureText(t, failure), tone: 'danger' });
    } finally {
      void libraryChanged(client);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !isBusy && onClose()}
      title={t(days > 0 ? 'media.delete.title.trash' : 'media.delete.title', { what: name ?? chosenName })}
      text={days > 0 && !isClosed ? t('media.delete.trash', { days }) : undefined}
      actions={
        <>
          {isBusy && (
            <span className={styles['going']} role="status">
              {deleted === 0 ? t('media.deleting') : t('media.deleted', { what: t('media.files', { count: deleted }) })}
            </span>
          )}
          <CancelButton onClick={onClose} disabled={isBusy} />
          {!isClosed && (
            <Button look="danger" busy={isBusy} disabled={isFetching && !isBusy} onClick={() => void run()}>
              {t(days > 0 ? 'media.delete' : 'media.delete.forGood')}
            </Button>
          )}
        </>
      }
    >
      {/* Keyed by the selection: the documents may have changed since an earlier check. */}
      {isFetching && !isBusy ? (
        <div role="status" aria-label={t('media.delete.looking')}>
          <Skeleton width="70%" />
        </div>
      ) : (
        data && (
          <div className={styles['breaks']}>
            {chosen.folders.length > 0 && inside.length > 0 && (
              <p>{t('media.delete.inside', { what: names.format(inside) })}</p>
            )}
            {isClosed ? (
              <p>{t('media.delete.closed')}</p>
            ) : documents === 0 ? (
              <p>{t(data.meta.texts ? 'media.delete.free' : 'media.uses.unlinked')}</p>
            ) : (
              <div role="alert" className={styles['warning']}>
                <p>
                  {versions > documents
                    ? t('media.delete.breaksVersions', { count: documents, versions })
                    : t('media.delete.breaks', { count: documents })}
                </p>
                <UseList uses={data.data} most={NAMED} />
                {data.meta.hidden > 0 && <p>{t('media.delete.hidden', { count: data.meta.hidden })}</p>}
                {(data.meta.more || data.data.length > NAMED) && <p>{t('media.delete.more')}</p>}
              </div>
            )}
            {!data.meta.texts && (
              <p role="alert" className={styles['warning']}>
                {t('media.delete.unsearched')}
              </p>
            )}
          </div>
        )
      )}
      {error !== null && <p>{failureText(t, error)}</p>}
    </Dialog>
  );
}
