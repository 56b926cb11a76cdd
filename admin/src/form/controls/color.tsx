/** A colour: a swatch and its text. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { Input } from '../../ui/input.tsx';
import styles from '../form.module.css';
import type { ControlProps } from '../host.ts';

const HEX = /^#[\da-f]{6}$/i;
const SHORT_HEX = /^#[\da-f]{3}$/i;

export function ColorControl({ attribute, value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const text = typeof value === 'string' ? value : '';
  const shown = hexOf(text);
  return (
    <div className={styles['color']}>
      <input
        type="color"
        className={styles['swatch']}
        aria-label={t('color.choose')}
        // The browser's control shows black for colours that it cannot display.
        value={shown ?? '#000000'}
        data-empty={shown === undefined || undefined}
        disabled={readOnly}
        onChange={({ target }) => onValue(target.value)}
      />
      <Input
        dir="ltr"
        value={text}
        readOnly={readOnly}
        placeholder={attribute.placeholder ?? '#rrggbb'}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => onValue(target.value === '' ? null : target.value)}
      />
    </div>
  );
}

/** The six digits for the browser's control; undefined if it cannot display the colour. */
function hexOf(text: string): string | undefined {
  if (HEX.test(text)) return text;
  return SHORT_HEX.test(text) ? text.replaceAll(/[\da-f]/gi, '$&$&') : undefined;
}
