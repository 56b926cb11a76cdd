/** Controls for the options of attributes and types. */
import { type ReactNode, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { ArrowDown, ArrowUp, Plus, X } from '../../ui/icons.ts';
import { Input, Textarea } from '../../ui/input.tsx';
import { parsedObject } from './option-texts.ts';
import styles from './types.module.css';

interface NumberProps {
  readonly label: string;
  readonly value: unknown;
  /** Whether the number may have decimal places and a sign. */
  readonly isWhole?: boolean;
  /** Whether long numbers stay exact as texts. */
  readonly isBig?: boolean;
  readonly onValue: (value: number | string | undefined) => void;
}

/** A number, or none. An invalid text is not passed on. */
export function NumberField({ label, value, isWhole = false, isBig = false, onValue }: NumberProps): ReactNode {
  const t = useText();
  const [text, setText] = useState(value === undefined || value === null ? '' : String(value));
  const isValid = text.trim() === '' || (isWhole ? /^\d+$/ : isBig ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/).test(text.trim());
  return (
    <Field label={label} error={isValid ? undefined : t('form.problem.noNumber')}>
      <Input
        value={text}
        // A long number would lose digits in a number field.
        {...(!isBig && { type: 'number', step: isWhole ? 1 : 'any', ...(isWhole && { min: 0 }) })}
        inputMode={isWhole ? 'numeric' : 'decimal'}
        autoComplete="off"
        onChange={({ target }) => {
          setText(target.value);
          const next = target.value.trim();
          if (next === '') onValue(undefined);
          else if (/^-?\d+(?:\.\d+)?$/.test(next)) onValue(isBig ? next : Number(next));
        }}
      />
    </Field>
  );
}

interface ListProps {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly add: string;
  readonly values: readonly string[];
  readonly onValues: (values: readonly string[]) => void;
}

/** A list of texts in order. */
export function TextListField({ label, hint, error, add, values, onValues }: ListProps): ReactNode {
  const t = useText();
  const swap = (one: number, other: number): void => {
    const next = [...values];
    [next[one], next[other]] = [next[other]!, next[one]!];
    onValues(next);
  };
  return (
    <Field label={label} group error={error} {...(hint !== undefined && { hint })}>
      <ul className={styles['texts']}>
        {values.map((value, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a text keeps its field while it changes
          <li key={at}>
            <Input
              id={undefined}
              aria-label={t('types.list.entry', { name: label, number: at + 1 })}
              value={value}
              autoComplete="off"
              onChange={({ target }) => onValues(values.map((other, place) => (place === at ? target.value : other)))}
            />
            <IconButton
              icon={ArrowUp}
              label={t('types.list.up', { number: at + 1 })}
              disabled={at === 0}
              onClick={() => swap(at, at - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={t('types.list.down', { number: at + 1 })}
              disabled={at === values.length - 1}
              onClick={() => swap(at, at + 1)}
            />
            <IconButton
              icon={X}
              label={t('types.list.remove', { number: at + 1 })}
              onClick={() => onValues(values.filter((_, place) => place !== at))}
            />
          </li>
        ))}
      </ul>
      <div>
        <Button icon={Plus} onClick={() => onValues([...values, ''])}>
          {add}
        </Button>
      </div>
    </Field>
  );
}

interface JsonProps {
  readonly label: string;
  readonly hint: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Further options as JSON. */
export function JsonField({ label, hint, text, onText }: JsonProps): ReactNode {
  const t = useText();
  return (
    <Field label={label} hint={hint} error={parsedObject(text) ? undefined : t('types.json.wrong')}>
      <Textarea
        value={text}
        rows={3}
        spellCheck={false}
        autoComplete="off"
        dir="ltr"
        onChange={({ target }) => onText(target.value)}
      />
    </Field>
  );
}
