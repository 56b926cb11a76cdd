/** Creating an account: the first administrator from the address that the start prints, others from their invitations. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouteContext, useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { emailProblem, type Form, newPasswordProblem, useForm } from '../../app/form.ts';
import { useSignOut } from '../../app/me-menu.tsx';
import { useTitle } from '../../app/title.ts';
import { RefusedError, request } from '../../data/client.ts';
import { signedIn } from '../../data/query-client.ts';
import { type Invited, nameOf, presenceQuery } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input, PasswordInput } from '../../ui/input.tsx';
import styles from './signed-out.module.css';
import { SignedOutPage } from './signed-out-page.tsx';

export function FirstAdministrator(): ReactNode {
  const t = useText();
  const { token, isOpen } = useRouteContext({ from: '/first' });
  useTitle(t('first.title'));
  return isOpen ? <FirstAccount key={token} token={token} /> : <InvalidFirstLink token={token} />;
}

function FirstAccount({ token }: { readonly token: string }): ReactNode {
  const t = useText();
  const { data: presence } = useQuery(presenceQuery);
  const command = presence?.signedIn === false ? presence.command : undefined;
  const { form, isUsedUp } = useNewAccount({}, (account) =>
    request('POST first-administrator', { body: { token, ...account } }),
  );
  if (isUsedUp) return <InvalidFirstLink token={token} />;
  return (
    <SignedOutPage
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
      <NewAccountForm form={form} submit={t('first.submit')}>
        <Field label={t('signIn.email')} error={form.errorOf('email')} required>
          <Input {...form.control('email')} type="email" autoComplete="username" spellCheck={false} />
        </Field>
      </NewAccountForm>
    </SignedOutPage>
  );
}

function InvalidFirstLink({ token }: { readonly token: string }): ReactNode {
  const t = useText();
  const reason = token === '' ? 'first.noToken' : 'first.usedUp';
  return <InvalidLink title={t(`${reason}.title`)} text={t(`${reason}.text`)} />;
}

export function Invitation(): ReactNode {
  const t = useText();
  const { token, invited } = useRouteContext({ from: '/invitation' });
  useTitle(t('invitation.title'));
  return invited ? <InvitedAccount key={token} token={token} invited={invited} /> : <InvalidInvitation />;
}

function InvitedAccount({ token, invited }: { readonly token: string; readonly invited: Invited }): ReactNode {
  const t = useText();
  const { data: presence } = useQuery(presenceQuery);
  const signOut = useSignOut();
  const { email, firstname, lastname } = invited;
  const initial = { email, firstname: firstname ?? '', lastname: lastname ?? '' };
  const { form, isUsedUp } = useNewAccount(initial, ({ email: _, ...account }) =>
    request('POST invitation', { body: { token, ...account } }),
  );
  if (isUsedUp) return <InvalidInvitation />;
  // While the form is being sent, the session is already that of the invited person.
  if (presence?.signedIn && !form.busy) {
    const text = t('invitation.signedIn', { name: nameOf(presence.session.user) });
    return (
      <SignedOutPage title={t('invitation.title')} text={text}>
        <Button look="primary" wide onClick={signOut}>
          {t('me.signOut')}
        </Button>
      </SignedOutPage>
    );
  }
  return (
    <SignedOutPage title={t('invitation.title')} text={t('invitation.text', { email })}>
      <NewAccountForm form={form} submit={t('invitation.submit')}>
        {/* Password managers store the password under this address. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      </NewAccountForm>
    </SignedOutPage>
  );
}

function InvalidInvitation(): ReactNode {
  const t = useText();
  return <InvalidLink title={t('link.usedUp.title')} text={t('invitation.usedUp.text')} />;
}

interface Account {
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
  readonly password: string;
}

/** An account as requests take it: trimmed, and without an empty last name. */
type AccountBody = Omit<Account, 'lastname'> & Partial<Pick<Account, 'lastname'>>;

interface NewAccount {
  readonly form: Form<Readonly<Record<keyof Account, string>>>;
  /** True when the server no longer accepts the token, for example because another window has used it. */
  readonly isUsedUp: boolean;
}

/**
 * The form of a new account. When the server has created the account, its owner is signed in.
 *
 * @param initial the values that the form starts with.
 */
function useNewAccount(
  initial: Partial<Account>,
  send: (account: AccountBody) => ReturnType<typeof request<'POST invitation'>>,
): NewAccount {
  const t = useText();
  const client = useQueryClient();
  const router = useRouter();
  const [isUsedUp, setUsedUp] = useState(false);
  const form = useForm({
    initial: { firstname: '', lastname: '', email: '', password: '', ...initial },
    check: ({ firstname, email, password }) => ({
      firstname: firstname.trim() === '' ? t('field.firstname') : undefined,
      email: emailProblem(t, email),
      password: newPasswordProblem(t, password),
    }),
    send: async ({ firstname, lastname, email, password }) => {
      const body = { firstname: firstname.trim(), email: email.trim(), password };
      const family = lastname.trim();
      try {
        const { data } = await send(family === '' ? body : { ...body, lastname: family });
        signedIn(client, data);
      } catch (error) {
        if (!(error instanceof RefusedError) || error.status !== 403) throw error;
        setUsedUp(true);
        return;
      }
      // Removes the token, which works only once, from the address.
      await router.navigate({ to: '/', hash: '', replace: true });
    },
  });
  return { form, isUsedUp };
}

interface FormProps extends Pick<NewAccount, 'form'> {
  /** The text of the button. */
  readonly submit: string;
  /** The fields between the names and the password. */
  readonly children: ReactNode;
}

function NewAccountForm({ form, submit, children }: FormProps): ReactNode {
  const t = useText();
  return (
    <form className={styles['form']} onSubmit={form.onSubmit} noValidate>
      <FormError error={form.error} />
      <div className={styles['pair']}>
        <Field label={t('first.firstname')} error={form.errorOf('firstname')} required>
          <Input {...form.control('firstname')} autoComplete="given-name" autoFocus />
        </Field>
        <Field label={t('first.lastname')} note={t('optional')} error={form.errorOf('lastname')}>
          <Input {...form.control('lastname')} autoComplete="family-name" />
        </Field>
      </div>
      {children}
      <Field label={t('signIn.password')} hint={t('account.password.hint')} error={form.errorOf('password')} required>
        <PasswordInput {...form.control('password')} autoComplete="new-password" />
      </Field>
      <div className={styles['submit']}>
        <Button type="submit" look="primary" wide busy={form.busy}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

function InvalidLink({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  const t = useText();
  return (
    <SignedOutPage title={title} text={text}>
      <ButtonLink to="/sign-in">{t('signIn.title')}</ButtonLink>
    </SignedOutPage>
  );
}
