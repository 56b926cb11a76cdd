/** Buttons, and links that look like buttons. */
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ComponentProps, type FocusEvent, type ReactNode, useState } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';
import type { Icon } from './icon.tsx';
import { Download } from './icons.ts';
import { Tooltip } from './tooltip.tsx';

type Look = 'primary' | 'plain' | 'quiet' | 'danger' | 'done';

interface Props extends Omit<ComponentProps<'button'>, 'className'> {
  /** `primary`: the main action of a page; `danger`: cannot be undone; `done`: nothing is left to do. */
  readonly look?: Look;
  readonly icon?: Icon;
  /** While it is busy, the button keeps its place and its width and cannot be pressed. */
  readonly busy?: boolean;
  readonly wide?: boolean;
}

export function Button({ look = 'plain', icon: Icon, busy = false, wide, children, ...rest }: Props): ReactNode {
  return (
    <button
      type="button"
      {...useStill(rest, busy)}
      className={classes(styles['button'], styles[look], wide && styles['wide'])}
      data-busy={busy || undefined}
    >
      {Icon && <Icon />}
      {children}
    </button>
  );
}

type Own = Pick<ComponentProps<'button'>, 'disabled' | 'onClick' | 'onFocus' | 'onBlur'>;

/**
 * Disables a button. A browser takes the focus away from a disabled button and moves it to the top of the page, so a
 * focused button stays enabled, without an action, until the focus leaves it.
 */
function useStill<P extends Own>(props: P, busy: boolean): P & ComponentProps<'button'> {
  const [hasFocus, setFocus] = useState(false);
  const { disabled = false, onClick, onFocus, onBlur } = props;
  const isStill = busy || disabled;
  return {
    ...props,
    disabled: disabled && !hasFocus,
    'aria-disabled': isStill || undefined,
    ...(disabled && { 'data-still': true }),
    onClick: isStill ? (event) => event.preventDefault() : onClick,
    onFocus: (event: FocusEvent<HTMLButtonElement>) => {
      setFocus(true);
      onFocus?.(event);
    },
    onBlur: (event: FocusEvent<HTMLButtonElement>) => {
      setFocus(false);
      onBlur?.(event);
    },
  };
}

interface IconButtonProps extends Omit<Props, 'children' | 'icon' | 'aria-label' | 'wide'> {
  readonly icon: Icon;
  /** What the button does, for screen readers and as a tooltip. */
  readonly label: string;
}

export function IconButton({ icon: Icon, label, look = 'quiet', busy = false, ...rest }: IconButtonProps): ReactNode {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...useStill(rest, busy)}
        aria-label={label}
        className={classes(styles['button'], styles['square'], styles[look])}
      >
        <Icon />
      </button>
    </Tooltip>
  );
}

/** A link that looks like a button. */
/** A link to a file that the browser downloads. */
export function DownloadLink({
  look = 'plain',
  children,
  ...rest
}: Pick<ComponentProps<'a'>, 'href' | 'onClick'> & { readonly look?: Look; readonly children: ReactNode }): ReactNode {
  return (
    <a {...rest} download className={classes(styles['button'], styles[look])}>
      <Download />
      {children}
    </a>
  );
}

export function ButtonLink({
  look = 'plain',
  icon: Icon,
  children,
  ...rest
}: LinkProps & { readonly look?: Look; readonly icon?: Icon; readonly children: ReactNode }): ReactNode {
  return (
    <Link {...rest} className={classes(styles['button'], styles[look])}>
      {Icon && <Icon />}
      {children}
    </Link>
  );
}
