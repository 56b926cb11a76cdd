/**
 * Stands in for `react-remove-scroll` in what lies above the page (`vite.config.ts`): pages scroll inside of their sheet,
 * which lies beneath the veil, so there is nothing to lock. What it would do besides is to write a style element.
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
