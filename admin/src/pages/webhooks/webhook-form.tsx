/** The form of a webhook: name, address, events by subject, and headers, whose values are not shown again. */
import { type ReactNode, useRef } from 'react';
import type { Webhook } from '../../../contract/webhooks.ts';
import { useFollowed, useForm } from '../../app/form.ts';
import { SaveButton } from '../../app/save-button.tsx';
import shared from '../../app/settings.module.css';
import { useText } from '../../language/language.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Plus, X } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import { EVENTS, type EventGroup, GROUPS } from './data.ts';
import styles from './webhooks.module.css';

/** A header in the form. Null stands for its current value, which is not shown. */
interface Header {
  readonly id: number;
  readonly name: string;
  readonly value: string | null;
}

interface Body {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly headers: Readonly<Record<string, string | null>>;
}

interface Props {
  /** Undefined for a new webhook. */
  readonly webhook?: Webhook;
  readonly disabled?: boolean;
  /** Saves the webhook and returns it; undefined if the form closes. */
  readonly onSend: (body: Body) => Promise<Webhook | undefined>;
}

/**
 * The initial values of the form, as texts, so that errors of events and headers can be shown like those of other
 * fields.
 */
function textsOf(webhook: Webhook | undefined) {
  return {
    name: webhook?.name ?? '',
    url: webhook?.url ?? '',
    events: (webhook?.events ?? []).join(' '),
    headers: JSON.stringify((webhook?.headers ?? []).map((name, id): Header => ({ id, name, value: null }))),
  };
}

export function WebhookForm({ webhook, disabled = false, onSend }: Props): ReactNode {
  const t = useText();
  const initial = textsOf(webhook);
  const nextId = useRef(webhook?.headers.length ?? 0);
  const form = useForm({
    initial,
    check: ({ name, url, events }) => ({
      name: name.trim() === '' ? t('field.name') : undefined,
      url: url.trim() === '' ? t('field.address') : undefined,
      events: events === '' ? t('webhook.events.none') : undefined,
    }),
    send: async (sent) => {
      const { name, url, events, headers } = sent;
      const named = (JSON.parse(headers) as Header[]).filter((one) => one.name.trim() !== '');
      const stored = await onSend({
        name: name.trim(),
        url: url.trim(),
        events: events.split(' '),
        headers: Object.fromEntries(named.map((one) => [one.name.trim(), one.value])),
      });
      if (stored) accept(sent, textsOf(stored));
    },
  });
  const { differs, accept } = useFollowed(form, initial);
  const headers = JSON.parse(form.values.headers) as Header[];
  const setHeaders = (next: readonly Header[]): void => form.set({ headers: JSON.stringify(next) });
  const change = (id: number, some: Partial<Header>): void =>
    setHeaders(headers.map((header) => (header.id === id ? { ...header, ...some } : header)));
  return (
    <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
      <FormError error={form.error} />
      <fieldset disabled={disabled} className={shared['form']}>
        <Field label={t('webhook.name')} error={form.errorOf('name')} required>
          <Input {...form.control('name')} autoComplete="off" />
        </Field>
        <Field label={t('webhook.url')} hint={t('webhook.url.hint')} error={form.errorOf('url')} required>
          <Input {...form.control('url')} type="url" inputMode="url" autoComplete="off" spellCheck={false} />
        </Field>
        <Field label={t('webhook.events')} error={form.errorOf('events')} group>
          <div className={styles['groups']}>
            {GROUPS.map((group) => (
              <Events
                key={group}
                group={group}
                chosen={form.values.events.split(' ').filter(Boolean)}
                onChosen={(events) => form.set({ events: events.join(' ') })}
              />
            ))}
          </div>
        </Field>
        <Field
          label={t('webhook.headers')}
          note={t('optional')}
          hint={t('webhook.headers.hint')}
          error={form.errorOf('headers')}
          group
        >
          <ul className={styles['headers']}>
            {headers.map(({ id, name, value }, index) => (
              <li key={id}>
                <Input
                  aria-label={t('webhook.header.name', { number: index + 1 })}
                  value={name}
                  // A value belongs to its name.
                  readOnly={value === null}
                  placeholder="Authorization"
                  autoComplete="off"
                  spellCheck={false}
                  onChange={({ target }) => change(id, { name: target.value })}
                />
                <Input
                  aria-label={t('webhook.header.value', { number: index + 1 })}
                  value={value ?? ''}
                  placeholder={value === null ? t('webhook.header.kept') : ''}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={({ target }) => change(id, { value: target.value })}
                />
                <IconButton
                  icon={X}
                  label={t('webhook.header.remove', { number: index + 1 })}
                  onClick={() => setHeaders(headers.filter((header) => header.id !== id))}
                />
              </li>
            ))}
          </ul>
          <div>
            <Button icon={Plus} onClick={() => setHeaders([...headers, { id: nextId.current++, name: '', value: '' }])}>
              {t('webhook.header.add')}
            </Button>
          </div>
        </Field>
        {!disabled && (
          <SaveButton differs={differs} busy={form.busy}>
            {t(webhook ? 'save' : 'webhook.make')}
          </SaveButton>
        )}
      </fieldset>
    </form>
  );
}

interface EventsProps {
  readonly group: EventGroup;
  readonly chosen: readonly string[];
  readonly onChosen: (events: readonly string[]) => void;
}

function Events({ group, chosen, onChosen }: EventsProps): ReactNode {
  const t = useText();
  const all = EVENTS[group].map((name) => `${group}.${name}`);
  const others = chosen.filter((event) => !all.includes(event));
  const isWhole = all.every((event) => chosen.includes(event));
  return (
    <fieldset className={styles['group']}>
      <legend>{t(`webhook.group.${group}`)}</legend>
      <Checkbox
        label={t('webhook.events.all')}
        checked={isWhole}
        onValue={(value) => onChosen(value ? [...others, ...all] : others)}
      />
      {EVENTS[group].map((name) => {
        const event = `${group}.${name}`;
        return (
          <Checkbox
            key={event}
            label={t(`webhook.event.${group}.${name}` as 'webhook.event.entry.create')}
            checked={chosen.includes(event)}
            onValue={(value) => onChosen(value ? [...chosen, event] : chosen.filter((one) => one !== event))}
          />
        );
      })}
    </fieldset>
  );
}
