/** The language of the app: its words, its direction, and how it writes dates. */
import { createContext, type ReactNode, use, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { recall, remember, setting } from '../data/settings.ts';
import { directionOf } from './direction.ts';
import { en } from './en.ts';
import { type Catalogue, type Text, textOf } from './messages.ts';

/** The languages there are, each in its own words. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

const loaders: Readonly<Record<Language, () => Promise<Catalogue>>> = {
  en: async () => en,
  de: async () => (await import('./de.ts')).de,
};

interface Spoken {
  readonly language: Language;
  /** How dates and numbers are written: the reader's own region, as far as it is one of the language. */
  readonly locale: string;
  readonly text: Text;
}

const LanguageContext = createContext<Spoken>({ language: 'en', locale: 'en', text: textOf(en, 'en') });

/** Whether the app has the language; undefined and null are none. */
export function isLanguage(value: string | null | undefined): value is Language {
  return value !== null && value !== undefined && Object.hasOwn(LANGUAGES, value);
}

/** The language that was chosen on this device, else the first one of the browser that there is. */
export function preferredLanguage(): Language {
  const wanted = [recall('language'), ...navigator.languages.map((name) => name.split('-')[0])];
  return wanted.find(isLanguage) ?? 'en';
}

/** Whether dates and numbers can be written as it says: Chromium has names of the system as well, as `en-US@posix`. */
function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length === 1;
  } catch {
    return false;
  }
}

/** Loads the words of a language for the first picture. */
export async function speak(language: Language): Promise<Spoken> {
  const locale = navigator.languages.find((name) => name.split('-')[0] === language && isLocale(name)) ?? language;
  return { language, locale, text: textOf(await loaders[language](), language, locale) };
}

/** Gives everything inside its words; the language changes as the setting does. */
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
    root.dir = recall('direction') ?? directionOf(spoken.language) ?? 'ltr';
  }, [spoken]);
  return <LanguageContext value={spoken}>{children}</LanguageContext>;
}

/** Looks up words: `t('signIn.title')`. */
export function useText(): Text {
  return use(LanguageContext).text;
}

/** The language of the words. */
export function useLanguage(): Language {
  return use(LanguageContext).language;
}

/** The language and the region of the reader, for what the browser formats. */
export function useLocale(): string {
  return use(LanguageContext).locale;
}

/** Chooses the language of this device. */
export function chooseLanguage(language: Language): void {
  remember('language', language);
}

const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
/** Milliseconds: what is counted in minutes is looked at this often. */
const TICK = 30_000;

/**
 * A point in time as one says it, "2 minutes ago", with the whole of it on hover.
 *
 * @param isRecentToo false: the last minute is not told.
 */
export function Moment({ at, isRecentToo = true }: { readonly at: string; readonly isRecentToo?: boolean }): ReactNode {
  const now = useNow();
  const { locale, text } = use(LanguageContext);
  const date = useMemo(() => new Date(at), [at]);
  const full = useMemo(() => formatsOf(locale).full.format(date), [date, locale]);
  return (
    <time dateTime={at} title={full}>
      {relative((date.getTime() - now) / 1000, locale) ?? (isRecentToo && text('time.now'))}
    </time>
  );
}

function relative(seconds: number, locale: string): string | undefined {
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit) return undefined;
  return formatsOf(locale).relative.format(Math.round(seconds / unit[1]), unit[0]);
}

interface Formats {
  readonly full: Intl.DateTimeFormat;
  readonly relative: Intl.RelativeTimeFormat;
}

/** Making one takes longer than drawing the row that it stands in. */
const formats = new Map<string, Formats>();

function formatsOf(locale: string): Formats {
  const known = formats.get(locale);
  if (known) return known;
  const made = {
    full: new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'short' }),
    relative: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
  };
  formats.set(locale, made);
  return made;
}

/** The present, in milliseconds, every half minute. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** @param text has `\0` where the point in time stands. */
export function Around({ text, at }: { readonly text: string; readonly at: string }): ReactNode {
  const [before, after] = text.split('\0');
  return (
    <>
      {before}
      <Moment at={at} />
      {after}
    </>
  );
}
