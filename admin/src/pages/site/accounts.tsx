/** How people register with the site, and the pages that mails lead to. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SiteSettings } from '../../../contract/site.ts';
import { useForm } from '../../app/form.ts';
import { SaveButton } from '../../app/save-button.tsx';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { SITE_USERS } from '../../language/type-name.ts';
import { Field, FormError } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import { Section } from '../account/section.tsx';
import { siteQuery } from './data.ts';
import styles from './site.module.css';

type Settings = NonNullable<SiteSettings['accounts']>;

const FLAGS = ['allow_register', 'unique_email', 'email_confirmation'] as const;
const PAGES = ['email_confirmation_redirection', 'email_reset_password'] as const;

/** The values of the form, as texts. */
function textsOf(settings: Settings) {
  const { allow_register, unique_email, email_confirmation, roles: _, ...texts } = settings;
  return {
    ...texts,
    allow_register: String(allow_register),
    unique_email: String(unique_email),
    email_confirmation: String(email_confirmation),
  };
}

export function Accounts({ accounts }: { readonly accounts: Settings }): ReactNode {
  const t = useText();
  const { rights } = useSession();
  return (
    <Section title={t('site.accounts')}>
      <Form key={JSON.stringify(accounts)} accounts={accounts} />
      {permits(rights, 'plugin::content-manager.explorer.read', SITE_USERS) && (
        <p className={styles['below']}>
          <Link to="/content/$uid" params={{ uid: SITE_USERS }}>
            {t('site.accounts.list')}
          </Link>
        </p>
      )}
    </Section>
  );
}

function Form({ accounts }: { readonly accounts: Settings }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { rights } = useSession();
  const isOpen = permits(rights, 'plugin::users-permissions.advanced-settings.update');
  const initial = textsOf(accounts);
  const form = useForm({
    initial,
    send: async (values) => {
      const flags = Object.fromEntries(FLAGS.map((key) => [key, values[key] === 'true']));
      const pages = Object.fromEntries(PAGES.map((key) => [key, values[key].trim()]));
      const body = { ...flags, ...pages, default_role: values.default_role };
      const { data } = await request('PUT site/accounts', { body });
      client.setQueryData(siteQuery.queryKey, (seen) => seen && { ...seen, accounts: data });
      show({ text: t('saved') });
    },
  });
  const differs = (Object.keys(initial) as (keyof typeof initial)[]).some((key) => form.values[key] !== initial[key]);
  const isKnown = accounts.roles.some(({ type }) => type === accounts.default_role);
  const roles = accounts.roles.map(({ type, name }) => ({ value: type, label: name }));
  return (
    <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
      <FormError error={form.error} />
      <fieldset disabled={!isOpen} className={shared['form']}>
        {FLAGS.map((key) => (
          <Checkbox
            key={key}
            label={t(`site.accounts.${key}`)}
            hint={t(`site.accounts.${key}.hint`)}
            checked={form.values[key] === 'true'}
            onValue={(value) => form.set({ [key]: String(value) })}
          />
        ))}
        <Field
          label={t('site.accounts.default_role')}
          hint={t('site.accounts.default_role.hint')}
          error={form.errorOf('default_role')}
        >
          <Select
            value={form.values.default_role}
            onValue={(value) => form.set({ default_role: value })}
            options={isKnown ? roles : [{ value: accounts.default_role, label: accounts.default_role }, ...roles]}
          />
        </Field>
        {PAGES.map((key) => (
          <Field
            key={key}
            label={t(`site.accounts.${key}`)}
            note={t('optional')}
            hint={t(`site.accounts.${key}.hint`)}
            error={form.errorOf(key)}
          >
            <Input
              {...form.control(key)}
              type="url"
              inputMode="url"
              placeholder="https://example.com/"
              autoComplete="off"
              spellCheck={false}
            />
          </Field>
        ))}
        {isOpen && <SaveButton differs={differs} busy={form.busy} />}
      </fieldset>
    </form>
  );
}
