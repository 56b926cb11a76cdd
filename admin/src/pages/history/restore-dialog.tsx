/** Asks whether a version or one of its fields is restored, and lists what cannot come back. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer, VersionWithValues } from '../../../contract/documents.ts';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { documentQuery } from '../document/document-query.ts';
import { staleLists } from '../document/use-draft.ts';
import styles from './history.module.css';
import { lossTexts } from './texts.ts';

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly server: DocumentAnswer;
  /** The id of the document in requests. */
  readonly documentId: string;
  readonly version: VersionWithValues;
  /** The field to restore; undefined for the whole version. */
  readonly field: { readonly name: string; readonly label: string } | undefined;
  readonly onClose: () => void;
}

export function RestoreDialog({ schema, model, server, documentId, version, field, onClose }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const { uid, draftAndPublish } = model;
  const { locale, tag } = server;
  const document = ['document', uid, documentId];
  const restore = useMutation({
    mutationFn: async () =>
      (
        await request('POST content/:uid/:documentId/versions/:id/restore', {
          params: { uid, documentId, id: version.id },
          body: field ? { attributes: [field.name] } : {},
          ...(tag === null ? {} : { ifMatch: tag }),
        })
      ).data,
    onSuccess: async (restored) => {
      client.setQueryData(documentQuery(uid, documentId, locale).queryKey, restored);
      staleLists(client, uid);
      void client.invalidateQueries({ queryKey: document });
      show({ text: field ? t('history.restored.field', { field: field.label }) : t('history.restored') });
      onClose();
      if (field) return;
      await navigate({
        to: '/content/$uid/$documentId',
        params: { uid, documentId },
        search: locale === null ? {} : { locale },
      });
    },
    onError: (error) => {
      void client.invalidateQueries({ queryKey: document });
      show({ text: failureText(t, error), tone: 'danger' });
    },
  });
  const losses = version.losses.filter(({ path }) => !field || path.split('.')[0] === field.name);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={field ? t('history.restore.titleOf', { field: field.label }) : t('history.restore.title')}
      text={t(draftAndPublish ? 'history.restore.text' : 'history.restore.textSite')}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
            {t('history.restore.confirm')}
          </Button>
        </>
      }
    >
      {losses.length > 0 && (
        <>
          <p className={styles['lossHead']}>{t('history.losses')}</p>
          <ul className={styles['losses']}>
            {lossTexts(t, schema, model, version.values, losses).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
