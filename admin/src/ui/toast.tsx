/** Notices in the corner, with undo. */
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../language/language.tsx';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { X } from './icons.ts';
import { type Notice, offers, withNotice } from './notices.ts';
import styles from './toast.module.css';

interface Shown extends Notice {
  readonly id: number;
}

/** The milliseconds that a notice with an action is shown. */
const LASTS = 10_000;
/** The milliseconds that a notice without an action is shown. */
const LASTS_SHORTLY = 5_000;

interface Toasts {
  /** Shows a notice. Returns a function that removes it. */
  readonly show: (notice: Notice) => () => void;
  /** Shows the progress of an operation. */
  readonly follow: () => Followed;
}

interface Followed {
  /** Updates the progress. Nothing happens if the notice was dismissed. */
  readonly tell: (text: string, progress: number, more?: Notice['more']) => void;
  readonly end: () => void;
}

const ToastContext = createContext<Toasts>({
  show: () => () => {},
  follow: () => ({ tell: () => {}, end: () => {} }),
});

export function useToasts(): Toasts {
  return use(ToastContext);
}

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const last = useRef(0);
  const all = useRef<readonly Shown[]>([]);
  const change = useCallback((next: readonly Shown[], undone?: number) => {
    const removed = all.current.filter(({ id }) => !next.some((notice) => notice.id === id));
    all.current = next;
    setShown(next);
    for (const { id, onGone } of removed) if (id !== undone) onGone?.();
  }, []);
  const hide = useCallback(
    (id: number, isUndone = false) =>
      change(
        all.current.filter((notice) => notice.id !== id),
        isUndone ? id : undefined,
      ),
    [change],
  );
  const show = useCallback(
    (notice: Notice) => {
      last.current += 1;
      const id = last.current;
      change(withNotice(all.current, { ...notice, id }));
      return () => hide(id);
    },
    [change, hide],
  );
  const follow = useCallback((): Followed => {
    let id: number | undefined;
    return {
      tell: (text, progress, more) => {
        const notice: Notice = { text, progress, stays: true, ...(more && { more }) };
        if (id === undefined) {
          last.current += 1;
          id = last.current;
          change(withNotice(all.current, { ...notice, id }));
        } else change(all.current.map((shown) => (shown.id === id ? { ...notice, id: shown.id } : shown)));
      },
      end: () => id !== undefined && hide(id),
    };
  }, [change, hide]);
  const value = useMemo(() => ({ show, follow }), [show, follow]);
  return (
    <ToastContext value={value}>
      {children}
      {/* Always rendered, so that screen readers announce changes. */}
      <div className={styles['corner']} role="status" aria-live="polite">
        {shown.map((notice) => (
          <Toast key={notice.id} notice={notice} hide={hide} />
        ))}
      </div>
    </ToastContext>
  );
}

function Toast({
  notice,
  hide,
}: {
  readonly notice: Shown;
  readonly hide: (id: number, isUndone?: boolean) => void;
}): ReactNode {
  const t = useText();
  const [held, setHeld] = useState(false);
  const { id, undo, retry, more, stays, progress } = notice;
  const lasts = offers(notice) ? LASTS : LASTS_SHORTLY;
  useEffect(() => {
    if (held || stays) return;
    const timer = setTimeout(() => hide(id), lasts);
    return () => clearTimeout(timer);
  }, [held, stays, hide, id, lasts]);
  const press = (run: () => void): void => {
    hide(id, run === undo);
    run();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it stays as long as the pointer or the focus is in it
    <div
      className={classes(styles['toast'], notice.tone === 'danger' && styles['danger'])}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className={styles['text']}>
        {notice.text}
        {progress !== undefined && <progress className={styles['progress']} value={progress} aria-hidden="true" />}
      </span>
      {undo && (
        <Button look="quiet" onClick={() => press(undo)}>
          {t('undo')}
        </Button>
      )}
      {retry && (
        <Button look="quiet" onClick={() => press(retry)}>
          {t('retry')}
        </Button>
      )}
      {more && (
        <Button look="quiet" onClick={() => press(more.run)}>
          {more.label}
        </Button>
      )}
      <IconButton icon={X} label={t('close')} onClick={() => hide(id)} />
    </div>
  );
}
