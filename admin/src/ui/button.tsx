/** What can be pressed. */
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';
import type { Icon } from './icon.tsx';
import { Tooltip } from './tooltip.tsx';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

interface Props extends Omit<ComponentProps<'button'>, 'className'> {
  /** `primary`: what can be done next, once a page; `danger`: what is gone for good. */
  readonly look?: Look;
  readonly icon?: Icon;
  /** It is being done: the button keeps its place and its width, and does nothing. */
  readonly busy?: boolean;
  readonly wide?: boolean;
}

export function Button({
  look = 'plain',
  icon: Icon,
  busy = false,
  wide,
  children,
  onClick,
  ...rest
}: Props): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      className={classes(styles['button'], styles[look], wide && styles['wide'])}
      aria-disabled={busy || undefined}
      data-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {Icon && <Icon />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<Props, 'children' | 'icon' | 'aria-label' | 'wide'> {
  readonly icon: Icon;
  /** What it does: read out, and shown on hover. */
  readonly label: string;
}

export function IconButton({ icon: Icon, label, look = 'quiet', busy, ...rest }: IconButtonProps): ReactNode {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        aria-disabled={busy || undefined}
        className={classes(styles['button'], styles['square'], styles[look])}
      >
        <Icon />
      </button>
    </Tooltip>
  );
}

/** Leads elsewhere, and looks like a button. */
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
