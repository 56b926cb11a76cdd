/** The sessions of the administrator, and ending them. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SignedIn } from '../../../contract/contract.ts';
import { request } from '../../data/client.ts';
import { Around, useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Laptop, Smartphone } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import styles from './account.module.css';
import { Section } from './section.tsx';

/** The systems of phones and tablets, as the server names them. */
const PHONES = /\b(?:Android|iOS|iPadOS|Harmony)\b/;

/** Whether a device, as the server names it, is a phone or a tablet. */
export const isPhone = (device: string | null): boolean => PHONES.test(device ?? '');

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
      <ul className={styles['sessions']}>
        {data === undefined && (
          <li className={styles['session']}>
            <Skeleton width="50%" />
          </li>
        )}
        {data?.map((session) => {
          const device = deviceText(t, session.device);
          const Icon = isPhone(session.device) ? Smartphone : Laptop;
          return (
            <li key={session.id} className={styles['session']}>
              <Icon size={18} />
              <div>
                <p>{device}</p>
                <p className={styles['quiet']}>
                  {session.current ? (
                    t('account.sessions.this')
                  ) : (
                    <Around text={t('account.sessions.used', { when: '\0' })} at={session.lastUsedAt} />
                  )}
                </p>
              </div>
              {!session.current && (
                <Button
                  look="quiet"
                  aria-label={t('account.sessions.endOf', { device })}
                  onClick={() => end.mutate([session])}
                >
                  {t('account.sessions.end')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {others.length > 1 && (
        <div className={styles['others']}>
          <Button onClick={() => end.mutate(others)}>{t('account.sessions.endOthers')}</Button>
        </div>
      )}
    </Section>
  );
}

/** The server returns `Firefox on Linux`, as far as it knows. */
export function deviceText(t: Text, device: string | null): string {
  const [, browser, system] = /^(.+) on (.+)$/.exec(device ?? '') ?? [];
  if (browser !== undefined && system !== undefined) return t('account.sessions.device', { browser, system });
  return device ?? t('account.sessions.unknown');
}
