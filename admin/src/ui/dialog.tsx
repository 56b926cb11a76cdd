/** What has to be answered before the page goes on: in the middle, or on a phone from below. */
import * as Radix from '@radix-ui/react-dialog';
import { type ReactNode, type RefObject, useRef } from 'react';
import { LayerContext, useOpenLayer } from '../keys/layers.ts';
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
  /** Whether only its buttons close it, where what it shows is gone then. */
  readonly isHeld?: boolean;
  /** What gets the focus, where that is not the first of all controls. */
  readonly firstFocus?: RefObject<HTMLElement | null>;
}

/** The focus goes in, stays in, and returns to where it was. */
export function Dialog({ title, text, children, actions, wide, ...rest }: Props): ReactNode {
  return (
    <Layer {...rest} className={classes(styles['dialog'], wide && styles['wide'])} isDescribed={text !== undefined}>
      <Radix.Title className={styles['title']}>{title}</Radix.Title>
      {text !== undefined && <Radix.Description className={styles['text']}>{text}</Radix.Description>}
      {children !== undefined && <div className={styles['body']}>{children}</div>}
      {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
    </Layer>
  );
}

type BareProps = Pick<Props, 'open' | 'onOpenChange' | 'title' | 'children'>;

/** A dialogue without a frame of its own, named for those who do not see it. */
export function BareDialog({
  title,
  children,
  huge = false,
  ...rest
}: BareProps & {
  /** As large as there is room: for what is worked in. */
  readonly huge?: boolean;
}): ReactNode {
  const size = huge ? styles['huge'] : styles['wide'];
  return (
    <Layer {...rest} label={title} className={classes(styles['dialog'], styles['bare'], size)} focusesItself={huge}>
      <Radix.Title hidden>{title}</Radix.Title>
      {children}
    </Layer>
  );
}

/** A sheet from below, for what stands beside the page where there is room. */
export function Sheet({ title, children, ...rest }: BareProps): ReactNode {
  return (
    <Layer {...rest} label={title} className={styles['sheet']}>
      <Radix.Title hidden>{title}</Radix.Title>
      <div className={styles['handle']} />
      {children}
    </Layer>
  );
}

/** A panel at the end of the page, which stays in sight beside it; on a phone it has all of the room. */
export function SidePanel({ title, children, actions, ...rest }: BareProps & Pick<Props, 'actions'>): ReactNode {
  return (
    <Layer {...rest} className={styles['aside']}>
      <Radix.Title className={styles['title']}>{title}</Radix.Title>
      <div className={styles['asideBody']}>{children}</div>
      <div className={styles['actions']}>{actions}</div>
    </Layer>
  );
}

interface LayerProps extends Pick<Props, 'open' | 'onOpenChange' | 'children' | 'firstFocus' | 'isHeld'> {
  readonly className: string | undefined;
  /** Its name, where it has no title that is seen. */
  readonly label?: string;
  readonly isDescribed?: boolean;
  /** Whether it gets the focus itself: the first of many controls is not what somebody came for. */
  readonly focusesItself?: boolean;
}

/** What lies above the page, with a veil between. */
function Layer({
  open,
  onOpenChange,
  className,
  label,
  isDescribed = false,
  focusesItself = false,
  firstFocus,
  isHeld = false,
  children,
}: LayerProps): ReactNode {
  const focus = useReturningFocus();
  const layer = useOpenLayer(open);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={styles['veil']} />
        <Radix.Content
          className={className}
          {...(label !== undefined && { 'aria-label': label })}
          {...(!isDescribed && { 'aria-describedby': undefined })}
          onCloseAutoFocus={focus.onCloseAutoFocus}
          onEscapeKeyDown={(event) => isHeld && event.preventDefault()}
          onInteractOutside={(event) => isHeld && event.preventDefault()}
          onOpenAutoFocus={(event) => {
            focus.onOpenAutoFocus();
            const first = focusesItself ? (event.currentTarget as HTMLElement) : firstFocus?.current;
            if (!first) return;
            event.preventDefault();
            first.focus();
          }}
        >
          <LayerContext value={layer}>{children}</LayerContext>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
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
      const { activeElement } = document;
      // whoever was led elsewhere meanwhile, such as into a new document, stays there
      if (activeElement === null || activeElement === document.body) from.current?.focus();
    },
  };
}
