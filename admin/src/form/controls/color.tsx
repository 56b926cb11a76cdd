/** A colour: as it looks, and as it is written. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { Input } from '../../ui/input.tsx';
import styles from '../form.module.css';
import type { ControlProps } from '../host.ts';

const HEX = /^#[\da-f]{6}$/i;

export function ColorControl({ attribute, value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const text = typeof value === 'string' ? value : '';
  return (
    <div className={styles['color']}>
      <input
        type="color"
        className={styles['swatch']}
        aria-label={t('color.choose')}
        // the browser's own shows black for what it cannot read
        value={HEX.test(text) ? text : '#000000'}
        data-empty={text === '' || undefined}
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
