/** The calendar: what is published and unpublished when, what has failed, as a month or as a list. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useMemo, useRef } from 'react';
import type { ScheduledItem } from '../../../contract/schedule.ts';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { betweenQuery, comingQuery, failedQuery } from '../../data/schedule.ts';
import { fromLocal, toLocal } from '../../form/values/moments.ts';
import { documentName } from '../../language/document-name.ts';
import { useLocale, useText } from '../../language/language.tsx';
import { EmptyState } from '../../ui/bits.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Calendar, ChevronLeft, ChevronRight } from '../../ui/icons.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { dayText, placeOf, timeText } from '../schedule/when-text.ts';
import styles from './calendar.module.css';
import { ItemList, ItemMark } from './item-list.tsx';
import { addDays, addMonths, firstWeekday, monthOf, placeInWeek, weeksOf } from './month.ts';

/** Items that a day of the month names. */
const NAMED = 3;

const dayAt = (at: string): string => toLocal(at).slice(0, 10);
const today = (): string => dayAt(new Date().toISOString());

export function CalendarPage(): ReactNode {
  const t = useText();
  useTitle(t('place.calendar'));
  const { view = 'month', day } = useSearch({ from: '/inside/calendar' });
  const navigate = useNavigate();
  return (
    <>
      <PageHead title={t('place.calendar')} />
      <div className={styles['page']}>
        <Failed />
        <Tabs
          label={t('calendar.views')}
          value={view}
          onValue={(next) =>
            void navigate({ to: '/calendar', search: { view: next === 'list' ? next : undefined, day }, replace: true })
          }
          tabs={[
            { value: 'month', label: t('calendar.month') },
            { value: 'list', label: t('calendar.list') },
          ]}
        >
          {view === 'month' ? <Month /> : <Coming />}
        </Tabs>
      </div>
    </>
  );
}

/** What has failed, above everything else. */
function Failed(): ReactNode {
  const t = useText();
  const { data } = useQuery(failedQuery);
  if (!data?.data.length) return null;
  return (
    <section className={styles['section']} aria-labelledby="calendar-failed">
      <h2 id="calendar-failed" className={styles['heading']}>
        {t('calendar.failed')}
      </h2>
      <ItemList items={data.data} label={t('calendar.failed')} tellsDay />
    </section>
  );
}

function Month(): ReactNode {
  const t = useText();
  const locale = useLocale();
  const navigate = useNavigate();
  const { day = today() } = useSearch({ from: '/inside/calendar' });
  const first = firstWeekday(locale);
  const month = monthOf(day);
  const weeks = useMemo(() => weeksOf(month, first), [month, first]);
  const [from, to] = [weeks[0]![0]!, addDays(weeks.at(-1)![6]!, 1)];
  const { data } = useQuery(betweenQuery(fromLocal(`${from}T00:00`), fromLocal(`${to}T00:00`)));
  const shown = useMemo(() => (data?.data ?? []).filter(({ state }) => state !== 'cancelled'), [data]);
  const byDay = useMemo(() => Map.groupBy(shown, ({ at }) => dayAt(at)), [shown]);
  const go = (next: string): void =>
    void navigate({ to: '/calendar', search: { view: undefined, day: next }, replace: true });
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
  const title = format({ month: 'long', year: 'numeric' }).format(Date.parse(`${month}-15`));
  const chosen = byDay.get(day) ?? [];
  const dayName = format({ dateStyle: 'full' }).format(Date.parse(day));
  return (
    <>
      <div className={styles['head']}>
        <h2 className={styles['title']} aria-live="polite">
          {title}
        </h2>
        <span className={styles['zone']}>{t('calendar.zone', { place: placeOf() })}</span>
        <Button look="quiet" onClick={() => go(today())}>
          {t('calendar.today')}
        </Button>
        <IconButton icon={ChevronLeft} label={t('calendar.previous')} onClick={() => go(addMonths(day, -1))} />
        <IconButton icon={ChevronRight} label={t('calendar.next')} onClick={() => go(addMonths(day, 1))} />
      </div>
      <Grid
        {...{ weeks, month, day, byDay, first, title }}
        onDay={go}
        weekdays={weeks[0]!.map((one) => [
          format({ weekday: 'short' }).format(Date.parse(one)),
          format({ weekday: 'long' }).format(Date.parse(one)),
        ])}
        dayName={(one) => format({ weekday: 'long', day: 'numeric', month: 'long' }).format(Date.parse(one))}
      />
      {data?.meta.next && <p className={styles['zone']}>{t('calendar.more')}</p>}
      <section className={styles['section']} aria-labelledby="calendar-day">
        <h3 id="calendar-day" className={styles['heading']}>
          {dayName}
        </h3>
        {chosen.length === 0 ? (
          <p className={styles['zone']}>{t('calendar.day.empty')}</p>
        ) : (
          <ItemList items={chosen} label={dayName} />
        )}
      </section>
    </>
  );
}

