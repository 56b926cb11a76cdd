/**
 * Replaces `react-remove-scroll` in dialogs (`vite.config.ts`). Pages scroll inside of their sheet, below the overlay,
 * so there is nothing to lock; and the original writes a style element, which the policy forbids.
 */
import type { ElementType, ReactNode } from 'react';

interface Props {
  readonly as?: ElementType;
  readonly children?: ReactNode;
  readonly allowPinchZoom?: boolean;
  readonly shards?: unknown;
  readonly enabled?: boolean;
}

export function RemoveScroll({ as: Part = 'div', allowPinchZoom, shards, enabled, ...rest }: Props): ReactNode {
  return <Part {...rest} />;
}
