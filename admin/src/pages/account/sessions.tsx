/** The sessions of the administrator, and ending them. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SignedIn } from '../../../contract/sessions.ts';
import { SessionList } from '../../app/session-list.tsx';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from './section.tsx';

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await request('GET sessions', { signal })).data,
});

export function Sessions(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { data } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (ended: readonly SignedIn[]) =>
      ended.length === 1 && ended[0]
        ? request('DELETE sessions/:id', { params: { id: ended[0].id } })
        : request('DELETE sessions'),
    onMutate: async (ended) => {
      await client.cancelQueries(sessionsQuery);
      const before = client.getQueryData(sessionsQuery.queryKey);
      client.setQueryData(sessionsQuery.queryKey, (all) => all?.filter((session) => !ended.includes(session)));
      return { before };
    },
    onSuccess: (_nothing, ended) => show({ text: t('account.sessions.ended', { count: ended.length }) }),
    onError: (error, ended, context) => {
      client.setQueryData(sessionsQuery.queryKey, context?.before);
      show({ text: failureText(t, error), tone: 'danger', retry: () => end.mutate(ended) });
    },
    onSettled: () => client.invalidateQueries(sessionsQuery),
  });
  const others = data?.filter(({ current }) => !current) ?? [];
  return (
    <Section title={t('account.sessions')}>
      {data ? <SessionList sessions={data} onEnd={(session) => end.mutate([session])} /> : <Skeleton width="50%" />}
      {others.length > 1 && (
        <div className={shared['others']}>
          <Button onClick={() => end.mutate(others)}>{t('account.sessions.endOthers')}</Button>
        </div>
      )}
    </Section>
  );
}
