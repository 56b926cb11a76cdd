/** What has to be answered before the page goes on: in the middle, or on a phone from below. */
import * as Radix from '@radix-ui/react-dialog';
import { type ReactNode, useRef } from 'react';
import { classes } from './classes.ts';
import styles from './floating.module.css';

interface Props {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  /** What it is about, in a sentence. */
  readonly text?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons, the one that does it last. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
}

/** The focus goes in, stays in, and returns to where it was. */
export function Dialog({ open, onOpenChange, title, text, children, actions, wide }: Props): ReactNode {
  const focus = useReturningFocus();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={styles['veil']} />
        <Radix.Content
          className={classes(styles['dialog'], wide && styles['wide'])}
          {...noDescription(text)}
          {...focus}
        >
          <Radix.Title className={styles['title']}>{title}</Radix.Title>
          {text !== undefined && <Radix.Description className={styles['text']}>{text}</Radix.Description>}
          {children !== undefined && <div className={styles['body']}>{children}</div>}
          {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** A dialogue without a frame of its own, named for those who do not see it. */
export function BareDialog({
  open,
  onOpenChange,
  title,
  children,
  huge = false,
}: Pick<Props, 'open' | 'onOpenChange' | 'title' | 'children'> & {
  /** As large as there is room: for what is worked in. */
  readonly huge?: boolean;
}): ReactNode {
  const focus = useReturningFocus();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={styles['veil']} />
        <Radix.Content
          className={classes(styles['dialog'], styles['bare'], huge ? styles['huge'] : styles['wide'])}
          aria-label={title}
          aria-describedby={undefined}
          {...focus}
          onOpenAutoFocus={(event) => {
            focus.onOpenAutoFocus();
            if (!huge) return;
            // the first of many controls is not what somebody came for
            event.preventDefault();
            (event.currentTarget as HTMLElement).focus();
          }}
        >
          <Radix.Title hidden>{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** A sheet from below, for what stands beside the page where there is room. */
export function Sheet({
  open,
  onOpenChange,
  title,
  children,
}: Pick<Props, 'open' | 'onOpenChange' | 'title' | 'children'>): ReactNode {
  const focus = useReturningFocus();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={styles['veil']} />
        <Radix.Content className={styles['sheet']} aria-label={title} aria-describedby={undefined} {...focus}>
          <Radix.Title hidden>{title}</Radix.Title>
          <div className={styles['handle']} />
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function noDescription(text: ReactNode): { 'aria-describedby'?: undefined } {
  return text === undefined ? { 'aria-describedby': undefined } : {};
}

/** Gives the focus back to where it was: to what opened the menu where it was in one, since that has closed. */
function useReturningFocus() {
  const from = useRef<HTMLElement>(null);
  return {
    onOpenAutoFocus: () => {
      const { activeElement } = document;
      const opener = activeElement?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
      from.current = opener ? document.getElementById(opener) : (activeElement as HTMLElement | null);
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      from.current?.focus();
    },
  };
}
