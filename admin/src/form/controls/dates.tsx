/** Days, times of day, and points in time: the latter in the zone of who writes, which is told. */
import { type ReactNode, useRef } from 'react';
import { useText } from '../../language/language.tsx';
import { Input } from '../../ui/input.tsx';
import styles from '../form.module.css';
import type { ControlProps } from '../host.ts';
import { fromLocal, toLocal, ZONE } from '../values/moments.ts';
import { useWritten } from './written.ts';

interface NativeProps extends ControlProps {
  readonly type: 'date' | 'time' | 'datetime-local';
  /** How the value is written in the control. */
  readonly own: string;
  readonly read: (text: string) => string;
  readonly step?: number;
}

/** The browser's own, which knows the keyboard, the phone and the order of the language. */
function Native({ value, readOnly, onValue, type, own, read, step }: NativeProps): ReactNode {
  // half of a date is read as an empty text: were that put back, what is being written would be gone
  const isPartial = useRef(false);
  const [text, write] = useWritten(own, (written) => (written === '' ? isPartial.current : read(written) === value));
  return (
    <div className={styles['date']}>
      <Input
        type={type}
        value={text}
        readOnly={readOnly}
        step={step}
        onChange={({ target }) => {
          isPartial.current = target.validity.badInput;
          write(target.value);
          // what was there counts until it is whole
          if (isPartial.current) return;
          onValue(target.value === '' ? null : read(target.value));
        }}
      />
    </div>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export function DateControl(props: ControlProps): ReactNode {
  return <Native {...props} type="date" own={textOf(props.value).slice(0, 10)} read={(text) => text} />;
}

/** Seconds and their parts are shown where the value has some. */
export function TimeControl(props: ControlProps): ReactNode {
  const own = textOf(props.value)
    .replace(/\.0+$/, '')
    .replace(/^(\d\d:\d\d):00$/, '$1');
  return <Native {...props} type="time" own={own} read={wholeTime} step={stepOf(own)} />;
}

function wholeTime(text: string): string {
  const [hours = '00', minutes = '00', seconds = '00'] = text.split(':');
  const [whole = '00', parts = ''] = seconds.split('.');
  return `${hours}:${minutes}:${whole}.${parts.padEnd(3, '0')}`;
}

/** Seconds between two values that can be chosen. */
function stepOf(text: string): number {
  if (text.includes('.')) return 0.001;
  return /:\d\d:\d\d/.test(text) ? 1 : 60;
}

export function DatetimeControl(props: ControlProps): ReactNode {
  const t = useText();
  const own = toLocal(textOf(props.value));
  return (
    <>
      <Native {...props} type="datetime-local" own={own} read={fromLocal} step={stepOf(own)} />
      <p className={styles['aside']}>{t('date.zone', { zone: ZONE })}</p>
    </>
  );
}
