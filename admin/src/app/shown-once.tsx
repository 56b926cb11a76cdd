/** A dialog for a value that is shown only once, such as a secret. Only its button closes it. */
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Copy } from '../ui/icons.ts';
import { useToasts } from '../ui/toast.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  /** The value that is copied. */
  readonly value: string;
  readonly onClose: () => void;
  /** The value as it is displayed. */
  readonly children: ReactNode;
}

export function ShownOnce({ title, text, value, onClose, children }: ShownOnceProps): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const copy = (): void => {
    navigator.clipboard.writeText(value).then(
      () => show({ text: t('copied') }),
      () => {},
    );
  };
  return (
    <Dialog
      open
      isHeld
      onOpenChange={onClose}
      title={title}
      text={text}
      actions={
        <>
          <Button icon={Copy} onClick={copy}>
            {t('copy')}
          </Button>
          <Button look="primary" onClick={onClose}>
            {t('done')}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
