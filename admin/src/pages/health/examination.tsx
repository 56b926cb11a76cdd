/** The examination of the project, and its repair after a confirmation. Both go on while other pages are open. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Examination, Problem as Found } from '../../../contract/health.ts';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { Moment, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { CircleCheck, Search, Wrench } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { examinationQuery } from './data.ts';
import styles from './health.module.css';
import { Part } from './health-part.tsx';

export function ExaminationSection(): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const client = useQueryClient();
  const { data: run } = useQuery(examinationQuery);
  const [isAsking, setAsking] = useState(false);
  const begin = useMutation({
    mutationFn: async (work: Examination['work']) =>
      (await request(work === 'repair' ? 'POST health/repair' : 'POST health/examination')).data,
    onSuccess: (begun) => client.setQueryData(examinationQuery.queryKey, begun),
    onError: (error) => {
      show({ text: failureText(t, error), tone: 'danger' });
      void client.invalidateQueries(examinationQuery);
    },
  });
  const running = begin.isPending ? begin.variables : run?.outcome === 'running' ? run.work : undefined;
  const problems = running ? undefined : run?.problems;
  const repairable = problems?.filter(({ isRepairable }) => isRepairable) ?? [];
  return (
    <Part title={t('health.examination')} text={t('health.examination.text')}>
      <div className={styles['tools']}>
        <Button
          icon={Search}
          busy={running === 'examination'}
          disabled={running === 'repair'}
          onClick={() => begin.mutate('examination')}
        >
          {t('health.examine')}
        </Button>
        {(repairable.length > 0 || running === 'repair') && (
          <Button icon={Wrench} busy={running === 'repair'} onClick={() => setAsking(true)}>
            {t('health.repair')}
          </Button>
        )}
        <span className={styles['quiet']} role="status">
          {running ? t(`health.running.${stepOf(running, run)}`) : run && <Outcome run={run} />}
        </span>
        {running === 'repair' && <Progress run={run} />}
      </div>
      {run && problems && problems.length > 0 && (
        <ul aria-label={t('health.examination')}>
          {problems.map((problem) => (
            <Problem
              key={`${problem.kind} ${problem.place} ${problem.problem}`}
              problem={problem}
              command={run.command}
            />
          ))}
        </ul>
      )}
      <Dialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t('health.repair.title')}
        text={t('health.repair.text')}
        actions={
          <>
            <CancelButton onClick={() => setAsking(false)} />
            <Button
              look="primary"
              onClick={() => {
                setAsking(false);
                begin.mutate('repair');
              }}
            >
              {t('health.repair.now')}
            </Button>
          </>
        }
      >
        <ul className={styles['list']}>
          {repairable.map(({ kind, place, count, problem }) => (
            <li key={`${kind} ${place} ${problem}`} className={styles['main']}>
              <span>{t(`health.problem.${kind}`)}</span>
              <span className={styles['quiet']}>{[place, t('health.problem.count', { count })].join(' · ')}</span>
            </li>
          ))}
        </ul>
      </Dialog>
    </Part>
  );
}

const stepOf = (running: Examination['work'], run: Examination | null | undefined) =>
  running === 'repair' ? (run?.progress?.step ?? 'repair') : 'examination';

/** The result of the last run. */
function Outcome({ run }: { readonly run: Examination }): ReactNode {
  const t = useText();
  const { work, outcome, problems, startedAt, endedAt, error } = run;
  const count = problems?.length ?? 0;
  if (outcome === 'done') {
    return (
      <span className={styles['outcome']}>
        {count === 0 ? (
          <span className={styles['fine']}>
            <CircleCheck size={16} />
            {t(`health.${work}.fine`)}
          </span>
        ) : (
          t(`health.${work}.done`, { count })
        )}
        <Moment at={endedAt ?? startedAt} />
      </span>
    );
  }
  const reason = outcome === 'given up' ? t('health.given-up') : (error ?? t('health.failed.log'));
  return <span className={styles['error']}>{t(`health.${work}.failed`, { reason })}</span>;
}

/** The rows that are repaired; a bar without a value during other steps. */
function Progress({ run }: { readonly run: Examination | null | undefined }): ReactNode {
  const t = useText();
  const { step, repaired = 0, of = 0 } = run?.progress ?? {};
  const isCounted = step === 'rows' && of > 0;
  return (
    <span className={styles['progress']}>
      <progress aria-label={t('health.repair.progress')} {...(isCounted ? { value: repaired, max: of } : {})} />
      {isCounted && <span className={styles['quiet']}>{t('health.repair.rows', { repaired, of })}</span>}
    </span>
  );
}

function Problem({ problem: found, command }: { readonly problem: Found; readonly command: string }): ReactNode {
  const t = useText();
  const { kind, problem, place, count, isRepairable, examples } = found;
  return (
    <li className={styles['row']}>
      <span className={styles['main']}>
        <span className={shared['name']}>{t(`health.problem.${kind}`)}</span>
        <span className={styles['quiet']}>{t(`health.problem.${kind}.text`, { command })}</span>
        <code className={styles['quiet']}>
          {[place, problem, ...examples].filter((part) => part !== '').join(' · ')}
        </code>
      </span>
      <span className={styles['side']}>
        <span>{t('health.problem.count', { count })}</span>
        <span className={isRepairable ? styles['repairable'] : styles['quiet']}>
          {t(isRepairable ? 'health.problem.repairable' : 'health.problem.decide')}
        </span>
      </span>
    </li>
  );
}
