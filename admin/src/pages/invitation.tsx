/** Accepting an invitation, from the link that `galley admin invite` has printed or mailed. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouteContext, useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useForm } from '../app/form.ts';
import { useSignOut } from '../app/me-menu.tsx';
import { useTitle } from '../app/title.ts';
import { RefusedError, request } from '../data/client.ts';
import { signedIn } from '../data/query-client.ts';
import { nameOf, presenceQuery } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input, PasswordInput } from '../ui/input.tsx';
import styles from './door.module.css';
import { Door, Refused } from './door.tsx';
import { SHORTEST_PASSWORD } from './first.tsx';

export function Invitation(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const router = useRouter();
  const { token, invited } = useRouteContext({ from: '/invitation' });
  // by another window, while the form was open
  const [usedUp, setUsedUp] = useState<string>();
  const { data: presence } = useQuery(presenceQuery);
  const signOut = useSignOut();
  useTitle(t('invitation.title'));
  const form = useForm({
    initial: { firstname: invited?.firstname ?? '', lastname: invited?.lastname ?? '', password: '' },
    check: ({ firstname, password }) => ({
      firstname: firstname.trim() === '' ? t('field.firstname') : undefined,
      password: password.length < SHORTEST_PASSWORD ? t('field.short', { count: SHORTEST_PASSWORD }) : undefined,
    }),
    send: async ({ firstname, lastname, password }) => {
      const body = { token, firstname: firstname.trim(), password };
      const family = lastname.trim();
      try {
        const { data } = await request('POST invitation', {
          body: family === '' ? body : { ...body, lastname: family },
        });
        signedIn(client, data);
      } catch (error) {
        if (!(error instanceof RefusedError) || error.status !== 403) throw error;
        setUsedUp(token);
        return;
      }
      // without the token, which is used up
      await router.navigate({ to: '/', hash: '', replace: true });
    },
  });
  if (invited === undefined || usedUp === token) {
    return (
      <Door title={t('link.usedUp.title')} text={t('invitation.usedUp.text')}>
        <ButtonLink to="/sign-in">{t('signIn.title')}</ButtonLink>
      </Door>
    );
  }
  // while the form is sent, the session is that of the invited person
  if (presence?.signedIn && !form.busy) {
    const text = t('invitation.signedIn', { name: nameOf(presence.session.user) });
    return (
      <Door title={t('invitation.title')} text={text}>
        <Button look="primary" wide onClick={signOut}>
          {t('me.signOut')}
        </Button>
      </Door>
    );
  }
  return (
    <Door title={t('invitation.title')} text={t('invitation.text', { email: invited.email })}>
      <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
        <Refused error={form.error} />
        {/* for password managers, which keep the password under this address */}
        <input type="email" name="email" autoComplete="username" value={invited.email} readOnly hidden />
        <div className={styles['pair']}>
          <Field label={t('first.firstname')} error={form.errorOf('firstname')} required>
            <Input {...form.control('firstname')} autoComplete="given-name" autoFocus />
          </Field>
          <Field label={t('first.lastname')} note={t('optional')} error={form.errorOf('lastname')}>
            <Input {...form.control('lastname')} autoComplete="family-name" />
          </Field>
        </div>
        <Field label={t('signIn.password')} hint={t('account.password.hint')} error={form.errorOf('password')} required>
          <PasswordInput {...form.control('password')} autoComplete="new-password" />
        </Field>
        <div className={styles['submit']}>
          <Button type="submit" look="primary" wide busy={form.busy}>
            {t('invitation.submit')}
          </Button>
        </div>
      </form>
    </Door>
  );
}
