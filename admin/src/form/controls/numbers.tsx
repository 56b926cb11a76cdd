/** Numbers as texts, so that large ones stay exact and incomplete ones are kept. */
import type { ReactNode } from 'react';
import { type Language, useLanguage, useText } from '../../language/language.tsx';
import { Input } from '../../ui/input.tsx';
import styles from '../form.module.css';
import type { ControlProps } from '../host.ts';
import { draftProblemOf } from '../values/problems.ts';
import { roundedIn } from '../values/rounded.ts';
import { same } from '../values/same.ts';
import { unparsed, unparsedText } from '../values/unparsed.ts';
import { useTypedText } from './typed-text.ts';

export function NumberControl({ attribute, value, readOnly, onValue }: ControlProps): ReactNode {
  const { type } = attribute;
  const t = useText();
  const comma = decimalOf(useLanguage());
  const plain = (text: string): string => (comma === ',' ? text.replace(',', '.') : text);
  const read = (text: string): unknown => numberFrom(type, plain(text));
  const own = unparsedText(value) ?? (value === null || value === undefined ? '' : String(value));
  const [text, write] = useTypedText(own, (written) => same(read(written), value ?? null));
  const isWhole = type === 'integer' || type === 'biginteger';
  // A number that is not saved has a message of its own.
  const isSaved = unparsedText(value) === undefined && draftProblemOf(attribute, value) === undefined;
  const rounded = !isWhole && isSaved ? roundedIn(plain(text)) : undefined;
  return (
    <>
      <div className={styles['number']}>
        <Input
          dir="ltr"
          value={text}
          readOnly={readOnly}
          placeholder={attribute.placeholder ?? undefined}
          inputMode={isWhole ? 'numeric' : 'decimal'}
          autoComplete="off"
          onChange={({ target }) => {
            write(target.value);
            onValue(read(target.value));
          }}
        />
      </div>
      {!isWhole && (
        <p className={styles['aside']} aria-live="polite">
          {rounded && t('form.inexact', rounded)}
        </p>
      )}
    </>
  );
}

/** The decimal separator of a language. If it is a comma, a point is accepted too. */
function decimalOf(language: Language): string {
  return new Intl.NumberFormat(language).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.';
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Null for an empty text. */
function numberFrom(type: string, written: string): unknown {
  const text = written.trim();
  if (text === '') return null;
  if (type === 'biginteger') {
    return /^[+-]?\d{1,40}$/.test(text) ? String(BigInt(text.replace('+', ''))) : unparsed(written);
  }
  if (!DECIMAL.test(text)) return unparsed(written);
  const number = Number(text);
  return Number.isFinite(number) ? number : unparsed(written);
}
