/** A checkbox, which takes effect when the form is sent, and a switch, which takes effect at once. */
import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './toggle.module.css';

interface Props extends Omit<ComponentProps<'input'>, 'type' | 'className' | 'onChange'> {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly onValue?: (value: boolean) => void;
}

export function Checkbox({ label, hint, onValue, ...rest }: Props): ReactNode {
  return (
    <Row label={label} hint={hint}>
      {(ties) => (
        <input
          type="checkbox"
          {...rest}
          {...ties}
          className={styles['box']}
          onChange={(event) => onValue?.(event.target.checked)}
        />
      )}
    </Row>
  );
}

export function Switch({ label, hint, onValue, ...rest }: Props): ReactNode {
  return (
    <Row label={label} hint={hint}>
      {(ties) => (
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says itself whether it is checked
          role="switch"
          {...rest}
          {...ties}
          className={styles['switch']}
          onChange={(event) => onValue?.(event.target.checked)}
        />
      )}
    </Row>
  );
}

/** A checkbox without a visible label, as in the rows of a table. */
export function BareCheckbox({
  label,
  checked,
  onValue,
  ...rest
}: {
  readonly label: string;
  /** `mixed`: some of its entries are selected. */
  readonly checked: boolean | 'mixed';
  /** The second argument is true while Shift is pressed. */
  readonly onValue: (value: boolean, shift: boolean) => void;
  readonly tabIndex?: number;
  readonly disabled?: boolean;
}): ReactNode {
  const ref = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = checked === 'mixed';
  }, [checked]);
  return (
    <input
      {...rest}
      ref={ref}
      type="checkbox"
      aria-label={label}
      className={styles['box']}
      checked={checked === true}
      // React reports the click that changes a checkbox.
      onChange={({ target, nativeEvent }) => onValue(target.checked, (nativeEvent as MouseEvent).shiftKey === true)}
    />
  );
}

interface Ties {
  readonly id: string;
  readonly 'aria-describedby'?: string;
}

function Row({
  label,
  hint,
  children,
}: Pick<Props, 'label' | 'hint'> & { readonly children: (ties: Ties) => ReactNode }): ReactNode {
  const id = useId();
  const ties = hint === undefined ? { id } : { id, 'aria-describedby': `${id}-hint` };
  return (
    <div className={styles['row']}>
      {children(ties)}
      <div>
        <label htmlFor={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className={styles['hint']}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
