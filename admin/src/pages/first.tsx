/** Making the first administrator, from the address that the start has printed. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouteContext, useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { EMAIL, useForm } from '../app/form.ts';
import { useTitle } from '../app/title.ts';
import { RefusedError, request } from '../data/client.ts';
import { signedIn } from '../data/query-client.ts';
import { presenceQuery } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input, PasswordInput } from '../ui/input.tsx';
import styles from './door.module.css';
import { Door, Refused } from './door.tsx';

/** Characters of a password; the server says what else it has to be. */
export const SHORTEST_PASSWORD = 8;

export function First(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const router = useRouter();
  const { token, isOpen } = useRouteContext({ from: '/first' });
  // by somebody else, while the form was open
  const [usedUp, setUsedUp] = useState<string>();
  const { data: presence } = useQuery(presenceQuery);
  const command = presence?.signedIn === false ? presence.command : undefined;
  useTitle(t('first.title'));
  const form = useForm({
    initial: { firstname: '', lastname: '', email: '', password: '' },
    check: ({ firstname, email, password }) => ({
      firstname: firstname.trim() === '' ? t('field.firstname') : undefined,
      email: EMAIL.test(email.trim()) ? undefined : t(email.trim() === '' ? 'field.noEmail' : 'field.email'),
      password: password.length < SHORTEST_PASSWORD ? t('field.short', { count: SHORTEST_PASSWORD }) : undefined,
    }),
    send: async ({ firstname, lastname, email, password }) => {
      const body = { token, firstname: firstname.trim(), email: email.trim(), password };
      const family = lastname.trim();
      try {
        const { data } = await request('POST first-administrator', {
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
  if (!isOpen || usedUp === token) {
    const why = token === '' ? 'first.noToken' : 'first.usedUp';
    return (
      <Door title={t(`${why}.title`)} text={t(`${why}.text`)}>
        <ButtonLink to="/sign-in">{t('signIn.title')}</ButtonLink>
      </Door>
    );
  }
  return (
    <Door
      title={t('first.title')}
      text={t('first.text')}
      foot={
        command !== undefined && (
          <>
            {t('first.others')} <code className={styles['command']}>{command}</code>
          </>
        )
      }
    >
      <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
        <Refused error={form.error} />
        <div className={styles['pair']}>
          <Field label={t('first.firstname')} error={form.errorOf('firstname')} required>
            <Input {...form.control('firstname')} autoComplete="given-name" autoFocus />
          </Field>
          <Field label={t('first.lastname')} note={t('optional')} error={form.errorOf('lastname')}>
            <Input {...form.control('lastname')} autoComplete="family-name" />
          </Field>
        </div>
        <Field label={t('signIn.email')} error={form.errorOf('email')} required>
          <Input {...form.control('email')} type="email" autoComplete="username" spellCheck={false} />
        </Field>
        <Field label={t('signIn.password')} hint={t('account.password.hint')} error={form.errorOf('password')} required>
          <PasswordInput {...form.control('password')} autoComplete="new-password" />
        </Field>
        <div className={styles['submit']}>
          <Button type="submit" look="primary" wide busy={form.busy}>
            {t('first.submit')}
          </Button>
        </div>
      </form>
    </Door>
  );
}
