/** Signing in, with a second step where the account has one. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { EMAIL, useForm } from '../app/form.ts';
import { useTitle } from '../app/title.ts';
import { hrefOf } from '../app/whence.ts';
import { RefusedError, request } from '../data/client.ts';
import { signedIn } from '../data/query-client.ts';
import { presenceQuery } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input, PasswordInput } from '../ui/input.tsx';
import { Checkbox } from '../ui/toggle.tsx';
import styles from './door.module.css';
import { Door, Refused } from './door.tsx';

export function SignIn(): ReactNode {
  const t = useText();
  useTitle(t('signIn.title'));
  const { data } = useSuspenseQuery(presenceQuery);
  if (!data.signedIn && data.firstAdministrator) return <Nobody command={data.command} />;
  return <SignInForm />;
}

function SignInForm(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const router = useRouter();
  const { to } = useSearch({ from: '/sign-in' });
  const [remembered, setRemembered] = useState(true);
  const [wantsCode, setWantsCode] = useState(false);
  const code = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (wantsCode) code.current?.focus();
  }, [wantsCode]);

  const form = useForm({
    initial: { email: '', password: '', code: '' },
    check: ({ email, password, code }) => ({
      email: EMAIL.test(email.trim()) ? undefined : t(email.trim() === '' ? 'field.noEmail' : 'field.email'),
      password: password === '' ? t('field.password') : undefined,
      code: wantsCode && code.trim() === '' ? t('field.code') : undefined,
    }),
    send: async ({ email, password, code }) => {
      const body = { email: email.trim(), password, remember: remembered };
      try {
        const { data } = await request('POST session', { body: wantsCode ? { ...body, code: code.trim() } : body });
        signedIn(client, data);
      } catch (error) {
        const isAsking = error instanceof RefusedError && error.details['secondFactor'] === true;
        if (!isAsking || wantsCode) throw error;
        setWantsCode(true);
        return;
      }
      await router.navigate({ href: hrefOf(to), replace: true });
    },
  });

  if (wantsCode) {
    return (
      <Door title={t('signIn.code.title')} text={t('signIn.code.text')}>
        <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
          <Refused error={form.error} />
          <Field label={t('signIn.code')} error={form.errorOf('code')} required>
            <Input {...form.control('code')} ref={code} autoComplete="one-time-code" spellCheck={false} />
          </Field>
          <div className={styles['submit']}>
            <Button type="submit" look="primary" wide busy={form.busy}>
              {t('signIn.code.submit')}
            </Button>
            <Button
              look="quiet"
              wide
              onClick={() => {
                form.set({ code: '', password: '' });
                setWantsCode(false);
              }}
            >
              {t('back')}
            </Button>
          </div>
        </form>
      </Door>
    );
  }
  return (
    <Door title={t('signIn.title')} text={to === undefined ? undefined : t('signIn.ended')}>
      <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
        <Refused error={form.error} />
        <Field label={t('signIn.email')} error={form.errorOf('email')} required>
          <Input {...form.control('email')} type="email" autoComplete="username" autoFocus spellCheck={false} />
        </Field>
        <Field label={t('signIn.password')} error={form.errorOf('password')} required>
          <PasswordInput {...form.control('password')} autoComplete="current-password" />
        </Field>
        <Checkbox label={t('signIn.remember')} checked={remembered} onValue={setRemembered} />
        <div className={styles['submit']}>
          <Button type="submit" look="primary" wide busy={form.busy}>
            {t('signIn.submit')}
          </Button>
          <ButtonLink to="/forgotten" look="quiet">
            {t('signIn.forgotten')}
          </ButtonLink>
        </div>
      </form>
    </Door>
  );
}

/** A project that nobody has been let into yet. */
function Nobody({ command }: { readonly command: string | undefined }): ReactNode {
  const t = useText();
  return (
    <Door title={t('signIn.nobody.title')} text={t('signIn.nobody.text')}>
      <code className={styles['command']}>{command}</code>
    </Door>
  );
}
