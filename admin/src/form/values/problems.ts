/** What is wrong with values before anybody is asked: the rules of the schema, as the server will hold to them. */
import type { FieldError } from '../../data/failures.ts';
import { linksOf } from './links.ts';
import {
  type Attribute,
  componentOf,
  type Model,
  type Path,
  placedEntries,
  rowsOf,
  type Schema,
  type Values,
} from './model.ts';
import { isShown } from './shown.ts';
import { type TextPlace, unparsedPlace, unparsedText } from './unparsed.ts';

export interface Problem {
  readonly kind:
    | 'required'
    | 'tooShort'
    | 'tooLong'
    | 'tooSmall'
    | 'tooLow'
    | 'tooLarge'
    | 'tooFew'
    | 'tooMany'
    | 'noEmail'
    | 'noUid'
    | 'noColour'
    | 'noMatch'
    | 'noNumber'
    | 'noInteger'
    | 'tooFine'
    | 'noJson'
    | 'noMoment'
    | 'noChoice';
  readonly limit?: number | string;
  /** In a text that cannot be read. */
  readonly at?: TextPlace;
}

/** What is to be told at a field: what the server says, or, where it is a problem by the schema, what that is. */
export interface Finding extends FieldError {
  readonly problem?: Problem;
}

/** Columns of short texts hold as much where the schema gives no other limit. */
const SHORT = 255;
const SHORT_TYPES: ReadonlySet<string> = new Set(['string', 'email', 'uid', 'password']);
const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@.]+(\.[^\s@.]+)+$/;
const UID = /^[A-Za-z0-9-_.~]*$/;
/** The custom field for colours. Its server accepts whatever the schema does, so what is none is never sent. */
const COLOUR = 'plugin::color-picker.color';
const BIG = 2n ** 63n;
/** What the columns of numbers hold on every engine, whatever the schema says. */
const COLUMN_BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  integer: [-2_147_483_648, 2_147_483_647],
  decimal: [-99_999_999.99, 99_999_999.99],
};
/** What drafts are spared: it stands against publishing alone. */
const SPARED: ReadonlySet<Problem['kind']> = new Set([
  'required',
  'tooShort',
  'tooSmall',
  'tooFew',
  'tooMany',
  'noEmail',
  'noUid',
  'noMatch',
]);

/** The most characters that a text may have; undefined without a limit. */
export function lengthLimit(attribute: Attribute): number | undefined {
  return attribute.maxLength ?? (SHORT_TYPES.has(attribute.type) ? SHORT : undefined);
}

/** What is wrong with one value; undefined where nothing is. Rows are not looked into. */
export function problemOf(attribute: Attribute, value: unknown): Problem | undefined {
  const text = unparsedText(value);
  if (text !== undefined) {
    const at = unparsedPlace(value);
    return { kind: UNREADABLE[attribute.type] ?? 'noNumber', ...(at && { at }) };
  }
  if (value === null || value === undefined) return isMissing(attribute, value) ? { kind: 'required' } : undefined;
  switch (attribute.type) {
    case 'string':
    case 'text':
    case 'richtext':
    case 'email':
    case 'uid':
    case 'password':
      return typeof value === 'string' ? problemOfText(attribute, value) : undefined;
    case 'integer':
    case 'float':
    case 'decimal':
      return problemOfNumber(attribute, Number(value));
    case 'biginteger':
      return problemOfBig(attribute, String(value));
    case 'enumeration':
      return attribute.enum?.includes(String(value)) ? undefined : { kind: 'noChoice' };
    case 'dynamiczone':
    case 'component':
      return attribute.repeatable || attribute.type === 'dynamiczone'
        ? problemOfCount(attribute, rowsOf(value).length)
        : undefined;
    case 'relation':
      return isMissing(attribute, value) && linksOf(value).count === 0 ? { kind: 'required' } : undefined;
    case 'media':
    case 'blocks':
      return isMissing(attribute, value) && Array.isArray(value) && value.length === 0
        ? { kind: 'required' }
        : undefined;
    default:
      return undefined;
  }
}

/**
 * Why not even a draft can have a value: it stays in the form until it is mended, and is not sent. Undefined: a draft can.
 * Passwords are not read again, so nobody could mend one later.
 */
export function heldBackBy(attribute: Attribute, value: unknown): Problem | undefined {
  const problem = problemOf(attribute, value);
  return problem && (attribute.type === 'password' || !SPARED.has(problem.kind)) ? problem : undefined;
}

/**
 * Why the server would not store the value of a hidden field: its column does not hold it. The limits of the schema do not
 * count.
 */
export function heldBackHidden(attribute: Attribute, value: unknown): Problem | undefined {
  const { min: _min, max: _max, minLength: _least, maxLength, regex: _regex, ...rest } = attribute;
  const isLong = maxLength !== undefined && maxLength > SHORT;
  const type = attribute.type === 'enumeration' ? 'string' : attribute.type;
  return heldBackBy({ ...rest, type, required: false, ...(isLong ? { maxLength } : {}) }, value);
}

