/** Booleans and enumerations. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { classes } from '../../ui/classes.ts';
import { useField } from '../../ui/field.tsx';
import { Select } from '../../ui/input.tsx';
import styles from '../form.module.css';
import type { ControlProps } from '../host.ts';

/** Yes, no, and a third option if the value is optional and unset. */
export function BooleanControl({ attribute, value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const ties = useField();
  const answers = [
    { of: true, text: t('boolean.yes') },
    { of: false, text: t('boolean.no') },
    ...(attribute.required ? [] : [{ of: null, text: t('boolean.notSaid') }]),
  ];
  return (
    <div className={styles['answers']} role="radiogroup" aria-labelledby={`${ties?.id}-label`}>
      {answers.map(({ of, text }) => (
        <label key={text} className={classes(styles['answer'], of === null && styles['answerNone'])}>
          <input
            type="radio"
            name={ties?.id}
            checked={(value ?? null) === of}
            disabled={readOnly}
            onChange={() => onValue(of)}
          />
          {text}
        </label>
      ))}
    </div>
  );
}

export function EnumerationControl({ attribute, value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const chosen = typeof value === 'string' ? value : '';
  const values = attribute.enum ?? [];
  // A value that is no longer in the schema is shown, so that it is not changed unnoticed.
  const options = chosen === '' || values.includes(chosen) ? values : [...values, chosen];
  return (
    <Select
      value={chosen}
      disabled={readOnly}
      options={[{ value: '', label: t('choice.none') }, ...options.map((name) => ({ value: name, label: name }))]}
      onValue={(name) => onValue(name === '' ? null : name)}
    />
  );
}
