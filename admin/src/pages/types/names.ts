/** Names that are generated from labels, and the rules for names. */

const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
};

/** The words of a text in lower case, with plain letters and digits. */
function plainWords(text: string): readonly string[] {
  const plain = text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replace(/[ßæœøđðþł]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{M}/gu, '');
  return plain.match(/[a-z0-9]+/g) ?? [];
}

/** `Opening hours` → `openingHours`. */
export function attributeName(label: string): string {
  return plainWords(label)
    .map((word, place) => (place === 0 ? word : word[0]!.toUpperCase() + word.slice(1)))
    .join('');
}

/** `Opening hours` → `opening-hours`. */
export function apiId(displayName: string): string {
  return plainWords(displayName).join('-');
}

/** The English plural of an API id, which is only a suggestion. */
export function pluralOf(singular: string): string {
  if (singular === '') return '';
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

/** `openingHours` → `Opening hours`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[-_]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? name : words[0]!.toUpperCase() + words.slice(1);
}

const ATTRIBUTE_NAME = /^[-_0-9A-Za-z]*[0-9A-Za-z][-_0-9A-Za-z]*$/;
export const API_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const RESERVED = ['id', 'documentId', '__component', '__type', '__proto__'];
/** Names of system fields of content types. */
const RESERVED_IN_TYPES = [
  ...['createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'locale', 'localizations'],
  ...['status', 'entryId'],
];

export type NameProblem = 'empty' | 'characters' | 'reserved' | 'taken';

/** Why an attribute cannot have a name; undefined if it can. */
export function nameProblem(name: string, others: readonly string[], isComponent: boolean): NameProblem | undefined {
  if (name === '') return 'empty';
  if (!ATTRIBUTE_NAME.test(name)) return 'characters';
  const reserved = isComponent ? RESERVED : [...RESERVED, ...RESERVED_IN_TYPES];
  const plain = (one: string): string => one.toLowerCase().replaceAll('_', '');
  if (reserved.some((one) => plain(one) === plain(name))) return 'reserved';
  return others.some((other) => other.toLowerCase() === name.toLowerCase()) ? 'taken' : undefined;
}
