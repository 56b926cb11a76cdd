/** Loads the dialog that adds documents to a release when it is opened. */
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import type { AddToReleaseDialog } from './add-dialog.tsx';

const Late = lazy(async () => ({ default: (await import('./add-dialog.tsx')).AddToReleaseDialog }));

export function AddToRelease(props: ComponentProps<typeof AddToReleaseDialog>): ReactNode {
  return (
    <Suspense>
      <Late {...props} />
    </Suspense>
  );
}
