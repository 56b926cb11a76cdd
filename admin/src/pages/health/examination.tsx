/** The examination of the project, and its repair after a confirmation. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Examination } from '../../../contract/health.ts';
import { request } from '../../data/client.ts';
import { Moment, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CircleCheck, Search, Wrench } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import styles from './health.module.css';
import { Part } from './health-part.tsx';

export function ExaminationSection(): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const [found, setFound] = useState<Examination>();
  const [isAsking, setAsking] = useState(false);
  const onError = (error: Error): void => {
    show({ text: failureText(t, error), tone: 'danger' });
  };
  const examine = useMutation({
    mutationFn: async () => (await request('POST health/examination')).data,
    onSuccess: setFound,
    onError,
  });
  const repair = useMutation({
    mutationFn: async () => (await request('POST health/repair')).data,
    onSuccess: (remaining) => {
      setFound(remaining);
      show({ text: t('health.repair.done') });
    },
    onError,
  });
  const isBusy = examine.isPending || repair.isPending;
  const repairable = found?.problems.filter(({ isRepairable }) => isRepairable) ?? [];
  return (
    <Part title={t('health.examination')} text={t('health.examination.text')}>
      <div className={styles['tools']}>
        <Button icon={Search} busy={examine.isPending} disabled={repair.isPending} onClick={() => examine.mutate()}>
          {t('health.examine')}
        </Button>
        {repairable.length > 0 && (
          <Button icon={Wrench} busy={repair.isPending} disabled={examine.isPending} onClick={() => setAsking(true)}>
            {t('health.repair')}
          </Button>
        )}
        <span className={styles['quiet']} role="status">
          {isBusy && t(examine.isPending ? 'health.examining' : 'health.repairing')}
          {!isBusy && found && (
            <>
              {t('health.examined', { count: found.problems.length })} <Moment at={found.examinedAt} />
            </>
          )}
        </span>
      </div>
      {found?.problems.length === 0 && (
        <p className={styles['fine']}>
          <CircleCheck size={16} />
          {t('health.examination.fine')}
        </p>
      )}
      {found !== undefined && found.problems.length > 0 && (
        <ul className={styles['rows']} aria-label={t('health.examination')}>
          {found.problems.map((problem) => (
            <Problem key={`${problem.kind} ${problem.place} ${problem.problem}`} problem={problem} />
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
            <Button onClick={() => setAsking(false)}>{t('cancel')}</Button>
            <Button
              look="primary"
              onClick={() => {
                setAsking(false);
                repair.mutate();
              }}
            >
              {t('health.repair.now')}
            </Button>
          </>
        }
      >
        <ul className={styles['list']}>
          {repairable.map(({ kind, place, count, problem }) => (
            <li key={`${kind} ${place} ${problem}`}>
              {t(`health.problem.${kind}`)}{' '}
              <span className={styles['quiet']}>{[place, t('health.problem.count', { count })].join(' · ')}</span>
            </li>
          ))}
        </ul>
      </Dialog>
    </Part>
  );
}

function Problem({ problem: found }: { readonly problem: Examination['problems'][number] }): ReactNode {
  const t = useText();
  const { kind, problem, place, count, isRepairable, examples } = found;
  return (
    <li className={styles['row']}>
      <span className={styles['main']}>
        <span className={styles['name']}>{t(`health.problem.${kind}`)}</span>
        <span className={styles['quiet']}>{t(`health.problem.${kind}.text`)}</span>
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
