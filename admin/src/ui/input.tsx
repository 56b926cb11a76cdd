/** Text fields and selects. Inside of a `Field` they are connected to its label, hint and error. */
import { type ComponentProps, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useText } from '../language/language.tsx';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { useField } from './field.tsx';
import { ChevronsUpDown, Eye, EyeOff } from './icons.ts';

interface InputProps extends Omit<ComponentProps<'input'>, 'className' | 'size'> {
  /** `title`: set in large type. */
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

/** A password field whose text can be shown. */
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

/** Whether the browser fits a control to its text: `field-sizing: content`. */
const GROWS = typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content');

/** A text area that grows with its text. */
export function Textarea({
  look = 'plain',
  ref,
  ...rest
}: Omit<ComponentProps<'textarea'>, 'className' | 'ref'> &
  Pick<InputProps, 'look'> & { readonly ref?: RefObject<HTMLTextAreaElement | null> }): ReactNode {
  const own = useRef<HTMLTextAreaElement>(null);
  const place = ref ?? own;
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

/** Sets the height of a control to that of its text. */
function fitText(control: HTMLTextAreaElement): void {
  const { style, offsetHeight, clientHeight } = control;
  style.height = 'auto';
  style.height = `${control.scrollHeight + offsetHeight - clientHeight}px`;
}

interface SelectProps extends Omit<ComponentProps<'select'>, 'className' | 'children' | 'onChange'> {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly onValue?: (value: string) => void;
}

/** A select of the browser, which phones and screen readers know best. For many options there is `Combobox`. */
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
