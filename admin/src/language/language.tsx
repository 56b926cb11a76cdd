/** The language of the app: its texts, its direction, and the format of dates. */
import { createContext, type ReactNode, use, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { readSetting, setting, writeSetting } from '../data/settings.ts';
import { currentZone } from '../data/zone.ts';
import { directionOf } from './direction.ts';
import { en } from './en.ts';
import { type Catalogue, type Text, textOf } from './messages.ts';
import { relativeText } from './relative-time.ts';

/** The languages of the app, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const loaders: Readonly<Record<Language, () => Promise<Partial<Catalogue>>>> = {
  en: async () => en,
  de: async () => (await import('./de.ts')).de,
};

interface Spoken {
  readonly language: Language;
  /** The format of dates and numbers: the region of the reader, if it fits the language. */
  readonly locale: string;
  readonly text: Text;
}

const LanguageContext = createContext<Spoken>({ language: 'en', locale: 'en', text: textOf(en, 'en') });

/** Whether the app has a language. */
export function isLanguage(value: string | null | undefined): value is Language {
  return value !== null && value !== undefined && Object.hasOwn(LANGUAGES, value);
}

/** The language that was chosen on this device, or else the first language of the browser that the app has. */
export function preferredLanguage(): Language {
  const wanted = [readSetting('language'), ...navigator.languages.map((name) => name.split('-')[0])];
  return wanted.find(isLanguage) ?? 'en';
}

/** Whether a name is a valid locale: Chromium also reports names of the system, such as `en-US@posix`. */
function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length === 1;
  } catch {
    return false;
  }
}

/** Loads the texts of a language before the first render. */
export async function speak(language: Language): Promise<Spoken> {
  const locale = navigator.languages.find((name) => name.split('-')[0] === language && isLocale(name)) ?? language;
  return { language, locale, text: textOf(await loaders[language](), language, locale) };
}

/** Provides the texts to its children, and switches them when the setting changes. */
export function LanguageProvider({
  first,
  children,
}: {
  readonly first: Spoken;
  readonly children: ReactNode;
}): ReactNode {
  const [spoken, setSpoken] = useState(first);
  const wanted = useSyncExternalStore(setting('language').subscribe, () => preferredLanguage());
  useEffect(() => {
    let current = true;
    void speak(wanted).then((next) => current && setSpoken((now) => (now.language === wanted ? now : next)));
    return () => {
      current = false;
    };
  }, [wanted]);
  useEffect(() => {
    const root = document.documentElement;
    root.lang = spoken.language;
    root.dir = readSetting('direction') ?? directionOf(spoken.language) ?? 'ltr';
  }, [spoken]);
  return <LanguageContext value={spoken}>{children}</LanguageContext>;
}

/** Returns the function that looks up texts: `t('signIn.title')`. */
export function useText(): Text {
  return use(LanguageContext).text;
}

/** The language of the texts. */
export function useLanguage(): Language {
  return use(LanguageContext).language;
}

/** The locale of the reader, for formatting by the browser. */
export function useLocale(): string {
  return use(LanguageContext).locale;
}

/** Sets the language of this device. */
export function chooseLanguage(language: Language): void {
  writeSetting('language', language);
}

/** The milliseconds between updates of relative times. */
const TICK = 30_000;

/**
 * A relative time, "2 minutes ago", with the complete time on hover.
 *
 * @param isRecentToo whether the last minute is shown too.
 * @param isAhead whether the time is a future one, also if the clocks of server and browser differ.
 */
export function Moment({
  at,
  isRecentToo = true,
  isAhead = false,
}: {
  readonly at: string;
  readonly isRecentToo?: boolean;
  readonly isAhead?: boolean;
}): ReactNode {
  const now = useNow();
  const { locale, text } = use(LanguageContext);
  const date = useMemo(() => new Date(at), [at]);
  const zone = currentZone();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the formats depend on the zone
  const full = useMemo(() => fullFormat(locale).format(date), [date, locale, zone]);
  return (
    <time dateTime={at} title={full}>
      {relativeText(date.getTime(), now, locale) ?? (isRecentToo && text(isAhead ? 'time.soon' : 'time.now'))}
    </time>
  );
}

const fullFormats = new Map<string, Intl.DateTimeFormat>();

/** Creating a format takes longer than rendering the row that contains it. */
function fullFormat(locale: string): Intl.DateTimeFormat {
  const timeZone = currentZone();
  const key = `${locale} ${timeZone}`;
  const known = fullFormats.get(key);
  if (known) return known;
  const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short', timeZone });
  fullFormats.set(key, full);
  return full;
}

/** The current time in milliseconds, updated every half minute. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A sentence with a relative time in it: "next in 2 hours". @param text has `\0` in place of the time. */
export function Around({
  text,
  ...moment
}: {
  readonly text: string;
  readonly at: string;
  readonly isAhead?: boolean;
}): ReactNode {
  const [before, after] = text.split('\0');
  return (
    <>
      {before}
      <Moment {...moment} />
      {after}
    </>
  );
}
