/** Notices about a paste: running uploads, pictures that were left out, and tables that became paragraphs. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { IconButton } from '../../ui/button.tsx';
import { X } from '../../ui/icons.ts';
import { Failures } from '../links/upload.tsx';
import styles from './paste-notices.module.css';

export interface PasteNoticesProps {
  readonly notices: readonly string[];
  /** The errors of failed uploads. */
  readonly failures: readonly string[];
  /** The number of running uploads. */
  readonly uploading: number;
  readonly onClose: () => void;
}

export function PasteNotices({ notices, failures, uploading, onClose }: PasteNoticesProps): ReactNode {
  const t = useText();
  return (
    <div className={styles['notices']}>
      <div className={styles['texts']}>
        {/* Always rendered, so that screen readers announce changes. */}
        <div role="status">
          {uploading > 0 && <p>{t('files.uploading', { count: uploading })}</p>}
          {notices.map((text) => (
            <p key={text} className={styles['notice']}>
              {text}
            </p>
          ))}
        </div>
        <Failures texts={failures} />
      </div>
      {(notices.length > 0 || failures.length > 0) && (
        <IconButton icon={X} label={t('paste.close')} onClick={onClose} />
      )}
    </div>
  );
}
