/** A forgotten password: requesting a link by e-mail, and setting a new password from that link. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { emailProblem, newPasswordProblem, useForm } from '../../app/form.ts';
import { useTitle } from '../../app/title.ts';
import { RefusedError, request } from '../../data/client.ts';
import { resetQuery } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input, PasswordInput } from '../../ui/input.tsx';
import styles from './signed-out.module.css';
import { SignedOutPage } from './signed-out-page.tsx';

export function ForgottenPassword(): ReactNode {
  const t = useText();
  useTitle(t('forgotten.title'));
  const { data } = useSuspenseQuery(resetQuery);
  if (data.isMailed) return <LinkRequest />;
  return (
    <SignedOutPage title={t('forgotten.title')} text={t('forgotten.byHand')}>
      <div className={styles['form']}>
        <code className={styles['command']}>{data.command}</code>
        <ButtonLink to="/sign-in">{t('forgotten.back')}</ButtonLink>
      </div>
    </SignedOutPage>
  );
}

function LinkRequest(): ReactNode {
  const t = useText();
  const [sentTo, setSentTo] = useState<string>();
  const form = useForm({
    initial: { email: '' },
    check: ({ email }) => ({
      email: emailProblem(t, email),
    }),
    send: async ({ email }) => {
      await request('POST password-reset', { body: { email: email.trim() } });
      setSentTo(email.trim());
    },
  });
  if (sentTo !== undefined) {
    return (
      <SignedOutPage title={t('forgotten.sent.title')} text={t('forgotten.sent.text', { email: sentTo })}>
        <ButtonLink to="/sign-in">{t('forgotten.back')}</ButtonLink>
      </SignedOutPage>
    );
  }
  return (
    <SignedOutPage title={t('forgotten.title')} text={t('forgotten.text')}>
      <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
        <FormError error={form.error} />
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
    </SignedOutPage>
  );
}

export function ResetPassword(): ReactNode {
  const t = useText();
  const { token, isOpen } = useRouteContext({ from: '/reset' });
  // The token with which this page has set a password, and the one that another window has used.
  const [done, setDone] = useState<string>();
  const [usedUp, setUsedUp] = useState<string>();
  const isMailed = useQuery(resetQuery).data?.isMailed;
  useTitle(t('reset.title'));
  const form = useForm({
    initial: { password: '' },
    check: ({ password }) => ({
      password: newPasswordProblem(t, password),
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
      <SignedOutPage title={t('reset.done.title')} text={t('reset.done.text')}>
        <ButtonLink to="/sign-in" look="primary">
          {t('signIn.title')}
        </ButtonLink>
      </SignedOutPage>
    );
  }
  if (!isOpen || usedUp === token) {
    const text = [t('reset.usedUp.text'), ...(isMailed ? [t('reset.usedUp.again')] : [])].join(' ');
    return (
      <SignedOutPage title={t('link.usedUp.title')} text={text}>
        <ButtonLink to="/forgotten">{t('signIn.forgotten')}</ButtonLink>
      </SignedOutPage>
    );
  }
  return (
    <SignedOutPage title={t('reset.title')} text={t('reset.text')}>
      <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
        <FormError error={form.error} />
        <Field label={t('reset.password')} hint={t('account.password.hint')} error={form.errorOf('password')} required>
          <PasswordInput {...form.control('password')} autoComplete="new-password" autoFocus />
        </Field>
        <div className={styles['submit']}>
          <Button type="submit" look="primary" wide busy={form.busy}>
            {t('reset.submit')}
          </Button>
        </div>
      </form>
    </SignedOutPage>
  );
}
