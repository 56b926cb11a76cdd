/** The first page: from here to everything. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePlaces } from '../app/places.ts';
import { useTitle } from '../app/title.ts';
import { PageHead } from '../app/top-bar.tsx';
import { schemaQuery } from '../data/schema.ts';
import { useSession } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import { EmptyState, Skeleton } from '../ui/bits.tsx';
import { FileText } from '../ui/icons.ts';
import styles from './home.module.css';

/** Rows that hold the place of what is on its way. */
const EXPECTED = 4;

export function Home(): ReactNode {
  const t = useText();
  const { firstname } = useSession().user;
  const { isPending } = useQuery(schemaQuery);
  const places = usePlaces().filter(({ group }) => group === 'content' || group === 'pages');
  useTitle(t('place.home'));
  return (
    <>
      <PageHead title={firstname ? t('home.title', { name: firstname }) : t('home.titleNobody')} />
      {isPending || places.length > 0 ? (
        <section className={styles['section']} aria-labelledby="home-content">
          <h2 id="home-content" className={styles['heading']}>
            {t('home.content')}
          </h2>
          <ul className={styles['places']}>
            {isPending &&
              Array.from({ length: EXPECTED }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
                <li key={index} className={styles['place']}>
                  <Skeleton width="40%" />
                </li>
              ))}
            {places.map(({ id, label, link }) => (
              <li key={id}>
                <Link {...link} className={styles['place']}>
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ) : (
        <EmptyState icon={FileText} title={t('home.empty.title')} text={t('home.empty.text')} />
      )}
    </>
  );
}
