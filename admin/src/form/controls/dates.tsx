/** Dates, times of day and timestamps. Timestamps are shown in the zone of the site or the user, which is named. */
import { type ReactNode, useRef } from 'react';
import { currentZone } from '../../data/zone.ts';
import { useText } from '../../language/language.tsx';
import { Input } from '../../ui/input.tsx';
import styles from '../form.module.css';
import type { ControlProps } from '../host.ts';
import { fromLocal, toLocal } from '../values/moments.ts';
import { unparsed, unparsedText } from '../values/unparsed.ts';
import { useTypedText } from './typed-text.ts';

interface NativeProps extends ControlProps {
  readonly type: 'date' | 'time' | 'datetime-local';
  /** The value in the format of the control. */
  readonly own: string;
  readonly read: (text: string) => string;
  readonly step?: number;
}

/** The date and time inputs of the browser, which suit the keyboard, the phone and the language. */
function Native({ value, readOnly, onValue, type, own, read, step }: NativeProps): ReactNode {
  const [text, write] = useTypedText(own, (written) => written !== '' && read(written) === value);
  const isHalf = unparsedText(value) !== undefined;
  // An incomplete date that was restored from the device shows nothing that could be cleared.
  const wasHalf = useRef(false);
  // Browsers report an incomplete date as an empty text, and send no event when a date becomes incomplete.
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
          // An hour that a change of clocks skips becomes another one.
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

/** Shows seconds and milliseconds if the value has any. */
export function TimeControl(props: ControlProps): ReactNode {
  const own = textOf(props.value)
    .replace(/\.0+$/, '')
    .replace(/^(\d\d:\d\d):00$/, '$1');
  return <Native {...props} type="time" own={own} read={completeTime} step={stepOf(own)} />;
}

function completeTime(text: string): string {
  const [hours = '00', minutes = '00', seconds = '00'] = text.split(':');
  const [whole = '00', parts = ''] = seconds.split('.');
  return `${hours}:${minutes}:${whole}.${parts.padEnd(3, '0')}`;
}

/** The step of the control in seconds. */
function stepOf(text: string): number {
  if (text.includes('.')) return 0.001;
  return /:\d\d:\d\d/.test(text) ? 1 : 60;
}

export function DatetimeControl(props: ControlProps): ReactNode {
  const t = useText();
  const own = toLocal(textOf(props.value));
  return (
    <>
      <Native {...props} type="datetime-local" own={own} read={(text) => fromLocal(text)} step={stepOf(own)} />
      <p className={styles['aside']}>{t('date.zone', { zone: currentZone() })}</p>
    </>
  );
}
