/** The health of the server: what needs attention, measurements over time, slow requests, indexes and the log. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Health, HealthPoint } from '../../../contract/health.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { isSuper, useSession } from '../../data/session.ts';
import { Around, Moment, useLocale, useText } from '../../language/language.tsx';
import type { PlainKey, Text } from '../../language/messages.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { classes } from '../../ui/classes.ts';
import { CircleCheck, TriangleAlert } from '../../ui/icons.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { countFormat, durationFormat, healthQuery, RANGES, type Range, sizeFormat } from './data.ts';
import { ExaminationSection } from './examination.tsx';
import styles from './health.module.css';
import { Part } from './health-part.tsx';
import { Plot } from './plot.tsx';

export function HealthPage(): ReactNode {
  const t = useText();
  const may = isSuper(useSession());
  useTitle(may ? t('health.title') : undefined);
  const [range, setRange] = useState<Range>('hour');
  const { data, isPlaceholderData } = useQuery({ ...healthQuery(range), enabled: may });
  if (!may) return <Missing />;
  return (
    <>
      <PageHead title={t('health.title')} />
      <div className={styles['page']}>
        {data === undefined ? <Skeleton width="40%" /> : <Attention health={data} />}
        <Tabs
          label={t('health.range')}
          tabs={RANGES.map((value) => ({ value, label: t(`health.range.${value}`) }))}
          value={range}
          onValue={setRange}
        >
          <div className={classes(styles['measures'], isPlaceholderData && styles['former'])}>
            {data !== undefined && (
              <>
                <Totals health={data} />
                <Plots health={data} />
                <SlowRequests health={data} />
              </>
            )}
          </div>
        </Tabs>
        {data !== undefined && (
          <>
            <Indexes indexes={data.indexes} />
            <LogLines logs={data.logs} />
            <ExaminationSection />
            <Server health={data} />
          </>
        )}
      </div>
    </>
  );
}

function Attention({ health: { webhooks, jobs, total, backup } }: { readonly health: Health }): ReactNode {
  const t = useText();
  const hasBackups = backup === null || (!backup.failed && backup.late === null);
  if (webhooks.length === 0 && jobs.length === 0 && total.failed === 0 && hasBackups) {
    return (
      <p className={styles['fine']}>
        <CircleCheck size={16} />
        {t('health.fine')}
      </p>
    );
  }
  return (
    <ul className={styles['attention']} aria-label={t('health.attention')}>
      {total.failed > 0 && (
        <li>
          <TriangleAlert size={16} />
          <Link to="/health" hash={LOG}>
            {t('health.attention.failed', { count: total.failed })}
          </Link>
        </li>
      )}
      {!hasBackups && (
        <li>
          <TriangleAlert size={16} />
          <span>
            {t(backup.failed ? 'health.attention.backupFailed' : 'health.attention.backupLate')}{' '}
            {backup.done === null ? (
              t('health.attention.noBackup')
            ) : (
              <Around text={t('health.attention.lastBackup', { when: '\0' })} at={backup.done} />
            )}
          </span>
        </li>
      )}
      {webhooks.map(({ id, name, waiting, failed }) => (
        <li key={id}>
          <TriangleAlert size={16} />
          <span>
            <Link to="/webhooks/$webhookId" params={{ webhookId: String(id) }}>
              {t('health.attention.webhook', { name })}
            </Link>{' '}
            {t('health.attention.deliveries', { failed, waiting })}
          </span>
        </li>
      ))}
      {jobs.map(({ name, origin, late, failed }) => (
        <li key={`${origin} ${name}`}>
          <TriangleAlert size={16} />
          <span>
            <Link to="/jobs">{t(failed ? 'health.attention.jobFailed' : 'health.attention.job', { name })}</Link>{' '}
            {late !== null && <Around text={t('health.attention.late', { when: '\0' })} at={late} />}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Totals({ health: { total, queues } }: { readonly health: Health }): ReactNode {
  const t = useText();
  const locale = useLocale();
  const [count, duration] = [countFormat(locale), durationFormat(locale)];
  const facts = [
    [t('health.requests'), count(total.requests)],
    [t('health.p50'), duration(total.p50)],
    [t('health.p95'), duration(total.p95)],
    [t('health.p99'), duration(total.p99)],
    [t('health.failed'), count(total.failed)],
    [t('health.refused'), count(total.refused)],
    ...queues.map(({ name, waiting }) => [t(`health.queue.${name}`), count(waiting)] as const),
  ] as const;
  return (
    <dl className={styles['totals']}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Plots({ health: { points, range } }: { readonly health: Health }): ReactNode {
  const t = useText();
  const locale = useLocale();
  const times = points.map(({ at }) => at);
  const valuesOf = (key: Exclude<keyof HealthPoint, 'at'>) => points.map((point) => point[key]);
  const [count, duration, size] = [countFormat(locale), durationFormat(locale), sizeFormat(locale)];
  const common = { times, range };
  return (
    <div className={styles['plots']}>
      <Plot
        {...common}
        title={t('health.perSecond')}
        format={count}
        series={[{ label: t('health.requests'), values: valuesOf('perSecond') }]}
      />
      <Plot
        {...common}
        title={t('health.latency')}
        format={duration}
        series={[
          { label: t('health.p50'), values: valuesOf('p50') },
          { label: t('health.p95'), values: valuesOf('p95'), look: 'second' },
          { label: t('health.p99'), values: valuesOf('p99'), look: 'third' },
        ]}
      />
      <Plot
        {...common}
        title={t('health.errors')}
        format={count}
        series={[
          { label: t('health.failed'), values: valuesOf('failed') },
          { label: t('health.refused'), values: valuesOf('refused'), look: 'second' },
        ]}
      />
      <Plot
        {...common}
        title={t('health.waiting')}
        format={count}
        series={[{ label: t('health.waiting.label'), values: valuesOf('waiting'), isContinuous: true }]}
      />
      <Plot
        {...common}
        title={t('health.memory')}
        format={size}
        series={[{ label: t('health.memory.label'), values: valuesOf('memory'), isContinuous: true }]}
      />
      <Plot
        {...common}
        title={t('health.sizes')}
        format={size}
        series={[
          { label: t('health.database'), values: valuesOf('database'), isContinuous: true },
          { label: t('health.files'), values: valuesOf('files'), isContinuous: true, look: 'second' },
        ]}
      />
    </div>
  );
}

function SlowRequests({ health: { slow } }: { readonly health: Health }): ReactNode {
  const t = useText();
  const duration = durationFormat(useLocale());
  return (
    <Part title={t('health.slow')} text={t('health.slow.text')}>
      {slow.length === 0 ? (
        <p className={styles['none']}>{t('health.slow.none')}</p>
      ) : (
        <ul aria-label={t('health.slow')}>
          {slow.map(({ method, path, query, count, ms, status, at, uid }) => (
            <li key={`${method} ${path}`} className={classes(styles['row'], styles['explained'])}>
              <span className={styles['main']}>
                <code className={shared['name']}>{`${method} ${path}`}</code>
                {query !== '' && <code className={styles['quiet']}>{query}</code>}
              </span>
              <span className={styles['side']}>
                <strong>{duration(ms)}</strong>
                <span className={styles['quiet']}>
                  {t('health.slow.times', { count })} · {status} · <Moment at={at} />
                </span>
              </span>
              {uid !== null && (
                <Link
                  to={'/explore' as never}
                  search={{ uid, query } as never}
                  className={styles['link']}
                  aria-label={t('health.slow.explainOf', { path })}
                >
                  {t('health.slow.explain')}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function Indexes({ indexes }: Pick<Health, 'indexes'>): ReactNode {
  const t = useText();
  const duration = durationFormat(useLocale());
  return (
    <Part title={t('health.indexes')} text={t('health.indexes.text')}>
      {indexes.length === 0 ? (
        <p className={styles['none']}>{t('health.indexes.none')}</p>
      ) : (
        <ul aria-label={t('health.indexes')}>
          {indexes.map(({ name, table, columns, origin, reads, milliseconds, usedAt }) => (
            <li key={name} className={styles['row']}>
              <span className={styles['main']}>
                <code className={shared['name']}>{`${table} (${columns})`}</code>
                <span className={styles['quiet']}>{name}</span>
              </span>
              <span className={styles['side']}>
                <span>{t(`health.indexes.${origin}`)}</span>
                <span className={styles['quiet']}>
                  {reads > 0 && t('health.indexes.reads', { count: reads, duration: duration(milliseconds) })}
                  {origin === 'learned' && (
                    <>
                      {reads > 0 && ' · '}
                      <Around text={t('health.indexes.used', { when: '\0' })} at={usedAt} />
                    </>
                  )}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

/** The place of the log in the page. */
const LOG = 'log';

