/** Loads the bar of bulk actions, with its dialogs, after the list is shown. */
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import type { BulkBar as Bar } from './bulk.tsx';

const Late = lazy(async () => ({ default: (await import('./bulk.tsx')).BulkBar }));

export function BulkBar(props: ComponentProps<typeof Bar>): ReactNode {
  return (
    <Suspense>
      <Late {...props} />
    </Suspense>
  );
}