interface GridProps {
  readonly weeks: readonly (readonly string[])[];
  readonly month: string;
  readonly title: string;
  /** The chosen day. */
  readonly day: string;
  readonly byDay: ReadonlyMap<string, readonly ScheduledItem[]>;
  readonly first: number;
  readonly weekdays: readonly (readonly string[])[];
  readonly dayName: (day: string) => string;
  readonly onDay: (day: string) => void;
}

/** The days of a month. Arrow keys, Home, End, Page Up and Page Down move between days. */
function Grid({ weeks, month, title, day, byDay, first, weekdays, dayName, onDay }: GridProps): ReactNode {
  const t = useText();
  const locale = useLocale();
  const id = useId();
  const grid = useRef<HTMLTableElement>(null);
  const follows = useRef(false);
  useEffect(() => {
    if (follows.current) grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
    follows.current = false;
  }, [day]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const sideways = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1;
    const next = {
      ArrowRight: addDays(day, sideways),
      ArrowLeft: addDays(day, -sideways),
      ArrowDown: addDays(day, 7),
      ArrowUp: addDays(day, -7),
      Home: addDays(day, -placeInWeek(day, first)),
      End: addDays(day, 6 - placeInWeek(day, first)),
      PageDown: addMonths(day, event.shiftKey ? 12 : 1),
      PageUp: addMonths(day, event.shiftKey ? -12 : -1),
    }[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    follows.current = true;
    onDay(next);
  };
  return (
    <table ref={grid} className={styles['grid']} aria-label={title}>
      <thead>
        <tr>
          {weekdays.map(([short, long]) => (
            <th key={long} scope="col" abbr={long}>
              {short}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((one) => {
              const items = byDay.get(one) ?? [];
              const label =
                items.length === 0 ? dayName(one) : t('calendar.day', { day: dayName(one), count: items.length });
              return (
                <td
                  key={one}
                  className={classes(monthOf(one) !== month && styles['other'], one === day && styles['chosen'])}
                >
                  <button
                    type="button"
                    data-day={one}
                    tabIndex={one === day ? 0 : -1}
                    aria-label={label}
                    aria-pressed={one === day}
                    aria-describedby={items.length > 0 ? `${id}-${one}` : undefined}
                    aria-current={one === today() ? 'date' : undefined}
                    className={styles['day']}
                    onClick={() => onDay(one)}
                    onKeyDown={onKeyDown}
                  >
                    {Number(one.slice(8))}
                  </button>
                  <span id={`${id}-${one}`} className={styles['entries']}>
                    {items.slice(0, NAMED).map((item) => (
                      <span key={item.id} className={styles['entry']}>
                        <ItemMark item={item} />
                        <span className={styles['entryTime']}>{timeText(item.at, locale)}</span>{' '}
                        <span dir="auto" className={styles['entryName']}>
                          {item.state === 'gone' ? item.documentId : documentName(t, item)}
                        </span>
                      </span>
                    ))}
                    {items.length > NAMED && (
                      <span className={styles['rest']}>{t('calendar.day.more', { count: items.length - NAMED })}</span>
                    )}
                  </span>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is coming, by day. */
function Coming(): ReactNode {
  const t = useText();
  const locale = useLocale();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(comingQuery);
  const items = data?.pages.flatMap((page) => page.data) ?? [];
  if (data !== undefined && items.length === 0 && !hasNextPage) {
    return <EmptyState icon={Calendar} title={t('calendar.empty')} text={t('calendar.empty.text')} />;
  }
  const days = [...Map.groupBy(items, ({ at }) => dayAt(at))];
  return (
    <>
      {days.map(([day, ofDay]) => (
        <section key={day} className={styles['section']} aria-labelledby={`coming-${day}`}>
          <h2 id={`coming-${day}`} className={styles['heading']}>
            {dayText(ofDay[0]!.at, locale)}
          </h2>
          <ItemList items={ofDay} label={dayText(ofDay[0]!.at, locale)} />
        </section>
      ))}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('calendar.load')}
        </Button>
      )}
    </>
  );
}
