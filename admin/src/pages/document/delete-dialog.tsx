/** The dialog for deleting a document, with the documents that link to it. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import styles from './document.module.css';
import { SINGLE } from './document-query.ts';
import { UsesList } from './uses-list.tsx';

interface Props {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly schema: Schema;
  readonly model: ContentType;
  readonly server: DocumentAnswer;
  readonly label: string;
  readonly onDelete: (whole: boolean) => Promise<void>;
}

export function DeleteDialog({ open, onOpenChange, schema, model, server, label, onDelete }: Props): ReactNode {
  const t = useText();
  const { uid, kind } = model;
  const documentId = kind === 'singleType' ? SINGLE : (server.documentId ?? '');
  const { data } = useQuery({
    queryKey: ['uses', uid, documentId],
    queryFn: ({ signal }) => request('GET content/:uid/:documentId/uses', { params: { uid, documentId }, signal }),
    staleTime: 0,
  });
  const [busy, setBusy] = useState<'version' | 'whole'>();
  const run = async (extent: 'version' | 'whole'): Promise<void> => {
    setBusy(extent);
    await onDelete(extent === 'whole').finally(() => setBusy(undefined));
  };
  const locales = Object.keys(server.states);
  const hasSeveral = model.localized && locales.length > 1;
  const mayAll = server.may.deleteAll;
  const locale = schema.locales.find(({ code }) => code === server.locale)?.name ?? server.locale ?? '';
  const count = data?.data.length ?? 0;
  const isOnSite = Object.values(server.states).some((state) => state !== 'draft');
  const severalText = isOnSite ? 'document.delete.severalOnSite' : 'document.delete.several';
  // If only this version is deleted, its own state counts.
  const isOwnOnSite = mayAll ? isOnSite : (server.states[server.locale ?? ''] ?? 'draft') !== 'draft';
  const oneText = isOwnOnSite ? 'document.delete.oneOnSite' : 'document.delete.one';
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('document.delete.title', { name: label })}
      wide={hasSeveral}
      text={t(hasSeveral && mayAll ? severalText : oneText)}
      actions={
        <>
          {busy !== undefined && (
            <span className={styles['going']} role="status">
              {t('document.deleting', { name: label })}
            </span>
          )}
          <CancelButton onClick={() => onOpenChange(false)} />
          {(hasSeveral || !mayAll) && (
            <Button look={mayAll ? 'plain' : 'danger'} busy={busy === 'version'} onClick={() => void run('version')}>
              {t(mayAll ? 'document.delete.version' : 'document.delete.ownVersion', { locale })}
            </Button>
          )}
          {mayAll && (
            <Button look="danger" busy={busy === 'whole'} onClick={() => void run('whole')}>
              {t(hasSeveral ? 'document.delete.versions' : 'document.delete.whole')}
            </Button>
          )}
        </>
      }
    >
      {data === undefined ? (
        <Skeleton width="60%" />
      ) : count === 0 ? (
        <p className={styles['quiet']}>{t(data.meta.more ? 'document.delete.unknown' : 'document.delete.unused')}</p>
      ) : (
        <>
          <p>{t(data.meta.more ? 'document.delete.usedMore' : 'document.delete.used', { count })}</p>
          <UsesList schema={schema} uses={data.data} />
        </>
      )}
    </Dialog>
  );
}
