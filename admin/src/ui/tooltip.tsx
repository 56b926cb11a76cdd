/** Words that appear beside something on hover and focus. What they say is also said otherwise: touch shows none. */
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
  /** Keys that do the same: `mod+k`. */
  readonly keys?: string;
  readonly children: ReactElement;
}

/** Whether what happens now was set off with a pointer. */
const Pointed = createContext<RefObject<boolean>>({ current: false });

export function Tooltip({ text, keys, children }: Props): ReactNode {
  const isPointed = useContext(Pointed);
  // the focus comes back to a button whose menu or dialogue was closed with a pointer: the button is known, and the
  // pointer, which takes the words away by leaving, is elsewhere
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

/** Milliseconds of resting on something before it explains itself. */
const RESTING = 450;

/** Around the app: once one has appeared, the next ones appear at once. */
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
