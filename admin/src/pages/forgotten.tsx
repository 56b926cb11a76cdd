/** A forgotten password: a mail with a link is sent, where the server sends mail. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { EMAIL, useForm } from '../app/form.ts';
import { useTitle } from '../app/title.ts';
import { request } from '../data/client.ts';
import { resetQuery } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import styles from './door.module.css';
import { Door, Refused } from './door.tsx';

/** What sets a password at the terminal. */
const COMMAND = 'galley admin reset-password --email …';

export function Forgotten(): ReactNode {
  const t = useText();
  useTitle(t('forgotten.title'));
  const { data: isMailed } = useSuspenseQuery(resetQuery);
  if (isMailed) return <ByMail />;
  return (
    <Door title={t('forgotten.title')} text={t('forgotten.byHand')}>
      <div className={styles['form']}>
        <code className={styles['command']}>{COMMAND}</code>
        <ButtonLink to="/sign-in">{t('forgotten.back')}</ButtonLink>
      </div>
    </Door>
  );
}

function ByMail(): ReactNode {
  const t = useText();
  const [sentTo, setSentTo] = useState<string>();
  const form = useForm({
    initial: { email: '' },
    check: ({ email }) => ({
      email: EMAIL.test(email.trim()) ? undefined : t(email.trim() === '' ? 'field.noEmail' : 'field.email'),
    }),
    send: async ({ email }) => {
      await request('POST password-reset', { body: { email: email.trim() } });
      setSentTo(email.trim());
    },
  });
  if (sentTo !== undefined) {
    return (
      <Door title={t('forgotten.sent.title')} text={t('forgotten.sent.text', { email: sentTo })}>
        <ButtonLink to="/sign-in">{t('forgotten.back')}</ButtonLink>
      </Door>
    );
  }
  return (
    <Door title={t('forgotten.title')} text={t('forgotten.text')}>
      <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
        <Refused error={form.error} />
        <Field label={t('signIn.email')} error={form.errorOf('email')} required>
          <Input {...form.control('email')} type="email" autoComplete="username" autoFocus spellCheck={false} />
        </Field>
        <div className={styles['submit']}>
          <Button type="submit" look="primary" wide busy={form.busy}>
            {t('forgotten.submit')}
          </Button>
          <ButtonLink to="/sign-in" look="quiet">
            {t('forgotten.back')}
          </ButtonLink>
        </div>
      </form>
    </Door>
  );
}