/** The kind of lines about requests that a role does not permit. */
const REFUSED = 'refused request';
const KINDS: Readonly<Record<string, PlainKey>> = {
  'project code': 'health.log.code',
  [REFUSED]: 'health.log.refused',
  failure: 'health.log.failure',
  'other lines': 'health.log.others',
};

/** The name of a kind of lines: those of messages are messages. */
function kindName(t: Text, kind: string): string {
  const key = KINDS[kind];
  return key === undefined ? kind : t(key);
}

const LEVELS = ['info', 'warn', 'error'] as const;

function LogLines({ logs }: Pick<Health, 'logs'>): ReactNode {
  const t = useText();
  return (
    <Part id={LOG} title={t('health.log')} text={t('health.log.text')}>
      {logs.length === 0 ? (
        <p className={styles['none']}>{t('health.log.none')}</p>
      ) : (
        <ul aria-label={t('health.log')}>
          {logs.map(({ level, kind, count, at, text }) => {
            const known = LEVELS.find((one) => one === level) ?? 'info';
            return (
              <li key={`${level} ${kind}`} className={styles['row']}>
                <span className={styles['main']}>
                  <span className={shared['name']}>{kindName(t, kind)}</span>
                  {text !== null && text !== kind && <span className={styles['quiet']}>{text}</span>}
                  {kind === REFUSED && (
                    <Link to="/permissions" className={styles['link']}>
                      {t('place.permissions')}
                    </Link>
                  )}
                </span>
                <span className={styles['side']}>
                  <span className={styles[known]}>{t(`health.log.${known}`)}</span>
                  <span className={styles['quiet']}>
                    {t('health.log.lines', { count })} · <Moment at={at} />
                  </span>
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Part>
  );
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

function Server({ health: { server, backup } }: { readonly health: Health }): ReactNode {
  const t = useText();
  return (
    <Part title={t('health.server')}>
      <dl className={styles['facts']}>
        <dt>Galley</dt>
        <dd>{server.version}</dd>
        <dt>Node.js</dt>
        <dd>{server.node}</dd>
        <dt>{t('health.server.engine')}</dt>
        <dd>{ENGINES[server.engine]}</dd>
        <dt>{t('health.server.started')}</dt>
        <dd>
          <Moment at={server.startedAt} />
        </dd>
        {backup?.done && (
          <>
            <dt>{t('health.server.backup')}</dt>
            <dd>
              <Moment at={backup.done} />
            </dd>
          </>
        )}
      </dl>
      <p className={styles['quiet']}>{t('health.server.update')}</p>
    </Part>
  );
}
