/** Offers to add the unpublished documents to which the documents of a release link. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AnswerOf, request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { Plus } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { refreshReleases } from './data.ts';
import styles from './releases.module.css';

interface Props {
  readonly id: string;
  readonly missing: AnswerOf<'GET releases/:id/missing'>;
}

export function MissingDrafts({ id, missing: { data, meta } }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
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
      <p>{t('releases.missing', { count: meta.count })}</p>
      <Button icon={Plus} busy={add.isPending} onClick={() => add.mutate()}>
        {t('releases.missing.add')}
      </Button>
    </div>
  );
}
