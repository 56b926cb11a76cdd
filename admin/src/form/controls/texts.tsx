/** Texts in lines: short ones, long ones, addresses, passwords. */
import type { ChangeEvent, ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { Input, PasswordInput, Textarea } from '../../ui/input.tsx';
import styles from '../form.module.css';
import type { ControlProps } from '../host.ts';

/** What is emptied is nothing, unless it was an empty text before. */
function textFrom({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>): string | null {
  return target.value === '' ? null : target.value;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export function TextControl({ attribute, value, readOnly, onValue, isTitle }: ControlProps): ReactNode {
  const t = useText();
  const isAddress = attribute.type === 'email';
  // a title is as long as it is, so it may take several lines on a narrow page
  if (isTitle) {
    return (
      <Textarea
        look="title"
        rows={1}
        value={textOf(value)}
        readOnly={readOnly}
        placeholder={attribute.placeholder ?? t('document.untitled')}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        onChange={(event) => onValue(textFrom(event)?.replaceAll(/[\r\n]+/g, ' ') ?? null)}
      />
    );
  }
  return (
    <Input
      type={isAddress ? 'email' : 'text'}
      value={textOf(value)}
      readOnly={readOnly}
      placeholder={attribute.placeholder ?? undefined}
      autoComplete="off"
      spellCheck={!isAddress}
      onChange={(event) => onValue(textFrom(event))}
    />
  );
}

export function LongTextControl({ attribute, value, readOnly, onValue }: ControlProps): ReactNode {
  return (
    <Textarea
      value={textOf(value)}
      readOnly={readOnly}
      placeholder={attribute.placeholder ?? undefined}
      onChange={(event) => onValue(textFrom(event))}
    />
  );
}

/** Written only: what is stored is never shown. Emptied again, it stays what it was. */
export function PasswordControl({ value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  return (
    <>
      <PasswordInput
        value={textOf(value)}
        readOnly={readOnly}
        autoComplete="new-password"
        onChange={({ target }) => onValue(target.value === '' ? undefined : target.value)}
      />
      <p className={styles['aside']}>{t('password.keep')}</p>
    </>
  );
}
