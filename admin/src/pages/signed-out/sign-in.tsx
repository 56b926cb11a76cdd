/** Signing in, with a code if the account has a second factor. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { emailProblem, useForm } from '../../app/form.ts';
import { hrefOf } from '../../app/sign-in-return.ts';
import { useTitle } from '../../app/title.ts';
import { RefusedError, request } from '../../data/client.ts';
import { signedIn } from '../../data/query-client.ts';
import { presenceQuery } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input, PasswordInput } from '../../ui/input.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import styles from './signed-out.module.css';
import { SignedOutPage } from './signed-out-page.tsx';

export function SignIn(): ReactNode {
  const t = useText();
  useTitle(t('signIn.title'));
  const { data } = useSuspenseQuery(presenceQuery);
  if (!data.signedIn && data.firstAdministrator) return <NoAdministrator command={data.command} />;
  return <SignInForm />;
}

function SignInForm(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const router = useRouter();
  const { to } = useSearch({ from: '/sign-in' });
  const [remembered, setRemembered] = useState(true);
  const [isCodeStep, setCodeStep] = useState(false);
  const code = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isCodeStep) code.current?.focus();
  }, [isCodeStep]);

  const form = useForm({
    initial: { email: '', password: '', code: '' },
    check: ({ email, password, code }) => ({
      email: emailProblem(t, email),
      password: password === '' ? t('field.password') : undefined,
      code: isCodeStep && code.trim() === '' ? t('field.code') : undefined,
    }),
    send: async ({ email, password, code }) => {
      const body = { email: email.trim(), password, remember: remembered };
      try {
        const { data } = await request('POST session', { body: isCodeStep ? { ...body, code: code.trim() } : body });
        signedIn(client, data);
      } catch (error) {
        const needsCode = error instanceof RefusedError && error.details['secondFactor'] === true;
        if (!needsCode || isCodeStep) throw error;
        setCodeStep(true);
        return;
      }
      await router.navigate({ href: hrefOf(to), replace: true });
    },
  });

  if (isCodeStep) {
    return (
      <SignedOutPage title={t('signIn.code.title')} text={t('signIn.code.text')}>
        <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
          <FormError error={form.error} />
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
                setCodeStep(false);
              }}
            >
              {t('back')}
            </Button>
          </div>
        </form>
      </SignedOutPage>
    );
  }
  return (
    <SignedOutPage title={t('signIn.title')} text={to === undefined ? undefined : t('signIn.ended')}>
      <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
        <FormError error={form.error} />
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
    </SignedOutPage>
  );
}

/** Shown while the project has no administrator. */
function NoAdministrator({ command }: { readonly command: string | undefined }): ReactNode {
  const t = useText();
  return (
    <SignedOutPage title={t('signIn.nobody.title')} text={t('signIn.nobody.text')}>
      <code className={styles['command']}>{command}</code>
    </SignedOutPage>
  );
}
