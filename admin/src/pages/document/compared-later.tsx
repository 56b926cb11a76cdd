/** Loads the comparison of values when it is opened. */
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import { Skeleton } from '../../ui/bits.tsx';
import type { Compared } from './compared.tsx';

const Late = lazy(async () => ({ default: (await import('./compared.tsx')).Compared }));

export function ComparedLater(props: ComponentProps<typeof Compared>): ReactNode {
  return (
    <Suspense fallback={<Skeleton height="120px" />}>
      <Late {...props} />
    </Suspense>
  );
}
