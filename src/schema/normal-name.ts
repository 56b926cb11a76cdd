/**
 * What Strapi calls that which it finds in a file or a folder of an API: the name in kebab case, as lodash has it, by
 * whose `kebabCase` Strapi goes.
 */

const KEBAB = /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/;

const LOWER = 'a-z\\xdf-\\xf6\\xf8-\\xff';
const UPPER = 'A-Z\\xc0-\\xd6\\xd8-\\xde';
/** What stands between words: all of ASCII that is neither a letter nor a digit, and the punctuation of other scripts. */
const BREAK = '\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\xbf\\xd7\\xf7\\u2000-\\u206f\\s';
const MISC = `[^\\ud800-\\udfff${BREAK}\\d+\\u2700-\\u27bf${LOWER}${UPPER}]`;

/** Words, the more particular forms first; digits are words of their own, but for `1st` and its kin. */
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
/** Names in which words are told from their neighbours by more than blanks. */
const COMPOUND = /[a-z][A-Z]|[A-Z]{2}[a-z]|[0-9][a-zA-Z]|[a-zA-Z][0-9]|[^a-zA-Z0-9 ]/;

/** Letters that are written without their marks in another way than by leaving these out. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ Æ: 'Ae', æ: 'ae', Ø: 'O', ø: 'o', ß: 'ss', Ð: 'D', ð: 'd', Þ: 'Th', þ: 'th', Đ: 'D', đ: 'd', Ħ: 'H', ħ: 'h' },
  ...{ ı: 'i', Ĳ: 'IJ', ĳ: 'ij', ĸ: 'k', Ł: 'L', ł: 'l', Ŀ: 'L', ŀ: 'l', ŉ: "'n", Ŋ: 'N', ŋ: 'n', Œ: 'Oe', œ: 'oe' },
  ...{ Ŧ: 'T', ŧ: 't', ſ: 's' },
};

/** `homePage`, `HomePage` and `home_page` are `home-page`, `v2Page` is `v-2-page`; what is kebab case stays as it is. */
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
 * Names of files or folders by what Strapi calls them, in the order in which it loads them: of several that become one
 * name the last counts.
 *
 * @param names in the order of the file system.
 */
export function byNormalName(names: Iterable<string>): Map<string, string> {
  return new Map(Array.from(names, (name) => [normalName(name), name]));
}
