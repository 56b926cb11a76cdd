/** A label, a control, a hint and an error, connected for assistive technology. */
import { createContext, type ReactNode, use, useId, useMemo, useState } from 'react';
import { useText } from '../language/language.tsx';
import { classes } from './classes.ts';
import styles from './field.module.css';
import { CircleAlert, Globe } from './icons.ts';
import { Popover } from './popover.tsx';

/** The attributes that a control takes from its field. */
interface Ties {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
  readonly required: boolean;
}

const FieldContext = createContext<Ties | undefined>(undefined);

/** The attributes of the field around a control; undefined outside of a field. */
export function useField(): Ties | undefined {
  return use(FieldContext);
}

export interface FieldProps {
  readonly label: string;
  /** Small text beside the label: "84 of 160". */
  readonly note?: ReactNode;
  /** Shows a globe beside the label, for values that also apply elsewhere: "The same in all locales". */
  readonly shared?: string;
  readonly hint?: ReactNode;
  /** The error. */
  readonly error?: string | undefined;
  /** What has to be done before publishing. It is hidden while there is an error. */
  readonly advice?: string;
  readonly required?: boolean;
  /** The proof mark in the margin of a field that differs from the published version. */
  readonly mark?: {
    /** The difference in a few words: "was “Smoke and patience”". */
    readonly text: string;
    /** Shows the published value; `close` moves the focus to the field. */
    readonly panel?: (close: () => void) => ReactNode;
  };
  /** A button at the end of the label's line. */
  readonly aside?: ReactNode;
  /** Whether the field has several controls, or one that a label cannot name. */
  readonly group?: boolean;
  readonly children: ReactNode;
}

export function Field({
  label,
  note,
  shared,
  hint,
  error,
  advice,
  required = false,
  mark,
  aside,
  group = false,
  children,
}: FieldProps): ReactNode {
  const id = useId();
  const describedBy = [
    (error !== undefined || advice !== undefined) && `${id}-error`,
    hint !== undefined && `${id}-hint`,
    shared !== undefined && `${id}-shared`,
  ]
    .filter(Boolean)
    .join(' ');
  const invalid = error === undefined ? undefined : true;
  const ties = useMemo(
    () => ({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': invalid, required }) as const,
    [id, describedBy, invalid, required],
  );
  const around = group
    ? ({
        role: 'group',
        id: `${id}-group`,
        tabIndex: -1,
        'aria-labelledby': `${id}-label`,
        'aria-describedby': describedBy || undefined,
      } as const)
    : {};
  return (
    <div {...around} className={classes(styles['field'], mark && styles['marked'])}>
      <div className={styles['top']}>
        {group ? (
          <span id={`${id}-label`} className={styles['label']}>
            {label}
          </span>
        ) : (
          <label id={`${id}-label`} htmlFor={id} className={styles['label']}>
            {label}
          </label>
        )}
        {shared !== undefined && (
          <span role="img" id={`${id}-shared`} className={styles['shared']} aria-label={shared} title={shared}>
            <Globe size={13} />
          </span>
        )}
        {note !== undefined && <span className={styles['note']}>{note}</span>}
        {mark && <Mark {...mark} fieldId={group ? `${id}-group` : id} />}
        {aside}
      </div>
      <FieldContext value={ties}>{children}</FieldContext>
      {error !== undefined && (
        <p id={`${id}-error`} className={styles['error']}>
          <CircleAlert size={14} />
          {error}
        </p>
      )}
      {error === undefined && advice !== undefined && (
        <p id={`${id}-error`} className={styles['advice']}>
          <CircleAlert size={14} />
          {advice}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** An error of the whole form, which screen readers announce. */
export function FormError({ error }: { readonly error: string | undefined }): ReactNode {
  if (error === undefined) return null;
  return (
    <p role="alert" className={styles['formError']}>
      <CircleAlert />
      {error}
    </p>
  );
}

function Mark({ text, panel, fieldId }: NonNullable<FieldProps['mark']> & { readonly fieldId: string }): ReactNode {
  const t = useText();
  const [open, setOpen] = useState(false);
  const mark = (
    <button type="button" className={styles['mark']} title={t('field.differs')} data-mark>
      {text}
    </button>
  );
  if (!panel) return mark;
  const close = (): void => {
    setOpen(false);
    // The pressed button may be gone.
    document.getElementById(fieldId)?.focus();
  };
  return (
    <Popover label={t('field.differs')} trigger={mark} open={open} onOpenChange={setOpen}>
      {panel(close)}
    </Popover>
  );
}
