/** Offers to add the unpublished documents to which the documents of a release link. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import shared from '../../app/settings.module.css';
import { type AnswerOf, request } from '../../data/client.ts';
import { documentName } from '../../language/document-name.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { Plus } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { refreshReleases } from './data.ts';
import styles from './releases.module.css';

/** Drafts that are named. */
const NAMED = 5;

interface Props {
  readonly id: string;
  readonly missing: AnswerOf<'GET releases/:id/missing'>;
}

export function MissingDrafts({ id, missing: { data, meta } }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const named = data.slice(0, NAMED).map((one) => {
    return documentName(t, { documentId: one.documentId ?? '', label: one.document?.label ?? null });
  });
  const rest = meta.count > named.length ? [t('document.changes.more', { count: meta.count - named.length })] : [];
  const names = [...named, ...rest].join(', ');
  const add = useMutation({
    mutationFn: () => {
      const actions = data.flatMap(({ type, contentType, documentId, locale }) =>
        documentId === null ? [] : [{ type, contentType, documentId, locale }],
      );
      return request('POST releases/:id/actions', { params: { id }, body: { actions } });
    },
    onSuccess: async ({ data: { added } }) => {
      show({ text: t('releases.added', { count: added }) });
      await refreshReleases(client);
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => add.mutate() }),
  });
  return (
    <div className={styles['missing']}>
      <p>
        {t('releases.missing', { count: meta.count })} <span className={shared['quiet']}>{names}</span>
      </p>
      <Button icon={Plus} busy={add.isPending} onClick={() => add.mutate()}>
        {t('releases.missing.add')}
      </Button>
    </div>
  );
}
