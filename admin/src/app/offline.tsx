/** A notice that is shown while there is no connection. */
import { onlineManager } from '@tanstack/react-query';
import { type ReactNode, useSyncExternalStore } from 'react';
import { useText } from '../language/language.tsx';
import { CloudOff } from '../ui/icons.ts';
import styles from './offline.module.css';

export function OfflineNotice(): ReactNode {
  const t = useText();
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  return (
    <div role="status" className={styles['place']}>
      {!isOnline && (
        <p className={styles['notice']}>
          <CloudOff size={14} />
          {t('offline.title')}
        </p>
      )}
    </div>
  );
}
