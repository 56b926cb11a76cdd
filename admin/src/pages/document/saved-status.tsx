/** The save status in the corner of the page. */
import type { ReactNode } from 'react';
import { Moment, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { CloudOff, TriangleAlert } from '../../ui/icons.ts';
import styles from './document.module.css';
import type { DraftState } from './draft-state.ts';

interface Props {
  readonly state: DraftState;
  /** Whether changes are saved automatically. */
  readonly savesItself: boolean;
}

const TROUBLE: ReadonlySet<DraftState['status']> = new Set(['offline', 'refused', 'waiting', 'conflict', 'gone']);

export function SavedStatus({ state: { status, savedAt, refusal, waiting }, savesItself }: Props): ReactNode {
  const t = useText();
  const isTrouble = TROUBLE.has(status);
  return (
    <>
      <span className={styles['status']} hidden={isTrouble}>
        {status === 'saving' && t('document.saving')}
        {status === 'unsaved' && t(savesItself ? 'document.writing' : 'document.unsaved')}
        {status === 'saved' && savedAt !== undefined && (
          <>
            {t('saved')} <Moment at={new Date(savedAt).toISOString()} isRecentToo={false} />
          </>
        )}
      </span>
      {/* Always rendered, so that screen readers announce changes. */}
      <span role="status" className={styles['trouble']} hidden={!isTrouble}>
        {status === 'offline' && (
          <>
            <CloudOff size={14} /> {t('document.offline')}
          </>
        )}
        {status === 'refused' && (
          <>
            <TriangleAlert size={14} /> {refusal?.fields.length ? t('document.refused') : failureText(t, refusal)}
          </>
        )}
        {status === 'waiting' && (
          <>
            <TriangleAlert size={14} /> {t('document.waiting', { count: waiting })}
          </>
        )}
        {(status === 'conflict' || status === 'gone') && (
          <>
            <TriangleAlert size={14} /> {t('document.unsaved')}
          </>
        )}
      </span>
    </>
  );
}
