/** A menu that opens from a button. */
import * as Radix from '@radix-ui/react-dropdown-menu';
import { type ReactElement, type ReactNode, useRef } from 'react';
import { classes } from './classes.ts';
import styles from './floating.module.css';
import type { Icon } from './icon.tsx';
import { Check } from './icons.ts';
import { KeyCaps } from './kbd.tsx';

interface MenuProps {
  /** The button. */
  readonly trigger: ReactElement;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  readonly side?: 'top' | 'bottom';
}

export function Menu({ trigger, children, align = 'start', side = 'bottom' }: MenuProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  return (
    // A modal menu would hide the focused element from screen readers.
    <Radix.Root modal={false}>
      <Radix.Trigger asChild ref={button}>
        {trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={styles['panel']}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          // The button toggles the menu by itself: a menu that is still closing would close the one that was just
          // opened.
          onInteractOutside={(event) => button.current?.contains(event.target as Node) && event.preventDefault()}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ItemProps {
  readonly icon?: Icon;
  readonly keys?: string;
  readonly dangerous?: boolean;
  readonly disabled?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ icon: Icon, keys, dangerous, disabled = false, onSelect, children }: ItemProps): ReactNode {
  return (
    <Radix.Item
      className={classes(styles['item'], dangerous && styles['dangerous'])}
      disabled={disabled}
      onSelect={onSelect}
    >
      {Icon && <Icon />}
      <span className={styles['grow']}>{children}</span>
      {keys !== undefined && <KeyCaps keys={keys} />}
    </Radix.Item>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly label: string; readonly icon?: Icon }[];
  readonly onChange: (value: T) => void;
}

/** A choice of one value, under a heading. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>): ReactNode {
  return (
    <Radix.RadioGroup value={value} onValueChange={(chosen) => onChange(chosen as T)} aria-label={label}>
      <Radix.Label className={styles['heading']}>{label}</Radix.Label>
      {options.map(({ value: own, label: name, icon: Icon }) => (
        <Radix.RadioItem key={own} value={own} className={styles['item']} onSelect={(event) => event.preventDefault()}>
          {Icon && <Icon />}
          <span className={styles['grow']}>{name}</span>
          <Radix.ItemIndicator>
            <Check />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  );
}

/** Items that belong together, under a heading. */
export function MenuHeading({ text, children }: { readonly text: string; readonly children: ReactNode }): ReactNode {
  return (
    <Radix.Group aria-label={text}>
      <Radix.Label className={styles['heading']}>{text}</Radix.Label>
      {children}
    </Radix.Group>
  );
}

export function MenuRule(): ReactNode {
  return <Radix.Separator className={styles['rule']} />;
}
