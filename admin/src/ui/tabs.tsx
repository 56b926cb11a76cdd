/** Tabs, with arrow keys between them. Tabs with addresses are links. */
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { useLocale } from '../language/language.tsx';
import { classes } from './classes.ts';
import styles from './tabs.module.css';

export interface Tab<T extends string> {
  readonly value: T;
  readonly label: string;
  /** The number after the label. */
  readonly count?: number;
}

interface Props<T extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<T>[];
  readonly value: T;
  readonly onValue: (value: T) => void;
  /** The content of the selected tab. */
  readonly children?: ReactNode;
}

export function Tabs<T extends string>({ label, tabs, value, onValue, children }: Props<T>): ReactNode {
  const id = useId();
  const locale = useLocale();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.value === value);
    const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const backward = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    const to = { [forward]: at + 1, [backward]: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onValue(next.value);
    list.current?.querySelector<HTMLElement>(`[data-value="${CSS.escape(next.value)}"]`)?.focus();
  };
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} className={styles['tabs']}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
            data-value={tab.value}
            aria-selected={tab.value === value}
            aria-controls={children === undefined ? undefined : `${id}-panel`}
            tabIndex={tab.value === value ? 0 : -1}
            className={classes(styles['tab'], tab.value === value && styles['chosen'])}
            onClick={() => onValue(tab.value)}
            onKeyDown={onKeyDown}
          >
            {tab.label}{' '}
            {tab.count !== undefined && <span className={styles['count']}>{tab.count.toLocaleString(locale)}</span>}
          </button>
        ))}
      </div>
      {children !== undefined && (
        <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
          {children}
        </div>
      )}
    </>
  );
}
