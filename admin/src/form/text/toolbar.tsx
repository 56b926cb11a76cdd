/** A toolbar: one tab stop, with arrow keys between its buttons. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import styles from './text.module.css';

export function Toolbar({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  const bar = useRef<HTMLDivElement>(null);
  const tools = (): HTMLElement[] => [
    ...(bar.current?.querySelectorAll<HTMLElement>('button:not(:disabled), select:not(:disabled)') ?? []),
  ];
  // The tab stop is the button that was used last, or the first one.
  useEffect(() => {
    const all = tools();
    const stop = all.find((tool) => tool.tabIndex === 0 && tool.dataset['stop'] !== undefined) ?? all[0];
    for (const tool of all) tool.tabIndex = tool === stop ? 0 : -1;
  });
  const goTo = (tool: HTMLElement | undefined): void => {
    if (!tool) return;
    for (const other of tools()) {
      other.tabIndex = -1;
      delete other.dataset['stop'];
    }
    tool.tabIndex = 0;
    tool.dataset['stop'] = '';
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = tools();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const isMirrored = getComputedStyle(event.currentTarget).direction === 'rtl';
    const step = isMirrored ? -1 : 1;
    const to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = all[(to + all.length) % all.length];
    goTo(next);
    next?.focus();
  };
  return (
    <div
      ref={bar}
      role="toolbar"
      aria-label={label}
      className={styles['toolbar']}
      onKeyDown={onKeyDown}
      onFocus={({ target }) => goTo(target.closest<HTMLElement>('button, select') ?? undefined)}
    >
      {children}
    </div>
  );
}
