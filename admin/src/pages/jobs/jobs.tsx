/** The jobs of the project: their times, their last runs, and running them now. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Job } from '../../../contract/webhooks.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { request } from '../../data/client.ts';
import { isSuper, useSession } from '../../data/session.ts';
import { Around, useLanguage, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CircleAlert, CircleCheck, Clock, RefreshCw } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import styles from '../webhooks/webhooks.module.css';
import { ruleWords } from './rule-words.ts';

/** The milliseconds between refetches, while a job runs and otherwise. */
const [SOON, LATER] = [1500, 15_000];

const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: async ({ signal }) => (await request('GET jobs', { signal })).data,
  refetchInterval: ({ state: { data } }) => (data?.some(({ last }) => last?.outcome === 'running') ? SOON : LATER),
});

export function JobsPage(): ReactNode {
  const t = useText();
  const may = isSuper(useSession());
  useTitle(may ? t('jobs.title') : undefined);
  const { data } = useQuery({ ...jobsQuery, enabled: may });
  if (!may) return <Missing />;
  return (
    <>
      <PageHead title={t('jobs.title')} {...(data?.length ? { count: data.length } : {})} />
      {data?.length === 0 ? (
        <EmptyState icon={Clock} title={t('jobs.empty')} text={t('jobs.empty.text')} />
      ) : (
        <ul className={classes(shared['rows'], styles['jobs'])} aria-label={t('jobs.list')}>
          {data === undefined ? (
            <li className={shared['row']}>
              <Skeleton width="40%" />
            </li>
          ) : (
            data.map((job) => <Row key={`${job.origin} ${job.name}`} job={job} />)
          )}
        </ul>
      )}
    </>
  );
}

function Row({ job }: { readonly job: Job }): ReactNode {
  const t = useText();
  const language = useLanguage();
  const client = useQueryClient();
  const { show } = useToasts();
  const { name, origin, rule, timezone, next, last } = job;
  const run = useMutation({
    mutationFn: () => request('POST jobs/run', { body: { name, origin } }),
    onSuccess: () => show({ text: t('jobs.begun', { name }) }),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => run.mutate() }),
    onSettled: () => client.invalidateQueries(jobsQuery),
  });
  const words = ruleWords(t, language, rule);
  const isOnce = rule.includes('T');
  const isRunning = last?.outcome === 'running';
  return (
    <li className={shared['row']}>
      <div className={shared['main']}>
        <span className={shared['name']}>{name}</span>
        <span className={classes(shared['quiet'], styles['rule'])}>
          {words}
          {words && !isOnce && ' · '}
          {!(words && isOnce) && <code>{rule}</code>}
          {timezone !== null && ` · ${timezone}`} · {t(`jobs.from.${origin}`)}
        </span>
      </div>
      <div className={classes(shared['main'], shared['below'])}>
        <Last last={last} />
        <span className={shared['quiet']}>
          {next === null ? t('jobs.next.never') : <Around text={t('jobs.next', { when: '\0' })} at={next} isAhead />}
        </span>
      </div>
      <Button
        icon={RefreshCw}
        aria-label={t(isRunning ? 'jobs.runningOf' : 'jobs.runOf', { name })}
        busy={run.isPending || isRunning}
        onClick={() => run.mutate()}
      >
        {t(isRunning ? 'jobs.running' : 'jobs.run')}
      </Button>
    </li>
  );
}

const LOOKS = {
  running: ['again', Clock],
  done: ['sent', CircleCheck],
  failed: ['failed', CircleAlert],
  'given up': ['failed', CircleAlert],
} as const;

function Last({ last }: Pick<Job, 'last'>): ReactNode {
  const t = useText();
  const language = useLanguage();
  if (!last) return <span className={shared['quiet']}>{t('jobs.last.never')}</span>;
  const [look, Icon] = LOOKS[last.outcome];
  const { milliseconds, error } = last;
  return (
    <>
      <span className={classes(styles['state'], styles[look])}>
        <Icon size={15} />
        <span>
          <Around text={t(`jobs.last.${last.outcome}`, { when: '\0' })} at={last.at} />
          {milliseconds !== null && ` ${t('jobs.took', { duration: durationOf(milliseconds, language) })}`}
        </span>
      </span>
      {error !== null && <span className={styles['failure']}>{error}</span>}
    </>
  );
}

/** `40 ms`, `1.4 s`, `12 min`. */
function durationOf(milliseconds: number, language: string): string {
  const [value, unit] =
    milliseconds < 1000
      ? [milliseconds, 'millisecond']
      : milliseconds < 60_000
        ? [milliseconds / 1000, 'second']
        : [milliseconds / 60_000, 'minute'];
  const style = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: value < 10 ? 1 : 0 } as const;
  return new Intl.NumberFormat(language, style).format(value);
}
