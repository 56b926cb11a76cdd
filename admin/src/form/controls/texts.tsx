/** Short and long texts, e-mail addresses and passwords. */
import { type ChangeEvent, type ReactNode, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { Input, PasswordInput, Textarea } from '../../ui/input.tsx';
import styles from '../form.module.css';
import { type ControlProps, useHost } from '../host.ts';
import { usePendingInput } from '../pending-input.ts';
import { useTextDirection } from '../text-direction.ts';

/** An emptied text becomes null, unless it was an empty text before. */
function textFrom({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>): string | null {
  return target.value === '' ? null : target.value;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export function TextControl({ attribute, value, readOnly, onValue, isTitle }: ControlProps): ReactNode {
  const t = useText();
  const writing = useTextDirection();
  const isAddress = attribute.type === 'email';
  // A title may take several lines on a narrow page.
  if (isTitle) {
    return (
      <Textarea
        {...writing}
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
      {...(isAddress ? { dir: 'ltr' } : writing)}
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
  const writing = useTextDirection();
  return (
    <Textarea
      {...writing}
      value={textOf(value)}
      readOnly={readOnly}
      placeholder={attribute.placeholder ?? undefined}
      onChange={(event) => onValue(textFrom(event))}
    />
  );
}

/**
 * A password, which is never shown. It is put into the form as a whole, when the user leaves the field, presses Enter
 * or saves, so that no part of it is sent. Emptying the field keeps the stored password. The control waits for the
 * latest version: a password that was entered into an earlier one and refused would be lost, because passwords are not
 * stored on the device.
 */
export function PasswordControl({ value, readOnly, onValue, onWriting }: ControlProps): ReactNode {
  const t = useText();
  const { documentId, isOpening } = useHost();
  const [isTried, setIsTried] = useState(false);
  const committed = textOf(value);
  const [written, write] = useState(committed);
  // After saving, the form no longer has the password.
  const [committedBefore, setKnown] = useState(committed);
  const [isSet, setIsSet] = useState(false);
  if (committedBefore !== committed) {
    setKnown(committed);
    if (committed === '' && written === committedBefore) {
      write('');
      setIsSet(true);
    }
  }
  const commit = (): undefined => {
    if (written !== committed) onValue(written === '' ? undefined : written);
  };
  usePendingInput(commit);
  return (
    <>
      <PasswordInput
        value={written}
        readOnly={readOnly || isOpening}
        autoComplete="new-password"
        placeholder={isSet ? '••••••••' : undefined}
        onFocus={() => setIsTried(isOpening)}
        onBlur={commit}
        onKeyDown={({ key }) => key === 'Enter' && commit()}
        onChange={({ target }) => {
          write(target.value);
          onWriting(target.value === '' ? undefined : target.value);
        }}
      />
      <p className={styles['aside']}>
        {t(`password.${isOpening && isTried ? 'wait' : isSet ? 'set' : documentId === null ? 'new' : 'keep'}`)}
      </p>
    </>
  );
}