const UNREADABLE: Readonly<Record<string, Problem['kind']>> = {
  json: 'noJson',
  integer: 'noInteger',
  biginteger: 'noInteger',
  date: 'noMoment',
  time: 'noMoment',
  datetime: 'noMoment',
  timestamp: 'noMoment',
};

/** A password that is there is never read, nor is what may only be written, so they cannot be told to be missing. */
const isMissing = ({ required, type, readable }: Attribute, value: unknown): boolean =>
  required === true && type !== 'password' && (readable || value !== undefined);

function problemOfText(attribute: Attribute, value: string): Problem | undefined {
  const { minLength, regex, required, type, customField } = attribute;
  const maxLength = lengthLimit(attribute);
  if (maxLength !== undefined && value.length > maxLength) return { kind: 'tooLong', limit: maxLength };
  if (value === '' && type === 'password') return undefined;
  if (minLength && value.length < minLength) return { kind: 'tooShort', limit: minLength };
  if (type === 'email' && !EMAIL.test(value)) return { kind: 'noEmail' };
  if (type === 'uid' && !regex && !UID.test(value)) return { kind: 'noUid' };
  if (customField === COLOUR && !regex && value !== '' && !isColour(value)) return { kind: 'noColour' };
  const isTested = value !== '' || required || type === 'uid';
  if (regex && isTested && !matches(regex, value)) return { kind: 'noMatch' };
  return undefined;
}

/** Whether the browser knows a colour. */
function isColour(value: string): boolean {
  const { CSS } = globalThis as { readonly CSS?: { supports(property: string, value: string): boolean } };
  return CSS?.supports('color', value) ?? true;
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern).test(value);
  } catch {
    return true; // what the browser cannot read is left to the server
  }
}

function problemOfNumber({ type, min, max, decimals }: Attribute, value: number): Problem | undefined {
  if (!Number.isFinite(value)) return { kind: 'noNumber' };
  if (type === 'integer' && !Number.isInteger(value)) return { kind: 'noInteger' };
  if (decimals !== undefined && decimalsOf(value) > decimals) return { kind: 'tooFine', limit: decimals };
  const [least, most] = COLUMN_BOUNDS[type] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (value < least) return { kind: 'tooLow', limit: least };
  if (isLimit(min) && value < Number(min)) return { kind: 'tooSmall', limit: min };
  if (isLimit(max) && value > Number(max)) return { kind: 'tooLarge', limit: max };
  return value > most ? { kind: 'tooLarge', limit: most } : undefined;
}

/** How many decimals it takes to write a number. */
function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent));
}

function problemOfBig({ min, max }: Attribute, text: string): Problem | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return { kind: 'noInteger' };
  const value = BigInt(text.replace('+', ''));
  if (value < -BIG) return { kind: 'tooLow', limit: String(-BIG) };
  if (isLimit(min) && value < BigInt(min)) return { kind: 'tooSmall', limit: min };
  if (isLimit(max) && value > BigInt(max)) return { kind: 'tooLarge', limit: max };
  return value >= BIG ? { kind: 'tooLarge', limit: String(BIG - 1n) } : undefined;
}

const isLimit = (limit: Attribute['min']): limit is number | string => limit !== undefined;

function problemOfCount({ min, max, required }: Attribute, count: number): Problem | undefined {
  // an empty list is none at all, unless it has to be there
  if (required && count === 0) return { kind: 'required' };
  if (isLimit(min) && count > 0 && count < Number(min)) return { kind: 'tooFew', limit: min };
  return isLimit(max) && count > Number(max) ? { kind: 'tooMany', limit: max } : undefined;
}

/**
 * Everything that would stand against publishing, as far as it can be told here, in the order of the attributes.
 *
 * @param isNew whether the server does not have the document yet.
 */
export function problems(
  schema: Schema,
  model: Model,
  values: Values,
  isNew: boolean,
  around: Path = [],
): readonly { readonly path: Path; readonly problem: Problem }[] {
  return model.attributes.flatMap((attribute) => {
    const { name } = attribute;
    if (!(isNew ? attribute.writableInNew : attribute.writable) || !isShown(schema, model, attribute, values))
      return [];
    const value = values[name];
    const path = [...around, name];
    const own = problemOf(attribute, value);
    const isNested = attribute.type === 'component' || attribute.type === 'dynamiczone';
    const within = (isNested ? placedEntries(value, path) : []).flatMap(([row, at]) => {
      const component = componentOf(schema, attribute, row);
      return component ? problems(schema, component, row, isNew, at) : [];
    });
    return own ? [{ path, problem: own }, ...within] : within;
  });
}
