/** A plot of values over time, with the same values as a table. */
import { type PointerEvent, type ReactNode, useId, useState } from 'react';
import { useLocale, useText } from '../../language/language.tsx';
import { classes } from '../../ui/classes.ts';
import type { Format, Range } from './data.ts';
import styles from './health.module.css';

export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Whether a line connects values beside missing ones. */
  readonly isContinuous?: boolean;
  /** `first` stands out, `second` differs by colour, `third` also by dashes. */
  readonly look?: 'first' | 'second' | 'third';
}

interface Props {
  readonly title: string;
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly format: Format;
  readonly range: Range;
}

/** The units of the drawing. */
const [WIDTH, HEIGHT] = [600, 100];

export function Plot({ title, times, series, format, range }: Props): ReactNode {
  const t = useText();
  const locale = useLocale();
  const id = useId();
  const [pointed, setPointed] = useState<number>();
  const top = topOf(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const timeText = timeFormat(range, locale);
  const last = times.length - 1;
  const xOf = (index: number): number => (last === 0 ? 0 : (index / last) * WIDTH);
  const yOf = (value: number): number => HEIGHT - (value / top) * HEIGHT;
  const shown = pointed === undefined || pointed > last ? last : pointed;
  const point = ({ currentTarget, clientX }: PointerEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setPointed(Math.min(last, Math.max(0, Math.round(((clientX - left) / width) * last))));
  };
  const summary = series
    .map(({ label, values }) => {
      const known = values.filter((value) => value !== null);
      const highest = known.length === 0 ? null : Math.max(...known);
      return t('health.plot.summary', { label, last: format(values.at(-1) ?? null), highest: format(highest) });
    })
    .join('; ');
  return (
    <section className={styles['plot']} aria-labelledby={id}>
      <h2 id={id} className={styles['plotTitle']}>
        {title}
      </h2>
      <p className={styles['quiet']}>
        {pointed === undefined ? t('health.plot.now') : t('health.plot.at', { time: timeText(times[shown]!) })}
      </p>
      <dl className={styles['values']}>
        {series.map(({ label, values, look = 'first' }) => (
          <div key={label}>
            <dt className={classes(styles['key'], styles[look])}>{label}</dt>
            <dd>{format(values[shown] ?? null)}</dd>
          </div>
        ))}
      </dl>
      <div className={styles['drawing']} dir="ltr">
        <span className={styles['top']}>{format(top)}</span>
        <svg
          role="img"
          aria-label={`${title}. ${summary}`}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          onPointerMove={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          {series.map(({ label, values, isContinuous = false, look = 'first' }) => (
            <path key={label} className={styles[look]} d={pathOf(values, isContinuous, xOf, yOf)} />
          ))}
          {pointed !== undefined && <path className={styles['pointer']} d={`M${xOf(shown)} 0V${HEIGHT}`} />}
        </svg>
        <span className={styles['times']}>
          <span>{timeText(times[0]!)}</span>
          <span>{pointed === undefined ? t('health.now') : timeText(times[shown]!)}</span>
        </span>
      </div>
      <details className={styles['table']}>
        <summary aria-label={t('health.plot.tableOf', { title })}>{t('health.plot.table')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls, also with the keyboard */}
        <section aria-label={t('health.plot.valuesOf', { title })} tabIndex={0}>
          <Values times={times} series={series} format={format} timeText={timeText} />
        </section>
      </details>
    </section>
  );
}

/** The values as a table, newest first. */
function Values({
  times,
  series,
  format,
  timeText,
}: Pick<Props, 'times' | 'series' | 'format'> & { readonly timeText: (at: string) => string }): ReactNode {
  const t = useText();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('health.plot.time')}</th>
          {series.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times
          .map((at, index) => (
            <tr key={at}>
              <th scope="row">{timeText(at)}</th>
              {series.map(({ label, values }) => (
                <td key={label}>{format(values[index] ?? null)}</td>
              ))}
            </tr>
          ))
          .toReversed()}
      </tbody>
    </table>
  );
}

/** A round number that is not less than a value. */
function topOf(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((round) => round >= value * 0.999)!;
}

/** A line through values. A value alone becomes a dot, because the ends of lines are round. */
function pathOf(
  values: readonly (number | null)[],
  isContinuous: boolean,
  xOf: (index: number) => number,
  yOf: (value: number) => number,
): string {
  let path = '';
  let isDown = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isDown &&= isContinuous;
      continue;
    }
    const place = `${xOf(index).toFixed(1)} ${yOf(value).toFixed(1)}`;
    path += isDown ? `L${place}` : `M${place}h0`;
    isDown = true;
  }
  return path;
}

function timeFormat(range: Range, locale: string): (at: string) => string {
  const style =
    range === 'hour' || range === 'day'
      ? ({ hour: '2-digit', minute: '2-digit' } as const)
      : ({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const);
  const format = new Intl.DateTimeFormat(locale, style);
  return (at) => format.format(new Date(at));
}
