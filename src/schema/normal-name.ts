/** Normalises the names of files and folders of an API as Strapi does, with `kebabCase` of lodash. */

const KEBAB = /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/;

const LOWER = 'a-z\\xdf-\\xf6\\xf8-\\xff';
const UPPER = 'A-Z\\xc0-\\xd6\\xd8-\\xde';
/** Separators of words: ASCII characters that are neither letters nor digits, and punctuation of other scripts. */
const BREAK = '\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\xbf\\xd7\\xf7\\u2000-\\u206f\\s';
const MISC = `[^\\ud800-\\udfff${BREAK}\\d+\\u2700-\\u27bf${LOWER}${UPPER}]`;

/** Words, special forms first; digits are separate words, except for `1st` and the like. */
const WORD = new RegExp(
  [
    `[${UPPER}]?[${LOWER}]+(?=[${BREAK}]|[${UPPER}]|$)`,
    `(?:[${UPPER}]|${MISC})+(?=[${BREAK}]|[${UPPER}](?:[${LOWER}]|${MISC})|$)`,
    `[${UPPER}]?(?:[${LOWER}]|${MISC})+`,
    `[${UPPER}]+`,
    '\\d*(?:1ST|2ND|3RD|(?![123])\\dTH)(?=\\b|[a-z_])',
    '\\d*(?:1st|2nd|3rd|(?![123])\\dth)(?=\\b|[A-Z_])',
    '\\d+',
    '[\\u2700-\\u27bf]|[\\ud800-\\udbff][\\udc00-\\udfff]',
  ].join('|'),
  'g',
);
/** Names with words that are separated by more than spaces. */
const COMPOUND = /[a-z][A-Z]|[A-Z]{2}[a-z]|[0-9][a-zA-Z]|[a-zA-Z][0-9]|[^a-zA-Z0-9 ]/;

/** Letters that are replaced by others instead of losing their accents. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ Æ: 'Ae', æ: 'ae', Ø: 'O', ø: 'o', ß: 'ss', Ð: 'D', ð: 'd', Þ: 'Th', þ: 'th', Đ: 'D', đ: 'd', Ħ: 'H', ħ: 'h' },
  ...{ ı: 'i', Ĳ: 'IJ', ĳ: 'ij', ĸ: 'k', Ł: 'L', ł: 'l', Ŀ: 'L', ŀ: 'l', ŉ: "'n", Ŋ: 'N', ŋ: 'n', Œ: 'Oe', œ: 'oe' },
  ...{ Ŧ: 'T', ŧ: 't', ſ: 's' },
};

/** `homePage`, `HomePage` and `home_page` become `home-page`, `v2Page` becomes `v-2-page`; kebab case stays. */
export function normalName(name: string): string {
  if (KEBAB.test(name)) return name;
  const plain = name
    .replaceAll(/[\xc0-\xd6\xd8-\xf6\xf8-\u017f]/g, (letter) => LETTERS[letter] ?? letter.normalize('NFD')[0]!)
    .replaceAll(/[\u0300-\u036f\ufe20-\ufe2f\u20d0-\u20ff]/g, '')
    .replaceAll(/['\u2019]/g, '');
  const words = COMPOUND.test(plain) ? plain.match(WORD) : plain.match(/[a-zA-Z0-9]+/g);
  return (words ?? []).map((word) => word.toLowerCase()).join('-');
}

/**
 * Names of files or folders by their normalised name, in the order in which Strapi loads them; of several with the same
 * name the last is used.
 *
 * @param names in the order of the file system.
 */
export function byNormalName(names: Iterable<string>): Map<string, string> {
  return new Map(Array.from(names, (name) => [normalName(name), name]));
}
