/** Suggestions below a text that has the focus: its keys move among them, choose one or close them. */
import * as Radix from '@radix-ui/react-popover';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { classes } from './classes.ts';
import styles from './floating.module.css';

interface Options<Item> {
  /** The suggestions; without any the list is closed. */
  readonly found: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  readonly onChoose: (item: Item) => void;
  readonly onClose: () => void;
}

export interface Suggestions<Item> extends Options<Item> {
  readonly listId: string;
  readonly isOpen: boolean;
  readonly current: Item | undefined;
  /** Highlights the suggestion at a place. */
  readonly goTo: (at: number) => void;
  /** Called with each key of the text. Returns whether the suggestions have handled it. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  /** Attributes for the text. */
  readonly ties: { readonly 'aria-controls'?: string; readonly 'aria-activedescendant'?: string };
}

export function useSuggestions<Item>(options: Options<Item>): Suggestions<Item> {
  const { found, keyOf, onChoose, onClose } = options;
  const listId = useId();
  const [at, setAt] = useState(0);
  const current = found[Math.min(at, found.length - 1)];
  const isOpen = current !== undefined;
  const onKey = (event: KeyboardEvent): boolean => {
    if (!isOpen || event.nativeEvent.isComposing) return false;
    const index = found.indexOf(current);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1 + found.length }[event.key];
    if (next !== undefined && !event.altKey) setAt(next % found.length);
    else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) onChoose(current);
    else if (event.key === 'Escape') onClose();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const ties = isOpen ? { 'aria-controls': listId, 'aria-activedescendant': `${listId}-${keyOf(current)}` } : {};
  return { ...options, listId, isOpen, current, goTo: setAt, onKey, ties };
}

interface ListProps<Item> {
  readonly of: Suggestions<Item>;
  readonly label: string;
  readonly className: string | undefined;
  /** A `Radix.Anchor`, which may contain the text. */
  readonly anchor: ReactNode;
  readonly children: (item: Item) => ReactNode;
}

export function SuggestionList<Item>({
  of: { found, keyOf, onChoose, onClose, listId, isOpen, current, goTo },
  label,
  className,
  anchor,
  children,
}: ListProps<Item>): ReactNode {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      {anchor}
      <Radix.Portal>
        <Radix.Content
          className={classes(styles['panel'], className)}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          // The text counts as a part of the suggestions.
          onFocusOutside={(event) => event.preventDefault()}
        >
          <div role="listbox" id={listId} aria-label={label}>
            {found.map((item, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the text
              <div
                key={keyOf(item)}
                ref={item === current ? intoSight : null}
                id={`${listId}-${keyOf(item)}`}
                role="option"
                tabIndex={-1}
                aria-selected={item === current}
                data-highlighted={item === current ? '' : undefined}
                className={styles['item']}
                // Keeps the focus and the selection of the text.
                onMouseDown={(event) => event.preventDefault()}
                onMouseMove={() => goTo(index)}
                onClick={() => onChoose(item)}
              >
                {children(item)}
              </div>
            ))}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function intoSight(element: HTMLDivElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
