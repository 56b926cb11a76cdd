/** Keys, as they are labelled on the keyboard. */
import { Fragment, type ReactNode } from 'react';
import { capsOf } from '../keys/keys.ts';
import { classes } from './classes.ts';
import styles from './kbd.module.css';

/** A key. */
export function Kbd({ children }: { readonly children: ReactNode }): ReactNode {
  return <kbd className={styles['cap']}>{children}</kbd>;
}

interface KeyCapsProps {
  readonly keys: string;
  /** Whether it is also shown on touch devices. */
  readonly always?: boolean;
}

/** The keys of `mod+k` or `g h`, as this device labels them. */
export function KeyCaps({ keys, always }: KeyCapsProps): ReactNode {
  return (
    <span className={classes(styles['caps'], always && styles['always'])}>
      {capsOf(keys).map((press, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: presses have no names of their own
        <Fragment key={index}>
          {press.map((cap) => (
            <Kbd key={cap}>{cap}</Kbd>
          ))}
        </Fragment>
      ))}
    </span>
  );
}
