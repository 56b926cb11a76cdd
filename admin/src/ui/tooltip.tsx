/** Words that appear beside something on hover and focus. What they say is also said otherwise: touch shows none. */
import * as Radix from '@radix-ui/react-tooltip';
import type { ReactElement, ReactNode } from 'react';
import styles from './floating.module.css';
import { KeyCaps } from './kbd.tsx';

interface Props {
  readonly text: string;
  /** Keys that do the same: `mod+k`. */
  readonly keys?: string;
  readonly children: ReactElement;
}

export function Tooltip({ text, keys, children }: Props): ReactNode {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles['tooltip']} sideOffset={6} collisionPadding={8}>
          {text}
          {keys !== undefined && <KeyCaps keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Milliseconds of resting on something before it explains itself. */
const RESTING = 450;

/** Around the app: once one has appeared, the next ones appear at once. */
export function TooltipProvider({ children }: { readonly children: ReactNode }): ReactNode {
  return <Radix.Provider delayDuration={RESTING}>{children}</Radix.Provider>;
}
