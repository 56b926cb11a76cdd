/** Asks for confirmation before a page with unsaved changes is left. */
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

interface Props {
  readonly isChanged: boolean;
  /** What is lost. */
  readonly text: string;
}

export function Leaving({ isChanged, text }: Props): ReactNode {
  const t = useText();
  const leaving = useBlocker({ shouldBlockFn: () => isChanged, enableBeforeUnload: isChanged, withResolver: true });
  const isAsking = leaving.status === 'blocked';
  return (
    <Dialog
      open={isAsking}
      onOpenChange={() => leaving.reset?.()}
      title={t('layout.leave.title')}
      text={text}
      actions={
        <>
          <Button look="quiet" onClick={() => leaving.reset?.()}>
            {t('layout.leave.stay')}
          </Button>
          <Button look="danger" onClick={() => leaving.proceed?.()}>
            {t('layout.leave.go')}
          </Button>
        </>
      }
    />
  );
}
