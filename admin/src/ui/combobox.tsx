/** A field that proposes as one writes: for what is too much for a list, or has to be asked for. */
import * as Radix from '@radix-ui/react-popover';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { useText } from '../language/language.tsx';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { useField } from './field.tsx';
import floating from './floating.module.css';
import { Check, ChevronsUpDown } from './icons.ts';
import { usePress } from './press.ts';

export interface ComboboxOption {
  readonly value: string;
  readonly label: string;
  /** Small, behind the label. */
  readonly note?: ReactNode;
}

interface Props<Option extends ComboboxOption> {
  readonly value: string | null;
  readonly options: readonly Option[];
  readonly onChoose: (option: Option) => void;
  /** Given where what is written is sought elsewhere; else the options are filtered here. */
  readonly onSearch?: (text: string) => void;
  readonly placeholder?: string;
  /** Names it where no field does. */
  readonly label?: string;
}

/** The pattern "combobox with list" of the ARIA Authoring Practices: the focus stays in the field. */
export function Combobox<Option extends ComboboxOption>({
  value,
  options,
  onChoose,
  onSearch,
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

  const close = (): void => {
    setOpen(false);
    setWritten(undefined);
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
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (!open) show();
      else setAt((at + step + found.length) % Math.max(1, found.length));
    } else if (event.key === 'Enter' && open) {
      event.preventDefault();
      choose(current);
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
          className={classes(floating['panel'], floating['proposals'])}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={t('combobox.results', { count: found.length })}
          onOpenAutoFocus={(event) => event.preventDefault()}
          // a press into the list would take the focus out of the field
          onPointerDown={(event) => event.preventDefault()}
        >
          <div id={listId} role="listbox" aria-label={t('combobox.results', { count: found.length })}>
            {found.map((option) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
              <div
                key={option.value}
                id={`${listId}-${option.value}`}
                role="option"
                aria-selected={option.value === value}
                className={floating['item']}
                data-highlighted={option === current ? '' : undefined}
                onPointerMove={() => setAt(found.indexOf(option))}
                {...press(option)}
              >
                <span dir="auto" className={floating['grow']}>
                  {option.label}
                </span>
                {option.note}
                {option.value === value && <Check />}
              </div>
            ))}
          </div>
          {found.length === 0 && <p className={floating['heading']}>{t('combobox.none')}</p>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
