/** How several documents of a type are called. */
import type { ContentType, Schema } from '../../contract/schema.ts';
import type { Text } from './messages.ts';

/** Names that are the same for one and for several, which plural names of schemas turn into words that nobody says. */
const UNCOUNTED = /(?:data|equipment|info|information|media|music|news|series|software|species)$/;

/** Letters and endings of German nouns, whose plural is no English one. */
const GERMAN =
  /[äöüß]|(?:ung|heit|keit|schaft|ikel|trag|dukt|jekt|zept|richt|termin|gorie|eite|kunde|arbeiter|nutzer|verein|bild|buch|haus|datei|stadt)$|^autor$/;

/** Spellings that are English and not German, and English names that are common for content and spelled like neither. */
const ENGLISH =
  /^c(?!h)|^wh|ct|sh|gh|cation|(?:[bcdgkpt]le|ce|[^l]ing|ture|y|[aeo]w|th)$|^(?:answer|author|banner|blog|book|brand|chapter|department|document|download|event|file|footer|form|guide|header|image|item|job|lesson|link|member|menu|message|movie|newsletter|offer|order|page|person|player|post|question|recipe|release|room|speaker|sponsor|step|tag|task|teacher|team|testimonial|ticket|topic|user|vendor|video|webinar|website)$/;

/** Letters of the longest word in capitals that is taken for an abbreviation. */
const ABBREVIATION = 5;

/**
 * The name of a type above a list of its documents: its display name in the plural, where the schema clearly says it. That
 * is where the display name ends in the singular name of the schema (`News article`, `article`, `articles`). A plural that
 * only follows English rules counts where the word is English: Strapi makes one up for names of any language. Where the
 * content is not in English by default, the spelling of the word has to be English.
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
  // what precedes the name, and the way in which its words are written, stays
  const written = displayName.match(WORD) ?? [];
  const start = displayName.length - lengthOfLast(displayName, one.length);
  const separator = /[^\p{L}\p{N}]/u.exec(displayName.slice(start))?.[0] ?? ' ';
  return displayName.slice(0, start) + several.map((word, n) => likeWritten(word, written[from + n])).join(separator);
}

/** Accounts of the site's API, which people take for those of the app. */
export const SITE_USERS = 'plugin::users-permissions.user';
/** What the reference calls them: a project may give them another name. */
const USUAL_NAME = 'User';

const areSiteUsers = ({ uid, displayName }: Pick<ContentType, 'uid' | 'displayName'>): boolean =>
  uid === SITE_USERS && displayName === USUAL_NAME;

/**
 * The name of a type: its display name, but for the accounts of the site's API.
 *
 * @param several whether many documents are meant.
 */
export function typeLabel(t: Text, type: Pick<ContentType, 'uid' | 'displayName'>, several = false): string {
  if (!areSiteUsers(type)) return type.displayName;
  return t(several ? 'siteUsers.title' : 'siteUsers.one');
}

/** The name of a type above a list of its documents, in the plural of the locale that the content is written in by default. */
export function typeTitle(t: Text, schema: Pick<Schema, 'locales'>, type: ContentType): string {
  if (areSiteUsers(type)) return typeLabel(t, type, true);
  return pluralNameOf(type, schema.locales.find(({ isDefault }) => isDefault)?.code);
}

const WORD = /[\p{L}\p{N}]+/gu;

const wordsOf = (name: string): readonly string[] => (name.match(WORD) ?? []).map((word) => word.toLowerCase());

/** Characters from the beginning of the last so many words to the end. */
function lengthOfLast(text: string, count: number): number {
  const starts = [...text.matchAll(WORD)].map(({ index }) => index);
  return text.length - (starts.at(-count) ?? 0);
}

/** Whether the last word has nothing but an English ending more than in the singular. */
function isEnglishPlural(one: readonly string[], several: readonly string[]): boolean {
  const [singular, plural] = [one.at(-1) ?? '', several.at(-1) ?? ''];
  const endings = [`${singular}s`, `${singular}es`, singular.replace(/y$/, 'ies'), singular.replace(/fe?$/, 'ves')];
  return plural !== singular && endings.includes(plural);
}

function isEnglish(word: string, defaultLocale: string | undefined): boolean {
  return !GERMAN.test(word) && (/^en\b/i.test(defaultLocale ?? 'en') || ENGLISH.test(word));
}

/** The plural of a word with the capitals of its singular: an ending of an abbreviation has none (`FAQs`). */
function likeWritten(word: string, like: string | undefined): string {
  if (like === undefined || like.length === 0) return word;
  if (like.length > 1 && like === like.toUpperCase()) {
    const one = like.toLowerCase();
    const isAbbreviation = like.length <= ABBREVIATION && word.startsWith(one) && !ENGLISH.test(one);
    return isAbbreviation ? like + word.slice(like.length) : word.toUpperCase();
  }
  return like[0] === like[0]!.toUpperCase() ? word[0]!.toUpperCase() + word.slice(1) : word;
}
