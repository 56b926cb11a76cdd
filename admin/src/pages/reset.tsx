/** Setting a new password, from the link of a mail. */
import { useQuery } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useForm } from '../app/form.ts';
import { useTitle } from '../app/title.ts';
import { RefusedError, request } from '../data/client.ts';
import { resetQuery } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { PasswordInput } from '../ui/input.tsx';
import styles from './door.module.css';
import { Door, Refused } from './door.tsx';
import { SHORTEST_PASSWORD } from './first.tsx';

export function Reset(): ReactNode {
  const t = useText();
  const { token, isOpen } = useRouteContext({ from: '/reset' });
  // the token for which it is done, or that another window has used
  const [done, setDone] = useState<string>();
  const [usedUp, setUsedUp] = useState<string>();
  const { data: isMailed } = useQuery(resetQuery);
  useTitle(t('reset.title'));
  const form = useForm({
    initial: { password: '' },
    check: ({ password }) => ({
      password: password.length < SHORTEST_PASSWORD ? t('field.short', { count: SHORTEST_PASSWORD }) : undefined,
    }),
    send: async ({ password }) => {
      try {
        await request('PUT password-reset', { body: { token, password } });
      } catch (error) {
        if (!(error instanceof RefusedError) || error.status !== 403) throw error;
        setUsedUp(token);
        return;
      }
      setDone(token);
    },
  });
  if (done === token && token !== '') {
    return (
      <Door title={t('reset.done.title')} text={t('reset.done.text')}>
        <ButtonLink to="/sign-in" look="primary">
          {t('signIn.title')}
        </ButtonLink>
      </Door>
    );
  }
  if (!isOpen || usedUp === token) {
    const text = [t('reset.usedUp.text'), ...(isMailed ? [t('reset.usedUp.again')] : [])].join(' ');
    return (
      <Door title={t('link.usedUp.title')} text={text}>
        <ButtonLink to="/forgotten">{t('signIn.forgotten')}</ButtonLink>
      </Door>
    );
  }
  return (
    <Door title={t('reset.title')} text={t('reset.text')}>
      <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
        <Refused error={form.error} />
        <Field label={t('reset.password')} hint={t('account.password.hint')} error={form.errorOf('password')} required>
          <PasswordInput {...form.control('password')} autoComplete="new-password" autoFocus />
        </Field>
        <div className={styles['submit']}>
          <Button type="submit" look="primary" wide busy={form.busy}>
            {t('reset.submit')}
          </Button>
        </div>
      </form>
    </Door>
  );
}
