/** Whether what is written is saved, said in the corner. */
import { type ReactNode, useEffect, useState } from 'react';
import { Moment, useText } from '../../language/language.tsx';
import { CloudOff, TriangleAlert } from '../../ui/icons.ts';
import styles from './document.module.css';
import type { DraftState } from './draft-parts.ts';

interface Props {
  readonly state: DraftState;
  /** Whether what is written is saved without being asked to. */
  readonly savesItself: boolean;
}

/** Milliseconds for which seconds are counted. */
const COUNTED = 60_000;

export function SavedStatus({ state: { status, savedAt, refusal, errors }, savesItself }: Props): ReactNode {
  const t = useText();
  const isTrouble = status === 'offline' || status === 'refused' || status === 'conflict';
  return (
    <>
      <span className={styles['status']} hidden={isTrouble}>
        {status === 'saving' && t('document.saving')}
        {status === 'unsaved' && t(savesItself ? 'document.writing' : 'document.unsaved')}
        {status === 'saved' && savedAt !== undefined && <SavedAgo at={savedAt} />}
      </span>
      {/* there from the beginning: what is put into it is read out */}
      <span role="status" className={styles['trouble']} hidden={!isTrouble}>
        {status === 'offline' && (
          <>
            <CloudOff size={14} /> {t('document.offline')}
          </>
        )}
        {status === 'refused' && (
          <>
            <TriangleAlert size={14} /> {errors.length > 0 ? t('document.refused') : refusal}
          </>
        )}
        {status === 'conflict' && (
          <>
            <TriangleAlert size={14} /> {t('document.conflict.short')}
          </>
        )}
      </span>
    </>
  );
}

function SavedAgo({ at }: { readonly at: number }): ReactNode {
  const t = useText();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const passed = Math.max(0, now - at);
  if (passed < COUNTED) return t('document.saved.seconds', { count: Math.floor(passed / 1000) });
  return (
    <>
      {t('saved')} <Moment at={new Date(at).toISOString()} />
    </>
  );
}
