/** The menu of the administrator: account, theme, language, and signing out. */
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import { request } from '../data/client.ts';
import { sendDeferred } from '../data/deferred.ts';
import { saveDrafts } from '../data/open-drafts.ts';
import { currentUser, signedOut } from '../data/query-client.ts';
import { setting } from '../data/settings.ts';
import { chooseTheme, currentTheme, type Theme } from '../data/theme.ts';
import { countUnsaved } from '../data/unsaved.ts';
import { chooseLanguage, LANGUAGES, type Language, useLanguage, useText } from '../language/language.tsx';
import { Avatar } from '../ui/bits.tsx';
import { ChevronsUpDown, CircleUser, Keyboard, Laptop, LogOut, Moon, Sun } from '../ui/icons.ts';
import { Menu, MenuChoice, MenuItem, MenuRule } from '../ui/menu.tsx';
import { useToasts } from '../ui/toast.tsx';
import styles from './me-menu.module.css';

export function MeMenu({ name, onKeys }: { readonly name: string; readonly onKeys: () => void }): ReactNode {
  const t = useText();
  const router = useRouter();
  const signOut = useSignOut();
  return (
    <Menu
      side="top"
      trigger={
        <button type="button" className={styles['me']}>
          <Avatar name={name} />
          <span className={styles['name']}>{name}</span>
          <ChevronsUpDown size={14} />
        </button>
      }
    >
      <MenuItem icon={CircleUser} keys="g a" onSelect={() => void router.navigate({ to: '/account' })}>
        {t('place.account')}
      </MenuItem>
      <MenuItem icon={Keyboard} keys="?" onSelect={onKeys}>
        {t('keys.title')}
      </MenuItem>
      <MenuRule />
      <Looks />
      <MenuRule />
      <MenuItem icon={LogOut} onSelect={signOut}>
        {t('me.signOut')}
      </MenuItem>
    </Menu>
  );
}

/** Theme and language of this device. */
export function Looks(): ReactNode {
  const t = useText();
  const language = useLanguage();
  const theme = useSyncExternalStore(setting('theme').subscribe, currentTheme);
  return (
    <>
      <MenuChoice<Theme>
        label={t('theme.label')}
        value={theme}
        onChange={chooseTheme}
        options={[
          { value: 'system', label: t('theme.system'), icon: Laptop },
          { value: 'light', label: t('theme.light'), icon: Sun },
          { value: 'dark', label: t('theme.dark'), icon: Moon },
        ]}
      />
      <MenuRule />
      <MenuChoice<Language>
        label={t('language.label')}
        value={language}
        onChange={chooseLanguage}
        options={Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as Language, label }))}
      />
    </>
  );
}

/**
 * Returns a function that ends the session and deletes its data from this device. Unsaved drafts are saved first; if
 * some cannot be saved, a dialog asks whether to continue.
 */
export function useSignOut(): () => void {
  const client = useQueryClient();
  const t = useText();
  const { show } = useToasts();
  const leave = async (): Promise<void> => {
    await sendDeferred();
    await request('DELETE session');
    await signedOut(client);
  };
  const tried = (work: Promise<void>): void =>
    void work.catch(() => {
      show({ text: t('unreachable'), tone: 'danger' });
    });
  const signOut = async (): Promise<void> => {
    const user = currentUser(client);
    if (user === undefined) return leave();
    const countStored = (): number => countUnsaved(user);
    // Drafts that contain only a password are not stored on the device.
    const count = Math.max(await saveDrafts(user, () => countStored() === 0), countStored());
    if (count === 0) return leave();
    const text = t('me.unsaved', { count });
    const more = { label: t('me.signOut.anyway'), run: () => tried(leave()) };
    show({ text, tone: 'danger', stays: true, more });
  };
  return () => tried(signOut());
}
