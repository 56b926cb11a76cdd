/** Tooltips on hover and focus. Their text is always available in another way, because touch devices show none. */
import * as Radix from '@radix-ui/react-tooltip';
import {
  createContext,
  type FocusEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
} from 'react';
import styles from './floating.module.css';
import { KeyCaps } from './kbd.tsx';

interface Props {
  readonly text: string;
  /** The shortcut of the element: `mod+k`. */
  readonly keys?: string;
  readonly children: ReactElement;
}

/** Whether the current event was caused by a pointer. */
const Pointed = createContext<RefObject<boolean>>({ current: false });

export function Tooltip({ text, keys, children }: Props): ReactNode {
  const isPointed = useContext(Pointed);
  // The focus returns to a button when its menu or dialog is closed with a pointer. No tooltip is needed then, and it
  // would not disappear, because the pointer is elsewhere.
  const onFocus = (event: FocusEvent): void => {
    if (isPointed.current) event.preventDefault();
  };
  return (
    <Radix.Root>
      <Radix.Trigger asChild onFocus={onFocus}>
        {children}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles['tooltip']} sideOffset={6} collisionPadding={8}>
          {text}
          {keys !== undefined && <KeyCaps keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The milliseconds of hovering before a tooltip appears. */
const RESTING = 450;

/** Wraps the app: once one tooltip has appeared, the next ones appear at once. */
export function TooltipProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const isPointed = useRef(false);
  useEffect(() => {
    const note = ({ type }: Event): void => {
      isPointed.current = type === 'pointerdown';
    };
    const events = ['pointerdown', 'keydown'];
    for (const name of events) addEventListener(name, note, true);
    return () => {
      for (const name of events) removeEventListener(name, note, true);
    };
  }, []);
  return (
    <Pointed value={isPointed}>
      <Radix.Provider delayDuration={RESTING}>{children}</Radix.Provider>
    </Pointed>
  );
}
