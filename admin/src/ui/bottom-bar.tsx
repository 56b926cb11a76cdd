/** The bar at the end of a page with unsaved changes: their number, and actions. It stays in view, below notices. */
import { type ReactNode, useEffect, useRef } from 'react';
import styles from './bottom-bar.module.css';
import { classes } from './classes.ts';

interface Props {
  readonly label: string;
  readonly text: ReactNode;
  readonly className?: string | undefined;
  /** The buttons. */
  readonly children: ReactNode;
}

/** The height of the bar as a property of the root element, in pixels. */
const HEIGHT = '--bottom-bar';

export function BottomBar({ label, text, className, children }: Props): ReactNode {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty(HEIGHT, `${bar.current?.offsetHeight ?? 0}px`));
    observer.observe(bar.current!);
    return () => {
      observer.disconnect();
      style.removeProperty(HEIGHT);
    };
  }, []);
  return (
    <section ref={bar} className={classes(styles['bar'], className)} aria-label={label}>
      <p role="status" className={styles['text']}>
        {text}
      </p>
      <div className={styles['buttons']}>{children}</div>
    </section>
  );
}
