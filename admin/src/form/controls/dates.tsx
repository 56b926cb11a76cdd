/** Days, times of day, and points in time: the latter in the zone of who writes, which is told. */
import { type ReactNode, useRef } from 'react';
import { useText } from '../../language/language.tsx';
import { Input } from '../../ui/input.tsx';
import styles from '../form.module.css';
import type { ControlProps } from '../host.ts';
import { fromLocal, toLocal, ZONE } from '../values/moments.ts';
import { unparsed, unparsedText } from '../values/unparsed.ts';
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
  const [text, write] = useWritten(own, (written) => written !== '' && read(written) === value);
  const isHalf = unparsedText(value) !== undefined;
  // what the device has kept of half a date shows nothing that one could take away
  const wasHalf = useRef(false);
  // the browser gives half of a date as an empty text, and tells nobody that it has become one
  const lookForHalf = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
    const { badInput } = currentTarget.validity;
    if (badInput && !isHalf) onValue(unparsed(''));
    else if (!badInput && wasHalf.current && isHalf && currentTarget.value === '') onValue(null);
    wasHalf.current = badInput;
  };
  return (
    <div className={styles['date']}>
      <Input
        type={type}
        value={text}
        readOnly={readOnly}
        step={step}
        onChange={({ currentTarget }) => {
          write(currentTarget.value);
          if (currentTarget.validity.badInput) onValue(unparsed(''));
          else onValue(currentTarget.value === '' ? null : read(currentTarget.value));
          wasHalf.current = currentTarget.validity.badInput;
        }}
        onKeyUp={lookForHalf}
        onBlur={(event) => {
          // an hour that the clocks leave out has become another
          write(own);
          lookForHalf(event);
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
