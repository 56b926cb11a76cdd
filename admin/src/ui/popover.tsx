/** A small panel beside its button, for content that needs more than a menu. */
import * as Radix from '@radix-ui/react-popover';
import type { ReactElement, ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './floating.module.css';

interface Props {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly children: ReactNode;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
}

export function Popover({ trigger, label, children, ...state }: Props): ReactNode {
  return (
    <Radix.Root {...state}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={classes(styles['panel'], styles['roomy'])}
          aria-label={label}
          align="start"
          sideOffset={6}
          collisionPadding={8}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
