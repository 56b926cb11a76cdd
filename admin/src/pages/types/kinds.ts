/** The kinds of attributes, and which options each of them has. */

/** The kinds in the order and the groups in which they are offered. */
export const KIND_GROUPS = {
  texts: ['string', 'text', 'richtext', 'blocks', 'email', 'password', 'uid'],
  numbers: ['integer', 'biginteger', 'float', 'decimal'],
  times: ['date', 'time', 'datetime', 'timestamp'],
  values: ['boolean', 'enumeration', 'json'],
  links: ['media', 'relation'],
  parts: ['component', 'dynamiczone'],
  custom: ['customField'],
} as const;

export type KindGroup = keyof typeof KIND_GROUPS;
export const GROUPS = Object.keys(KIND_GROUPS) as KindGroup[];
export type Kind = (typeof KIND_GROUPS)[KindGroup][number];

const KINDS: readonly string[] = Object.values(KIND_GROUPS).flat();
export const isKind = (type: unknown): type is Kind => KINDS.includes(type as string);

/** The types as which the values of a custom field can be stored. */
export const UNDERLYING = [
  ...(['string', 'text', 'richtext', 'blocks', 'email', 'uid', 'integer', 'biginteger', 'float', 'decimal'] as const),
  ...(['date', 'time', 'datetime', 'boolean', 'enumeration', 'json'] as const),
] as const;

/** The custom fields whose stored type the server determines itself. */
export const CUSTOM_FIELDS: readonly string[] = ['plugin::color-picker.color'];

export const FILE_KINDS = ['images', 'videos', 'audios', 'files'] as const;

const NUMBERS = KIND_GROUPS.numbers;
const TIMES = KIND_GROUPS.times;
const PLAIN_TEXTS = ['string', 'text', 'richtext', 'email', 'password', 'uid'] as const;
const NOT_SCALAR = ['media', 'relation', 'component', 'dynamiczone'] as const;

type Offer = (kind: Kind) => boolean;
const among =
  (...kinds: readonly Kind[]): Offer =>
  (kind) =>
    kinds.includes(kind);
const scalars =
  (...except: readonly Kind[]): Offer =>
  (kind) =>
    ![...NOT_SCALAR, ...except].includes(kind);

/** Whether a kind has an option that the panel offers. */
export const OFFERS = {
  unique: scalars('richtext', 'blocks', 'json', 'boolean', 'password'),
  index: scalars('text', 'richtext', 'blocks', 'json', 'password'),
  searchable: scalars('password'),
  localized: (kind) => kind !== 'relation',
  default: scalars('blocks', 'password'),
  lengths: among(...PLAIN_TEXTS, 'customField'),
  regex: among(...PLAIN_TEXTS, 'customField'),
  bounds: among(...NUMBERS, 'component', 'dynamiczone'),
} as const satisfies Readonly<Record<string, Offer>>;

/** Options with controls of their own. All others are edited as JSON. */
export const SHOWN_OPTIONS: ReadonlySet<string> = new Set([
  ...['type', 'required', 'unique', 'private', 'index', 'searchable', 'visible', 'writable', 'default'],
  ...['min', 'max', 'minLength', 'maxLength', 'regex', 'enum', 'targetField', 'multiple', 'allowedTypes'],
  ...['relation', 'target', 'inversedBy', 'mappedBy', 'morphBy', 'component', 'repeatable', 'components'],
  ...['customField', 'underlyingType', 'conditions'],
]);

export const isNumber = (kind: Kind): boolean => (NUMBERS as readonly Kind[]).includes(kind);
export const isTime = (kind: Kind): boolean => (TIMES as readonly Kind[]).includes(kind);
