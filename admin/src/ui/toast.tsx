/** Notices in the corner: what was done, with a way back. */
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../language/language.tsx';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { X } from './icons.ts';
import styles from './toast.module.css';

export interface Notice {
  readonly text: string;
  readonly tone?: 'danger';
  readonly undo?: () => void;
  readonly retry?: () => void;
}

interface Shown extends Notice {
  readonly id: number;
}

/** Milliseconds: time to take something back. */
const LASTS = 10_000;
/** Milliseconds of one that only tells. */
const LASTS_SHORTLY = 5_000;
/** Those before the last ones have been seen. */
const MOST = 3;

const ToastContext = createContext<{ show: (notice: Notice) => void }>({ show: () => {} });

/** Gives `show`, which tells something without interrupting. */
export function useToasts(): { readonly show: (notice: Notice) => void } {
  return use(ToastContext);
}

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const last = useRef(0);
  const show = useCallback((notice: Notice) => {
    last.current += 1;
    const next = { ...notice, id: last.current };
    setShown((before) => [...before, next].slice(-MOST));
  }, []);
  const hide = useCallback((id: number) => setShown((before) => before.filter((notice) => notice.id !== id)), []);
  const value = useMemo(() => ({ show }), [show]);
  return (
    <ToastContext value={value}>
      {children}
      {/* there from the beginning: what is put into it is read out */}
      <div className={styles['corner']} role="status" aria-live="polite">
        {shown.map((notice) => (
          <Toast key={notice.id} notice={notice} hide={hide} />
        ))}
      </div>
    </ToastContext>
  );
}

function Toast({ notice, hide }: { readonly notice: Shown; readonly hide: (id: number) => void }): ReactNode {
  const t = useText();
  const [held, setHeld] = useState(false);
  const { id, undo, retry } = notice;
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => hide(id), undo || retry ? LASTS : LASTS_SHORTLY);
    return () => clearTimeout(timer);
  }, [held, hide, id, undo, retry]);
  const press = (run: () => void): void => {
    hide(id);
    run();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it stays as long as somebody is in it
    <div
      className={classes(styles['toast'], notice.tone === 'danger' && styles['danger'])}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span className={styles['text']}>{notice.text}</span>
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
      <IconButton icon={X} label={t('close')} onClick={() => hide(id)} />
    </div>
  );
}
