/** The dialog that lists all keyboard shortcuts of the page. */
import type { ReactNode } from 'react';
import { useRegisteredKeys } from '../keys/keys.ts';
import { useText } from '../language/language.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { KeyCaps } from '../ui/kbd.tsx';
import styles from './key-list.module.css';

interface Props {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

export function KeyList({ open, onOpenChange }: Props): ReactNode {
  const t = useText();
  const groups = Map.groupBy(useRegisteredKeys(), ({ group }) => group);
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('keys.title')}>
      <div className={styles['groups']}>
        {[...groups].map(([group, keys]) => (
          <section key={group}>
            <h3 className={styles['heading']}>{group}</h3>
            <dl>
              {keys.map(({ keys: name, label }) => (
                <div key={name} className={styles['key']}>
                  <dt>{label}</dt>
                  <dd>
                    <KeyCaps keys={name} always />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
