/** A text field with suggestions, for many options or options of the server. */
import * as Radix from '@radix-ui/react-popover';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useText } from '../language/language.tsx';
import { Skeleton } from './bits.tsx';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { useField } from './field.tsx';
import floating from './floating.module.css';
import { Check, ChevronsUpDown, Plus } from './icons.ts';
import { usePress } from './press.ts';

export interface ComboboxOption {
  readonly value: string;
  readonly label: string;
  /** Small text after the label. */
  readonly note?: ReactNode;
  /** A second line, which distinguishes options with the same label. */
  readonly detail?: ReactNode;
  /** Whether the option is an action rather than a choice. */
  readonly isAction?: boolean;
}

interface Props<Option extends ComboboxOption> {
  readonly value: string | null;
  readonly options: readonly Option[];
  readonly onChoose: (option: Option) => void;
  /** Searches elsewhere; without it, the options are filtered here. */
  readonly onSearch?: (text: string) => void;
  /** Whether the options still belong to another text: then Enter selects none. */
  readonly isStale?: boolean;
  /** The total number of options, if these are the first ones, and a function that loads more. */
  readonly total?: number;
  readonly onMore?: () => void;
  /** The text for an empty result. */
  readonly none?: string;
  readonly placeholder?: string;
  /** The label, if no field provides one. */
  readonly label?: string;
}

/** Follows the "combobox with list" pattern of the ARIA Authoring Practices: the focus stays in the field. */
export function Combobox<Option extends ComboboxOption>({
  value,
  options,
  onChoose,
  onSearch,
  isStale = false,
  total,
  onMore,
  none,
  placeholder,
  label,
}: Props<Option>): ReactNode {
  const t = useText();
  const listId = useId();
  const ties = useField();
  const [open, setOpen] = useState(false);
  const [written, setWritten] = useState<string>();
  const [at, setAt] = useState(0);
  const chosen = options.find((option) => option.value === value);
  const needle = written?.trim().toLocaleLowerCase() ?? '';
  const found =
    onSearch || needle === '' ? options : options.filter(({ label }) => label.toLocaleLowerCase().includes(needle));
  const current = found[Math.min(at, found.length - 1)];
  const { length: things } = found.filter(({ isAction }) => !isAction);
  const remaining = Math.max(0, (total ?? 0) - things);
  const hasMore = onMore !== undefined && remaining > 0;
  const panel = useRef<HTMLDivElement>(null);
  /** Whether Enter was pressed before the options for the text arrived. */
  const isPressed = useRef(false);

  const close = (): void => {
    setOpen(false);
    isPressed.current = false;
    if (written === undefined) return;
    setWritten(undefined);
    // The next time, it opens with all options rather than with the last search.
    if (written.trim() !== '') onSearch?.('');
  };
  const choose = (option: Option | undefined): void => {
    if (option) onChoose(option);
    close();
  };
  const press = usePress(choose);
  const show = (): void => {
    setOpen(true);
    setAt(
      Math.max(
        0,
        found.findIndex((option) => option.value === value),
      ),
    );
  };
  const isMoved = useRef(false);
  useEffect(() => {
    if (!isMoved.current) return;
    panel.current?.querySelector('[data-highlighted]')?.scrollIntoView({ block: 'nearest' });
    isMoved.current = false;
  });
  useEffect(() => {
    if (!open || isStale) return;
    if (isPressed.current) choose(current);
    // A list that does not fill its panel cannot be scrolled, so the next page is loaded at once.
    else if (hasMore && panel.current && isAtEnd(panel.current)) onMore?.();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!open) show();
      else if (step > 0 && hasMore && at >= found.length - 1) {
        // Moves to the next option, which is loading.
        setAt(found.length);
        onMore?.();
      } else setAt((Math.min(at, found.length - 1) + step + found.length) % Math.max(1, found.length));
      isMoved.current = true;
    } else if (event.key === 'Enter' && open) {
      event.preventDefault();
      if (isStale) isPressed.current = true;
      else choose(current);
    } else if (event.key === 'Escape' && open) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };

  return (
    <Radix.Root open={open}>
      <Radix.Anchor asChild>
        <div className={styles['around']}>
          <input
            {...ties}
            {...(label !== undefined && { id: undefined, required: false, 'aria-label': label })}
            role="combobox"
            dir="auto"
            aria-expanded={open}
            aria-controls={open ? listId : undefined}
            aria-autocomplete="list"
            aria-activedescendant={open && current ? `${listId}-${current.value}` : undefined}
            autoComplete="off"
            className={classes(styles['control'], styles['withEnd'])}
            placeholder={placeholder}
            value={written ?? chosen?.label ?? ''}
            onChange={(event) => {
              setWritten(event.target.value);
              setOpen(true);
              setAt(0);
              onSearch?.(event.target.value);
            }}
            onClick={show}
            onBlur={close}
            onKeyDown={onKeyDown}
          />
          <span className={classes(styles['end'], styles['passive'])}>
            <ChevronsUpDown size={14} />
          </span>
        </div>
      </Radix.Anchor>
      <Radix.Portal>
        <Radix.Content
          ref={panel}
          onScroll={({ currentTarget }) => hasMore && isAtEnd(currentTarget) && onMore?.()}
          className={classes(floating['panel'], floating['proposals'])}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={t('combobox.results', { count: things })}
          onOpenAutoFocus={(event) => event.preventDefault()}
          // A press into the list would move the focus out of the field.
          onPointerDown={(event) => event.preventDefault()}
        >
          {things === 0 && !isStale && <p className={floating['heading']}>{none ?? t('combobox.none')}</p>}
          <div id={listId} role="listbox" aria-label={t('combobox.results', { count: things })}>
            {found.map((option, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
              <div
                key={option.value}
                id={`${listId}-${option.value}`}
                role="option"
                aria-selected={option.value === value}
                aria-setsize={option.isAction ? undefined : total}
                aria-posinset={total === undefined || option.isAction ? undefined : index + 1}
                className={floating['item']}
                data-highlighted={option === current ? '' : undefined}
                onPointerMove={() => setAt(found.indexOf(option))}
                {...press(option)}
              >
                {option.isAction && <Plus />}
                <span className={floating['grow']}>
                  <span dir="auto" className={floating['line']}>
                    {option.label}
                  </span>
                  {option.detail && (
                    <span dir="auto" className={classes(floating['line'], floating['detail'])}>
                      {option.detail}
                    </span>
                  )}
                </span>
                {option.note}
                {option.value === value && <Check />}
              </div>
            ))}
          </div>
          {things === 0 && isStale && <Skeleton width="60%" />}
          {hasMore && things > 0 && <p className={floating['heading']}>{t('combobox.more', { count: remaining })}</p>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The distance from the end of the list, in pixels, at which more is loaded. */
const AHEAD = 120;

const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < AHEAD;
