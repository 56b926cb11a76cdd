/** The names of content types. */
import type { ContentType, Schema } from '../../contract/schema.ts';
import type { Text } from './messages.ts';

/** Nouns without a plural, for which schemas invent plural names. */
const UNCOUNTED = /(?:data|equipment|info|information|media|music|news|series|software|species)$/;

/** Letters and endings of German nouns, whose plurals are not English. */
const GERMAN =
  /[äöüß]|(?:ung|heit|keit|schaft|ikel|trag|dukt|jekt|zept|richt|termin|gorie|eite|kunde|arbeiter|nutzer|verein|bild|buch|haus|datei|stadt)$|^autor$/;

/** Spellings that are English and not German, and common English names without such a spelling. */
const ENGLISH =
  /^c(?!h)|^wh|ct|sh|gh|cation|(?:[bcdgkpt]le|ce|[^l]ing|ture|y|[aeo]w|th)$|^(?:answer|author|banner|blog|book|brand|chapter|department|document|download|event|file|footer|form|guide|header|image|item|job|lesson|link|member|menu|message|movie|newsletter|offer|order|page|person|player|post|question|recipe|release|room|speaker|sponsor|step|tag|task|teacher|team|testimonial|ticket|topic|user|vendor|video|webinar|website)$/;

/** The longest word in capitals that counts as an abbreviation, in characters. */
const ABBREVIATION = 5;

/**
 * The title of a list: the display name of the type in the plural, if the schema clearly has one. It does if the
 * display name ends in the singular name of the schema (`News article`, `article`, `articles`). A plural that only
 * follows English rules counts if the word is English, because Strapi generates one for names of any language. If the
 * default locale is not English, the spelling of the word has to be English.
 */
export function pluralNameOf(
  {
    kind,
    displayName,
    singularName,
    pluralName,
  }: Pick<ContentType, 'kind' | 'displayName' | 'singularName' | 'pluralName'>,
  defaultLocale: string | undefined,
): string {
  if (kind === 'singleType') return displayName;
  const [shown, one, several] = [wordsOf(displayName), wordsOf(singularName), wordsOf(pluralName)];
  const from = shown.length - one.length;
  const isSingular = from >= 0 && one.every((word, n) => word === shown[from + n]);
  if (!isSingular || UNCOUNTED.test(one.at(-1) ?? '')) return displayName;
  if (isEnglishPlural(one, several) && !isEnglish(one.at(-1) ?? '', defaultLocale)) return displayName;
  // The words before the name, and the case of its words, stay the same.
  const written = displayName.match(WORD) ?? [];
  const start = displayName.length - lengthOfLast(displayName, one.length);
  const separator = /[^\p{L}\p{N}]/u.exec(displayName.slice(start))?.[0] ?? ' ';
  return displayName.slice(0, start) + several.map((word, n) => likeWritten(word, written[from + n])).join(separator);
}

/** The accounts of the site's API, which are easily confused with those of the app. */
export const SITE_USERS = 'plugin::users-permissions.user';
/** The default display name of the type, which a project may change. */
const USUAL_NAME = 'User';

const areSiteUsers = ({ uid, displayName }: Pick<ContentType, 'uid' | 'displayName'>): boolean =>
  uid === SITE_USERS && displayName === USUAL_NAME;

/**
 * The name of a type: its display name, except for the accounts of the site's API.
 *
 * @param several whether the name stands for many documents.
 */
export function typeLabel(t: Text, type: Pick<ContentType, 'uid' | 'displayName'>, several = false): string {
  if (!areSiteUsers(type)) return type.displayName;
  return t(several ? 'siteUsers.title' : 'siteUsers.one');
}

/** The title of a list of a type, as a plural in the default locale of the content. */
export function typeTitle(t: Text, schema: Pick<Schema, 'locales'>, type: ContentType): string {
  if (areSiteUsers(type)) return typeLabel(t, type, true);
  return pluralNameOf(type, schema.locales.find(({ isDefault }) => isDefault)?.code);
}

const WORD = /[\p{L}\p{N}]+/gu;

const wordsOf = (name: string): readonly string[] => (name.match(WORD) ?? []).map((word) => word.toLowerCase());

/** The length of the last `count` words, with the characters between them. */
function lengthOfLast(text: string, count: number): number {
  const starts = [...text.matchAll(WORD)].map(({ index }) => index);
  return text.length - (starts.at(-count) ?? 0);
}

/** Whether the last word differs from the singular only by an English ending. */
function isEnglishPlural(one: readonly string[], several: readonly string[]): boolean {
  const [singular, plural] = [one.at(-1) ?? '', several.at(-1) ?? ''];
  const endings = [`${singular}s`, `${singular}es`, singular.replace(/y$/, 'ies'), singular.replace(/fe?$/, 'ves')];
  return plural !== singular && endings.includes(plural);
}

function isEnglish(word: string, defaultLocale: string | undefined): boolean {
  return !GERMAN.test(word) && (/^en\b/i.test(defaultLocale ?? 'en') || ENGLISH.test(word));
}

/** A plural with the capitals of its singular. The ending of an abbreviation stays lower case (`FAQs`). */
function likeWritten(word: string, like: string | undefined): string {
  if (like === undefined || like.length === 0) return word;
  if (like.length > 1 && like === like.toUpperCase()) {
    const one = like.toLowerCase();
    const isAbbreviation = like.length <= ABBREVIATION && word.startsWith(one) && !ENGLISH.test(one);
    return isAbbreviation ? like + word.slice(like.length) : word.toUpperCase();
  }
  return like[0] === like[0]!.toUpperCase() ? word[0]!.toUpperCase() + word.slice(1) : word;
}
