/** Notices about what was pasted: how much is being uploaded, what was left out, and what became something else. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { IconButton } from '../../ui/button.tsx';
import { X } from '../../ui/icons.ts';
import { Failures } from '../links/upload.tsx';
import styles from './paste-notices.module.css';

export interface PasteNoticesProps {
  readonly notices: readonly string[];
  /** Why files were not uploaded. */
  readonly failures: readonly string[];
  /** How many pictures are being uploaded. */
  readonly uploading: number;
  readonly onClose: () => void;
}

export function PasteNotices({ notices, failures, uploading, onClose }: PasteNoticesProps): ReactNode {
  const t = useText();
  return (
    <div className={styles['notices']}>
      <div className={styles['texts']}>
        {/* there from the beginning: what is put into it is read out */}
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
