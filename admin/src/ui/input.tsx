/** Controls that one writes into or chooses from. Inside of a `Field` they are tied to its label, hint and error. */
import { type ComponentProps, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useText } from '../language/language.tsx';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { useField } from './field.tsx';
import { ChevronsUpDown, Eye, EyeOff } from './icons.ts';

interface InputProps extends Omit<ComponentProps<'input'>, 'className' | 'size'> {
  /** `title`: as large as what it is going to be on the site. */
  readonly look?: 'plain' | 'title';
}

export function Input({ look = 'plain', ...rest }: InputProps): ReactNode {
  return (
    <input
      dir="auto"
      {...useField()}
      {...rest}
      className={classes(styles['control'], look === 'title' && styles['title'])}
    />
  );
}

/** A password, which can be looked at. */
export function PasswordInput(props: Omit<InputProps, 'type' | 'look'>): ReactNode {
  const [shown, setShown] = useState(false);
  const t = useText();
  return (
    <div className={styles['around']}>
      <input
        {...useField()}
        {...props}
        type={shown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="off"
        className={classes(styles['control'], styles['withEnd'])}
      />
      <span className={styles['end']}>
        <IconButton
          icon={shown ? EyeOff : Eye}
          label={t(shown ? 'password.hide' : 'password.show')}
          onClick={() => setShown(!shown)}
        />
      </span>
    </div>
  );
}

/** Whether a browser makes a control as large as its text by itself: `field-sizing: content`. */
const GROWS = typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content');

/** Grows with what is written. */
export function Textarea({
  look = 'plain',
  ...rest
}: Omit<ComponentProps<'textarea'>, 'className' | 'ref'> & Pick<InputProps, 'look'>): ReactNode {
  const place = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (!GROWS) fitText(place.current!);
  });
  return (
    <textarea
      ref={place}
      dir="auto"
      {...useField()}
      {...rest}
      className={classes(styles['control'], look === 'title' ? styles['title'] : styles['long'])}
    />
  );
}

/** Makes a control as high as its text. */
function fitText(control: HTMLTextAreaElement): void {
  const { style, offsetHeight, clientHeight } = control;
  style.height = 'auto';
  style.height = `${control.scrollHeight + offsetHeight - clientHeight}px`;
}

interface SelectProps extends Omit<ComponentProps<'select'>, 'className' | 'children' | 'onChange'> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onValue?: (value: string) => void;
}

/** One of a few: the browser's own list, which phones and screen readers know best. For many there is `Combobox`. */
export function Select({ options, onValue, ...rest }: SelectProps): ReactNode {
  return (
    <div className={styles['around']}>
      <select
        {...useField()}
        {...rest}
        onChange={(event) => onValue?.(event.target.value)}
        className={classes(styles['control'], styles['select'])}
      >
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <span className={classes(styles['end'], styles['passive'])}>
        <ChevronsUpDown size={14} />
      </span>
    </div>
  );
}
