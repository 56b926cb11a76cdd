/** Scheduled publications that have failed, on the first page. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { mayPublish } from '../../app/places.ts';
import { failedQuery } from '../../data/schedule.ts';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { ItemList } from '../calendar/item-list.tsx';
import styles from './home.module.css';

export function ScheduledFailures(): ReactNode {
  const t = useText();
  const session = useSession();
  const { data } = useQuery({
    ...failedQuery,
    enabled: mayPublish(session) || permits(session.rights, 'plugin::content-releases.read'),
  });
  if (!data?.data.length) return null;
  return (
    <section className={styles['section']} aria-labelledby="home-failed">
      <h2 id="home-failed" className={styles['heading']}>
        {t('calendar.failed')}
      </h2>
      <ItemList items={data.data} label={t('calendar.failed')} tellsDay />
    </section>
  );
}
