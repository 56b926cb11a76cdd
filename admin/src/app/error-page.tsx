/** Shown when a page fails to load or to render. */
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { UnreachableError } from '../data/client.ts';
import { useText } from '../language/language.tsx';
import { EmptyState } from '../ui/bits.tsx';
import { Button } from '../ui/button.tsx';
import { CloudOff, TriangleAlert } from '../ui/icons.ts';

export function Broken({ error }: ErrorComponentProps): ReactNode {
  const t = useText();
  const router = useRouter();
  const { reset } = useQueryErrorResetBoundary();
  // A script that cannot be loaded means that the server is down or has a newer build: then the page is reloaded.
  const isUnreachable =
    error instanceof UnreachableError || (error instanceof Error && /dynamically imported module/.test(error.message));
  const retry = (): void => {
    reset();
    if (error instanceof UnreachableError) void router.invalidate();
    else location.reload();
  };
  return (
    <EmptyState
      level={1}
      icon={isUnreachable ? CloudOff : TriangleAlert}
      title={t(isUnreachable ? 'error.unreachable.title' : 'error.title')}
      text={t(isUnreachable ? 'error.unreachable.text' : 'error.text')}
      action={
        <Button look="primary" onClick={retry}>
          {t('retry')}
        </Button>
      }
    />
  );
}
