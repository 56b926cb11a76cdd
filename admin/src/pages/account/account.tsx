/** The account of the administrator: profile, preferences, password, second factor and sessions. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useSyncExternalStore } from 'react';
import { useChange } from '../../app/changes.ts';
import { useForm } from '../../app/form.ts';
import { SaveButton } from '../../app/save-button.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { request } from '../../data/client.ts';
import { type Presence, presenceOf, presenceQuery, useSession } from '../../data/session.ts';
import { setting, writeSetting } from '../../data/settings.ts';
import { chooseTheme, currentTheme, type Theme } from '../../data/theme.ts';
import { IS_MAC } from '../../keys/keys.ts';
import {
  chooseLanguage,
  isLanguage,
  LANGUAGES,
  type Language,
  useLanguage,
  useText,
} from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Chip } from '../../ui/bits.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Switch } from '../../ui/toggle.tsx';
import styles from './account.module.css';
import { Password } from './password.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Section } from './section.tsx';
import { Sessions } from './sessions.tsx';

export function Account(): ReactNode {
  const t = useText();
  useTitle(t('account.title'));
  return (
    <>
      <PageHead title={t('account.title')} />
      <div className={styles['sections']}>
        <You />
        <App />
        <Password />
        <SecondFactor />
        <Sessions />
      </div>
    </>
  );
}

interface Profile {
  readonly firstname: string;
  readonly lastname: string | null;
  readonly username: string | null;
  readonly preferedLanguage: string | null;
}

/** Changes the profile at once, with undo. */
function useProfile(): (profile: Profile) => Promise<void> {
  const t = useText();
  return useChange<Profile, Presence>({
    queryKey: presenceQuery.queryKey,
    apply: (seen, profile) =>
      seen.signedIn ? { ...seen, session: { ...seen.session, user: { ...seen.session.user, ...profile } } } : seen,
    send: async (body) => presenceOf((await request('PUT me', { body })).data),
    reverse: (before) => (before.signedIn ? profileOf(before.session.user) : undefined),
    done: t('saved'),
  });
}

function profileOf(user: { [K in keyof Profile]: Profile[K] | null }): Profile {
  const { firstname, lastname, username, preferedLanguage } = user;
  return { firstname: firstname ?? '', lastname, username, preferedLanguage };
}

function You(): ReactNode {
  const t = useText();
  const { user, roles } = useSession();
  const change = useProfile();
  const form = useForm({
    initial: { firstname: user.firstname ?? '', lastname: user.lastname ?? '', username: user.username ?? '' },
    check: ({ firstname }) => ({ firstname: firstname.trim() === '' ? t('field.firstname') : undefined }),
    send: ({ firstname, lastname, username }) =>
      change({
        firstname: firstname.trim(),
        lastname: lastname.trim() || null,
        username: username.trim() || null,
        preferedLanguage: user.preferedLanguage,
      }),
  });
  const { firstname, lastname, username } = form.values;
  const differs =
    firstname !== (user.firstname ?? '') || lastname !== (user.lastname ?? '') || username !== (user.username ?? '');
  return (
    <Section title={t('account.you')}>
      <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
        <FormError error={form.error} />
        <div className={shared['pair']}>
          <Field label={t('account.firstname')} error={form.errorOf('firstname')} required>
            <Input {...form.control('firstname')} autoComplete="given-name" />
          </Field>
          <Field label={t('account.lastname')} note={t('optional')} error={form.errorOf('lastname')}>
            <Input {...form.control('lastname')} autoComplete="family-name" />
          </Field>
        </div>
        <Field label={t('account.username')} note={t('optional')} error={form.errorOf('username')}>
          <Input {...form.control('username')} autoComplete="nickname" />
        </Field>
        <dl className={styles['facts']}>
          <dt>{t('account.email')}</dt>
          <dd>{user.email}</dd>
          <dt>{t('account.roles')}</dt>
          <dd className={shared['chips']}>
            {roles.map(({ id, name }) => (
              <Chip key={id}>{name}</Chip>
            ))}
          </dd>
        </dl>
        <SaveButton differs={differs} busy={form.busy} />
      </form>
    </Section>
  );
}

function App(): ReactNode {
  const t = useText();
  const { user } = useSession();
  const language = useLanguage();
  const client = useQueryClient();
  const { show } = useToasts();
  const save = useMutation({
    mutationFn: async (body: Profile) => presenceOf((await request('PUT me', { body })).data),
    onSuccess: (presence) => client.setQueryData(presenceQuery.queryKey, presence),
    onError: (error, body) => show({ text: failureText(t, error), tone: 'danger', retry: () => save.mutate(body) }),
  });
  const theme = useSyncExternalStore(setting('theme').subscribe, currentTheme);
  const singleKeys = useSyncExternalStore(setting('singleKeys').subscribe, setting('singleKeys').get);
  const speak = (next: string): void => {
    if (!isLanguage(next)) return;
    chooseLanguage(next);
    // Applies to other devices as well.
    save.mutate({ ...profileOf(user), preferedLanguage: next });
  };
  return (
    <Section title={t('account.app')}>
      <div className={shared['form']}>
        <div className={shared['pair']}>
          <Field label={t('language.label')}>
            <Select
              value={language}
              onValue={speak}
              options={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
            />
          </Field>
          <Field label={t('theme.label')}>
            <Select
              value={theme}
              onValue={(value) => chooseTheme(value as Theme)}
              options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: t(`theme.${value}`) }))}
            />
          </Field>
        </div>
        <Switch
          label={t('account.singleKeys')}
          hint={t('account.singleKeys.hint', { modifier: IS_MAC ? '⌘' : 'Ctrl' })}
          checked={singleKeys !== 'off'}
          onValue={(value) => writeSetting('singleKeys', value ? null : 'off')}
        />
      </div>
    </Section>
  );
}
