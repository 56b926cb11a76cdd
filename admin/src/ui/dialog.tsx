/** Dialogs, sheets and side panels. On a phone they slide up from the bottom. */
import * as Radix from '@radix-ui/react-dialog';
import { type ReactNode, type RefObject, useRef } from 'react';
import { LayerContext, useOpenLayer } from '../keys/layers.ts';
import { useText } from '../language/language.tsx';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './floating.module.css';

interface Props {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  /** One sentence below the title. */
  readonly text?: ReactNode;
  readonly children?: ReactNode;
  /** The buttons. The confirming one comes last. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  /** Whether only the buttons close the dialog, because closing it loses its content. */
  readonly isHeld?: boolean;
  /** The element that gets the focus, by default the first control. */
  readonly firstFocus?: RefObject<HTMLElement | null>;
}

/** A dialog. It traps the focus and returns it when it closes. */
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

/** The first button of a dialog, which closes it without an effect. */
export function CancelButton(props: { readonly onClick: () => void; readonly disabled?: boolean }): ReactNode {
  const t = useText();
  return (
    <Button look="quiet" {...props}>
      {t('cancel')}
    </Button>
  );
}

type BareProps = Pick<Props, 'open' | 'onOpenChange' | 'title' | 'children'>;

/** A dialog without a frame. Its label is only for screen readers. */
export function BareDialog({
  title,
  children,
  huge = false,
  ...rest
}: BareProps & {
  /** Whether the dialog takes all the room, for work within it. */
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

/** A sheet that slides up from the bottom, for content that stands beside the page where there is room. */
export function Sheet({ title, children, ...rest }: BareProps): ReactNode {
  return (
    <Layer {...rest} label={title} className={styles['sheet']}>
      <Radix.Title hidden>{title}</Radix.Title>
      <div className={styles['handle']} />
      {children}
    </Layer>
  );
}

/** A panel at the end of the page. On a phone it covers the page. */
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
  /** The label, if there is no visible title. */
  readonly label?: string;
  readonly isDescribed?: boolean;
  /** Whether the dialog itself gets the focus rather than its first control. */
  readonly focusesItself?: boolean;
}

/** A layer above the page, with an overlay between them. */
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

/** Returns the focus to where it was. If that was a menu, which has closed, the button of the menu gets it. */
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
      // If another page was opened in the meantime, the focus stays there.
      if (activeElement === null || activeElement === document.body) from.current?.focus();
    },
  };
}
