/** The theme of this device. The stylesheet follows the system unless the root element names a theme. */
import { readSetting, setting, writeSetting } from './settings.ts';

export type Theme = 'system' | 'light' | 'dark';

/** The current theme. */
export function currentTheme(): Theme {
  const theme = readSetting('theme');
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Sets the theme of this device. */
export function chooseTheme(theme: Theme): void {
  writeSetting('theme', theme === 'system' ? null : theme);
}

/** Applies the setting to the page from now on. */
export function followTheme(): void {
  const apply = (): void => {
    const theme = currentTheme();
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  };
  apply();
  setting('theme').subscribe(apply);
}
