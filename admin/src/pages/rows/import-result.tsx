/** The progress of an import, what it has come to, its mistakes, and undoing it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { RowImport, RowProblems } from '../../../contract/rows.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import { Confirmation } from '../../app/confirmation.tsx';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText, refusalText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { Undo2 } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { importsQuery, isRunning, problemsQuery } from './data.ts';
import { outcomeText } from './outcome-text.ts';
import styles from './rows.module.css';

interface Props {
  readonly schema: Schema;
  readonly type: ContentType;
  readonly rowImport: RowImport;
}

/** Mistakes that are shown at first. */
const SHOWN = 50;

export function ImportResult({ type, rowImport }: Props): ReactNode {
  const t = useText();
  const { id, isTrial, state, total, done, failed, undone, kept, columns, fileName } = rowImport;
  const works = isRunning(rowImport);
  const { data } = useQuery({ ...problemsQuery(id, undone + kept + failed), enabled: failed + kept > 0 && !works });
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: () => request('POST imports/:id/stop', { params: { id: String(id) } }),
    onSettled: () => client.invalidateQueries(importsQuery(type.uid)),
  });
  const passed = state === 'undoing' ? undone + kept : done;
  return (
    <section className={styles['result']} aria-label={fileName}>
      {works ? (
        <div className={styles['progress']}>
          <progress aria-label={t('rowFiles.progress')} value={passed} max={Math.max(1, total)} />
          <span className={shared['quiet']}>{t('rowFiles.progress.rows', { done: passed, total })}</span>
          {state === 'running' && (
            <Button busy={stop.isPending} onClick={() => stop.mutate()}>
              {t('rowFiles.stop')}
            </Button>
          )}
        </div>
      ) : (
        <div className={styles['outcome']}>
          <p role="status">{outcomeText(t, rowImport)}</p>
          {!isTrial && <UndoButton uid={type.uid} rowImport={rowImport} />}
        </div>
      )}
      {data && <Problems columns={columns} problems={data} failed={failed} />}
    </section>
  );
}

function Problems({
  columns,
  problems: { failed, kept },
  failed: count,
}: {
  readonly columns: readonly string[];
  readonly problems: RowProblems;
  /** The number of rows that failed, of which not all are stored. */
  readonly failed: number;
}): ReactNode {
  const t = useText();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? failed : failed.slice(0, SHOWN);
  return (
    <>
      {kept.length > 0 && (
        <ul className={styles['problems']} aria-label={t('rowFiles.kept')}>
          {kept.map(({ row, documentId, reason }) => (
            <li key={documentId}>
              <span className={shared['name']}>{t('rowFiles.row', { row })}</span> {t(`rowFiles.kept.${reason}`)}
            </li>
          ))}
        </ul>
      )}
      {failed.length > 0 && (
        <>
          <h2 className={shared['heading']}>{t('rowFiles.problems', { count })}</h2>
          <ul className={styles['problems']} aria-label={t('rowFiles.problems', { count })}>
            {shown.flatMap(({ row, problems }) =>
              problems.map((problem) => (
                <li key={`${row} ${problem.column} ${problem.message}`}>
                  <span className={shared['name']}>{t('rowFiles.row', { row })}</span>
                  {problem.column !== null && <span className={styles['column']}>{columns[problem.column]}</span>}
                  {problem.value !== undefined && problem.value !== '' && (
                    <q className={shared['quiet']} dir="auto">
                      {problem.value}
                    </q>
                  )}
                  <span>{refusalText(t, problem)}</span>
                </li>
              )),
            )}
          </ul>
          {shown.length < failed.length && (
            <Button onClick={() => setWhole(true)}>{t('rowFiles.problems.all', { count: failed.length })}</Button>
          )}
          {isWhole && failed.length < count && (
            <p className={shared['quiet']}>{t('rowFiles.problems.more', { count: count - failed.length })}</p>
          )}
        </>
      )}
    </>
  );
}

/** A button that takes an import back, after a confirmation. */
export function UndoButton({ uid, rowImport }: { readonly uid: string; readonly rowImport: RowImport }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const [isAsking, setAsking] = useState(false);
  const { id, undoable, created, updated, fileName } = rowImport;
  const undo = useMutation({
    mutationFn: () => request('POST imports/:id/undo', { params: { id: String(id) } }),
    onSuccess: () => setAsking(false),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
    onSettled: () => client.invalidateQueries(importsQuery(uid)),
  });
  if (undoable === 0) return null;
  return (
    <>
      <Button icon={Undo2} aria-label={t('rowFiles.undo.of', { file: fileName })} onClick={() => setAsking(true)}>
        {t('rowFiles.undo')}
      </Button>
      {isAsking && (
        <Confirmation
          title={t('rowFiles.undo.title')}
          text={t('rowFiles.undo.text', { created, updated })}
          button={t('rowFiles.undo')}
          busy={undo.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => undo.mutate()}
        />
      )}
    </>
  );
}
