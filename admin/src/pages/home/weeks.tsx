/** The number of changed and published documents for each day: two bars, one behind the other. */
import type { ReactNode } from 'react';
import type { Home } from '../../../contract/lists.ts';
import { useLocale, useText } from '../../language/language.tsx';
import styles from './home.module.css';

/** The units of the drawing: a day takes STEP, its bar WIDTH. */
const STEP = 10;
const WIDTH = 6;
const HEIGHT = 72;
const DAY = 86_400_000;

export function Weeks({ weeks }: { readonly weeks: Home['weeks'] }): ReactNode {
  const t = useText();
  const locale = useLocale();
  const { from, changed, published, complete } = weeks;
  const most = Math.max(...changed, ...published);
  if (most <= 0) return null;
  const start = new Date(`${from}T00:00Z`).getTime();
  const dayOf = (index: number): string =>
    new Date(start + index * DAY).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  // Small numbers get a visible bar beside large ones.
  const heightOf = (count: number): number => (count === 0 ? 0 : Math.max(2, Math.sqrt(count / most) * HEIGHT));
  const bar = (index: number, count: number, className: string | undefined): ReactNode => {
    const height = heightOf(count);
    const x = index * STEP + (STEP - WIDTH) / 2;
    return <rect x={x} y={HEIGHT - height} width={WIDTH} height={height} rx={1.5} className={className} />;
  };
  const sum = (days: readonly number[]): number => days.reduce((a, b) => a + b, 0);
  return (
    <section className={styles['section']} aria-labelledby="home-weeks">
      <h2 id="home-weeks" className={styles['heading']}>
        {t('home.weeks')}
      </h2>
      <svg
        role="img"
        aria-label={t('home.weeks.text', { changed: sum(changed), published: sum(published) })}
        className={styles['weeks']}
        viewBox={`0 0 ${changed.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {changed.map((count, index) => (
          <g key={dayOf(index)}>
            <title>
              {t('home.weeks.day', { day: dayOf(index), changed: count, published: published[index] ?? 0 })}
            </title>
            <rect x={index * STEP} width={STEP} height={HEIGHT} className={styles['day']} />
            {bar(index, count, styles['changedBar'])}
            {bar(index, published[index] ?? 0, styles['publishedBar'])}
          </g>
        ))}
      </svg>
      <p className={styles['legend']}>
        <span className={styles['changedKey']}>{t('home.weeks.changed')}</span>
        <span className={styles['publishedKey']}>{t('home.weeks.published')}</span>
        <span className={styles['legendDates']}>{`${dayOf(0)} – ${dayOf(changed.length - 1)}`}</span>
      </p>
      {!complete && <p className={styles['partly']}>{t('home.weeks.partly')}</p>}
    </section>
  );
}
