/** Asks for confirmation before taking back changes that could not be restored, and lists them. */
import type { ReactNode } from 'react';
import type { Difference } from '../../form/values/differences.ts';
import { pathText } from '../../form/values/path.ts';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import styles from './document.module.css';

interface Props {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly changes: readonly Difference[];
  readonly onDiscard: () => void;
}

export function LostDialog({ open, onOpenChange, changes, onDiscard }: Props): ReactNode {
  const t = useText();
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('document.discard.title')}
      text={t('document.discard.text')}
      actions={
        <>
          <CancelButton onClick={() => onOpenChange(false)} />
          <Button look="danger" onClick={onDiscard}>
            {t('document.discard')}
          </Button>
        </>
      }
    >
      <ul className={styles['lost']}>
        {changes.map(({ path, label }) => (
          <li key={pathText(path)}>{label}</li>
        ))}
      </ul>
    </Dialog>
  );
}
