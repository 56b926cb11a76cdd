/** Physical names as Strapi 5 makes them: `snake` and `short`. */
import { createHash } from 'node:crypto';
import type { Model, RelationAttribute } from '../catalog.ts';

/** The longest name of a table, column, index or constraint. */
export const MAX_NAME_LENGTH = 55;

const HASH_LENGTH = 5;

// letters that Unicode does not decompose into a base letter and an accent
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ŧ: 't',
  Ŧ: 'T',
  ı: 'i',
  ĸ: 'k',
  ŋ: 'n',
  Ŋ: 'N',
  ſ: 's',
  ĳ: 'ij',
  Ĳ: 'IJ',
  ŀ: 'l',
  Ŀ: 'L',
};

// In this order: ordinals (`1st`, `10TH`) whole, digits, capitals up to the last one that starts a word, a word.
// Letters without case take part in lower-case words.
const WORD = new RegExp(
  [
    '\\d*(?:1st|2nd|3rd|(?![123])\\dth)(?![a-z\\d])',
    '\\d*(?:1ST|2ND|3RD|(?![123])\\dTH)(?![A-Z\\d])',
    '\\d+',
    '\\p{Lu}+(?![\\p{Ll}\\p{Lo}\\p{Lm}])',
    '\\p{Lu}?[\\p{Ll}\\p{Lo}\\p{Lm}]+',
  ].join('|'),
  'gu',
);

/**
 * The snake-case form of a name: accents and apostrophes dropped, split at non-alphanumerics, at changes of case and
 * between letters and digits. `HTMLBody` → `html_body`, `h1Title2` → `h_1_title_2`, `iPhone4sModel` → `i_phone_4_s_model`.
 */
export function snake(name: string): string {
  const plain = [...name]
    .map((letter) => UNDECOMPOSED[letter] ?? letter)
    .join('')
    .normalize('NFD')
    .replace(/[\p{Mn}'’]/gu, '');
  return (plain.match(WORD) ?? []).map((word) => word.toLowerCase()).join('_');
}

/** A part of a physical name: a string may be shortened, an array of one is kept (`[lnk]` in the rules). */
export type NamePart = string | readonly [string];

/**
 * Joins parts with `_` to a name of at most 55 characters, as Strapi 5 does. If the whole is longer, each string gets
 * an equal share of the length; a longer one ends in five hex digits of its SHAKE-256.
 */
export function short(...parts: readonly NamePart[]): string {
  const names = parts.map((part) => (typeof part === 'string' ? part : part[0]));
  const whole = names.join('_');
  if (whole.length <= MAX_NAME_LENGTH) return whole;

  const flexible = parts.flatMap((part, i) => (typeof part === 'string' ? [i] : []));
  const fixedLength = parts.reduce((sum, part) => sum + (typeof part === 'string' ? 0 : part[0].length), 0);
  const room = MAX_NAME_LENGTH - fixedLength - (parts.length - 1);
  const each = Math.floor(room / flexible.length);
  let spare = room % flexible.length;

  const allowances = new Map<number, number>();
  for (const i of flexible) {
    const length = names[i]!.length;
    if (length < each) spare += each - length;
    allowances.set(i, Math.min(length, each));
  }
  while (spare > 0) {
    const cut = flexible.filter((i) => allowances.get(i)! < names[i]!.length);
    if (cut.length === 0) break;
    for (const i of cut.slice(0, spare)) allowances.set(i, allowances.get(i)! + 1);
    spare -= Math.min(spare, cut.length);
  }
  return names.map((name, i) => (allowances.has(i) ? cutTo(name, allowances.get(i)!) : name)).join('_');
}

function cutTo(name: string, length: number): string {
  if (name.length <= length) return name;
  const hash = createHash('shake256', { outputLength: 3 }).update(name).digest('hex').slice(0, HASH_LENGTH);
  return name.slice(0, length - HASH_LENGTH) + hash;
}

export interface LinkNames {
  readonly table: string;
  readonly source: string;
  readonly target: string;
  readonly order: string | null;
  readonly inverseOrder: string | null;
}

/** The link table of an owning relation, seen from its owner. */
export function linkNames(model: Model, attribute: RelationAttribute, target: Model): LinkNames {
  const { relation } = attribute;
  const own = snake(model.singularName);
  const other = snake(target.singularName);
  const source = short(own, ['id']);
  const plainTarget = short(other, ['id']);

  const order = relation === 'oneToMany' || relation === 'manyToMany' ? short(other, ['ord']) : null;
  let inverseOrder: string | null = null;
  if (attribute.namesInverse && (relation === 'manyToOne' || relation === 'manyToMany')) {
    inverseOrder = short(own, ['ord']);
    if (inverseOrder === order) inverseOrder = short(['inv'], own, ['ord']);
  }
  return {
    table: short(snake(short(model.collectionName)), snake(attribute.name), ['lnk']),
    source,
    target: plainTarget === source ? short(['inv'], other, ['id']) : plainTarget,
    order,
    inverseOrder,
  };
}

/** A table of polymorphic links, and its columns. */
export interface MorphTableNames {
  readonly table: string;
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly field: string;
  readonly order: string;
}

/** The table of a morphToMany attribute. */
export function morphTableNames(model: Model, attribute: string): MorphTableNames {
  return {
    table: short(snake(short(model.collectionName)), snake(attribute), ['mph']),
    source: short(snake(model.singularName), ['id']),
    id: short(snake(attribute), ['id']),
    type: short(snake(attribute), ['type']),
    field: 'field',
    order: 'order',
  };
}
