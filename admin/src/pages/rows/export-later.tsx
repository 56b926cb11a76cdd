/** Loads the button that exports a list after the list is shown. */
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import type { ExportButton as Button } from './export-dialog.tsx';

const Late = lazy(async () => ({ default: (await import('./export-dialog.tsx')).ExportButton }));

export function ExportButton(props: ComponentProps<typeof Button>): ReactNode {
  return (
    <Suspense>
      <Late {...props} />
    </Suspense>
  );
}
