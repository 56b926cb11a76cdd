/** Changing the password. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { newPasswordProblem, useForm } from '../../app/form.ts';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { presenceOf, presenceQuery, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { PasswordInput } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from './section.tsx';
import { sessionsQuery } from './sessions.tsx';

export function Password(): ReactNode {
  const t = useText();
  // A new key empties the form after it was sent.
  const [sent, setSent] = useState(0);
  return (
    <Section title={t('account.password')}>
      <PasswordForm key={sent} onSent={() => setSent(sent + 1)} />
    </Section>
  );
}

function PasswordForm({ onSent }: { readonly onSent: () => void }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { user } = useSession();
  const { show } = useToasts();
  const form = useForm({
    initial: { currentPassword: '', password: '' },
    check: ({ currentPassword, password }) => ({
      currentPassword: currentPassword === '' ? t('field.password') : undefined,
      password: newPasswordProblem(t, password),
    }),
    send: async (body) => {
      const { data } = await request('PUT me/password', { body });
      client.setQueryData(presenceQuery.queryKey, presenceOf(data));
      void client.invalidateQueries(sessionsQuery);
      show({ text: t('account.password.done') });
      onSent();
    },
  });
  return (
    <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
      <FormError error={form.error} />
      {/* For password managers. */}
      <input type="text" autoComplete="username" value={user.email} readOnly hidden />
      <Field label={t('account.password.current')} error={form.errorOf('currentPassword')} required>
        <PasswordInput {...form.control('currentPassword')} autoComplete="current-password" />
      </Field>
      <Field
        label={t('account.password.new')}
        hint={t('account.password.hint')}
        error={form.errorOf('password')}
        required
      >
        <PasswordInput {...form.control('password')} autoComplete="new-password" />
      </Field>
      <div>
        <Button type="submit" busy={form.busy}>
          {t('account.password.submit')}
        </Button>
      </div>
    </form>
  );
}
