/** The theme of this device: the stylesheet follows the system unless the root says otherwise. */
import { recall, remember, setting } from './settings.ts';

export type Theme = 'system' | 'light' | 'dark';

/** The theme that is chosen. */
export function currentTheme(): Theme {
  const theme = recall('theme');
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Chooses the theme of this device. */
export function chooseTheme(theme: Theme): void {
  remember('theme', theme === 'system' ? null : theme);
}

/** Has the page follow the setting, from now on. */
export function followTheme(): void {
  const apply = (): void => {
    const theme = currentTheme();
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  };
  apply();
  setting('theme').subscribe(apply);
}
