/** Chooses an action and the time at which it happens. */

import { type ReactNode, useId, useState } from 'react';
import type { ScheduledAction } from '../../../contract/schedule.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import shared from '../../app/settings.module.css';
import { RefusedError } from '../../data/client.ts';
import { fieldName } from '../../form/values/field-name.ts';
import type { Path, Values } from '../../form/values/model.ts';
import { fromLocal, timesOf, toLocal } from '../../form/values/moments.ts';
import { useLocale, useText } from '../../language/language.tsx';
import { failureText, refusalText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { CircleAlert, Clock } from '../../ui/icons.ts';
import { Input, Select } from '../../ui/input.tsx';
import styles from './schedule.module.css';
import { offsetText, placeOf, timeText, wallText, whenSummary } from './when-text.ts';

/** What the user has chosen. */
export interface Choice {
  readonly action: ScheduledAction;
  readonly at: string;
  /** Undefined on types without locales. */
  readonly locale: string | undefined;
}

interface Props {
  readonly open: boolean;
  readonly schema: Schema;
  readonly model: ContentType;
  /** The locale of the page; null on types without locales. */
  readonly locale: string | null;
  /** How many documents. */
  readonly count: number;
  /** Whether unpublishing comes first, because the document is on the site and has no changes. */
  readonly unpublishes?: boolean;
  /** The values of the document, by which its errors name fields. */
  readonly values?: Values;
  readonly onClose: () => void;
  /** Schedules the choice. Its errors are shown. */
  readonly onSchedule: (choice: Choice) => Promise<void>;
}

const ALL = '*';
/** Without a choice, it happens tomorrow at nine. */
const [DAY, NINE] = [86_400_000, '09:00'];

export function ScheduleDialog({ open, onClose, ...rest }: Props): ReactNode {
  return open ? <OpenDialog {...rest} onClose={onClose} /> : null;
}

function OpenDialog(props: Omit<Props, 'open'>): ReactNode {
  const t = useText();
  const { schema, model, locale, count, unpublishes = false, values = {}, onClose, onSchedule } = props;
  const form = useId();
  const [action, setAction] = useState<ScheduledAction>(unpublishes ? 'unpublish' : 'publish');
  const [day, setDay] = useState(() => toLocal(new Date(Date.now() + DAY).toISOString()).slice(0, 10));
  const [time, setTime] = useState(NINE);
  const [isSecond, setSecond] = useState(false);
  const [code, setCode] = useState(locale ?? ALL);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const local = `${day}T${time}`;
  const times = timesOf(local);
  const isComplete = day !== '' && time !== '';
  // An hour that is skipped becomes the one behind it, and of an hour that comes twice one is chosen.
  const at = isComplete ? ((isSecond ? times[1] : times[0]) ?? fromLocal(local)) : undefined;
  const isPast = at !== undefined && Date.parse(at) <= Date.now();
  const send = async (): Promise<void> => {
    if (at === undefined || isPast || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSchedule({ action, at, locale: locale === null ? undefined : code });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  // Mistakes in the choice are shown at its fields, all others below.
  const fields = error instanceof RefusedError ? error.fields : [];
  const errorOf = (name: 'at' | 'locale'): { readonly error: string } | undefined => {
    const found = fields.find(({ path }) => path[0] === name);
    return found && { error: refusalText(t, found) };
  };
  const others = fields.filter(({ path }) => path[0] !== 'at' && path[0] !== 'locale');
  const named = schema.locales.find((one) => one.code === locale)?.name ?? locale ?? '';
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={count === 1 ? t('schedule.title') : t('schedule.title.many', { count })}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="primary" type="submit" form={form} busy={busy} disabled={at === undefined || isPast}>
            {t('schedule.do')}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <div className={shared['pair']}>
          <Field label={t('schedule.action')}>
            <Select
              value={action}
              onValue={(value) => setAction(value as ScheduledAction)}
              options={(['publish', 'unpublish'] as const).map((value) => ({ value, label: t(`schedule.${value}`) }))}
            />
          </Field>
          {locale !== null && schema.locales.length > 1 && (
            <Field label={t('schedule.locale')} {...errorOf('locale')}>
              <Select
                value={code}
                onValue={setCode}
                options={[
                  { value: locale, label: named },
                  { value: ALL, label: t('schedule.locale.all') },
                ]}
              />
            </Field>
          )}
        </div>
        <div className={shared['pair']}>
          <Field label={t('schedule.day')} required>
            <Input
              type="date"
              value={day}
              min={toLocal(new Date().toISOString()).slice(0, 10)}
              onChange={(event) => setDay(event.target.value)}
            />
          </Field>
          <Field
            label={t('schedule.time')}
            note={t('schedule.zone', { place: placeOf() })}
            required
            {...(isPast ? { error: t('refused.past') } : errorOf('at'))}
          >
            <Input type="time" value={time} onChange={(event) => setTime(event.target.value)} />
          </Field>
        </div>
        {times.length > 1 && <Twice times={times} isSecond={isSecond} onSecond={setSecond} />}
        <Summary at={at} isSkipped={isComplete && times.length === 0} typed={time} isPast={isPast} />
        {error !== undefined && (fields.length === 0 || others.length > 0) && (
          <Refusal text={failureText(t, error)} fields={others} {...{ schema, model, values }} />
        )}
      </form>
    </Dialog>
  );
}

interface TwiceProps {
  readonly times: readonly string[];
  readonly isSecond: boolean;
  readonly onSecond: (isSecond: boolean) => void;
}

/** Asks which of two times is meant, in an hour that comes twice. */
function Twice({ times, isSecond, onSecond }: TwiceProps): ReactNode {
  const t = useText();
  const locale = useLocale();
  const options = times.map((at, index) => ({
    value: String(index),
    label: t(index === 0 ? 'schedule.twice.first' : 'schedule.twice.second', {
      time: timeText(at, locale),
      offset: offsetText(at, locale),
    }),
  }));
  return (
    <Field label={t('schedule.twice')} hint={t('schedule.twice.why', { place: placeOf() })}>
      <Select value={isSecond ? '1' : '0'} onValue={(value) => onSecond(value === '1')} options={options} />
    </Field>
  );
}

interface SummaryProps {
  readonly at: string | undefined;
  readonly isSkipped: boolean;
  /** The time as it was typed. */
  readonly typed: string;
  readonly isPast: boolean;
}

/** When it happens, in words. */
function Summary({ at, isSkipped, typed, isPast }: SummaryProps): ReactNode {
  const t = useText();
  const locale = useLocale();
  const isShown = at !== undefined && !isPast;
  return (
    <div role="status" className={styles['summary']}>
      {isShown && (
        <p className={styles['when']}>
          <Clock size={15} />
          <span>{whenSummary(t, at, locale)}</span>
        </p>
      )}
      {isShown && isSkipped && (
        <p className={styles['note']}>
          <CircleAlert size={14} />
          <span>
            {t('schedule.skipped', { typed: wallText(typed, locale), time: timeText(at, locale), place: placeOf() })}
          </span>
        </p>
      )}
    </div>
  );
}

interface RefusalProps extends Required<Pick<Props, 'schema' | 'model' | 'values'>> {
  readonly text: string;
  /** The mistakes in the draft. */
  readonly fields: RefusedError['fields'];
}

/** Why the server refuses it now: it would refuse to publish the draft. */
function Refusal({ text, fields, schema, model, values }: RefusalProps): ReactNode {
  const t = useText();
  if (fields.length === 0) return <FormError error={text} />;
  return (
    <>
      <FormError error={t('document.advice', { count: fields.length })} />
      <ul className={styles['errors']}>
        {fields.map((one) => (
          <li key={`${one.path.join('.')} ${one.message}`}>
            <b>{fieldName(schema, model, one.path as Path, values)}</b> {refusalText(t, one)}
          </li>
        ))}
      </ul>
    </>
  );
}
