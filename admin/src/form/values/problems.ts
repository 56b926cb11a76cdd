/** Problems of values by the rules of the schema, which the server applies as well. */
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
import { type TextPlace, unparsedPlace, unparsedText } from './unparsed.ts';
import { isShown } from './visibility.ts';

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
  /** The position of a syntax error. */
  readonly at?: TextPlace;
}

/** An error of a field: a message of the server, or a problem by the schema. */
export interface Finding extends FieldError {
  readonly problem?: Problem;
}

/** The column size of short texts without another limit. */
const SHORT = 255;
const SHORT_TYPES: ReadonlySet<string> = new Set(['string', 'email', 'uid', 'password']);
const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@.]+(\.[^\s@.]+)+$/;
const UID = /^[A-Za-z0-9-_.~]*$/;
/** The custom field for colours. The server accepts any text for it, so invalid colours are never sent. */
const COLOUR = 'plugin::color-picker.color';
const BIG = 2n ** 63n;
/** The bounds of number columns on every database, independent of the schema. */
const COLUMN_BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  integer: [-2_147_483_648, 2_147_483_647],
  decimal: [-99_999_999.99, 99_999_999.99],
};
/** Problems that only prevent publishing. */
const PUBLISHING_ONLY: ReadonlySet<Problem['kind']> = new Set([
  'required',
  'tooShort',
  'tooSmall',
  'tooFew',
  'tooMany',
  'noEmail',
  'noUid',
]);

/** The maximum length of a text; undefined without a limit. */
export function lengthLimit(attribute: Attribute): number | undefined {
  return attribute.maxLength ?? (SHORT_TYPES.has(attribute.type) ? SHORT : undefined);
}

/**
 * The problem of a value; undefined if there is none. Rows are not checked, and neither are patterns: the server tests
 * them when it publishes, and fields test them in a worker (`usePatternTest`), because some freeze the page.
 */
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
 * Why not even a draft can have a value: it stays in the form until it is corrected and is not sent. Undefined if a
 * draft can have it. Passwords are included, because they cannot be read and corrected later.
 */
export function draftProblemOf(attribute: Attribute, value: unknown): Problem | undefined {
  const problem = problemOf(attribute, value);
  return problem && (attribute.type === 'password' || !PUBLISHING_ONLY.has(problem.kind)) ? problem : undefined;
}

/** Why the column of a hidden field cannot store its value. The limits of the schema do not apply. */
export function hiddenProblemOf(attribute: Attribute, value: unknown): Problem | undefined {
  const { min: _min, max: _max, minLength: _least, maxLength, regex: _regex, ...rest } = attribute;
  const isLong = maxLength !== undefined && maxLength > SHORT;
  const type = attribute.type === 'enumeration' ? 'string' : attribute.type;
  return draftProblemOf({ ...rest, type, required: false, ...(isLong ? { maxLength } : {}) }, value);
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

/** Stored passwords and write-only values are not readable, so they cannot be reported as missing. */
const isMissing = ({ required, type, readable }: Attribute, value: unknown): boolean =>
  required === true && type !== 'password' && (readable || value !== undefined);

function problemOfText(attribute: Attribute, value: string): Problem | undefined {
  const { minLength, regex, type, customField } = attribute;
  const maxLength = lengthLimit(attribute);
  if (maxLength !== undefined && value.length > maxLength) return { kind: 'tooLong', limit: maxLength };
  if (value === '' && type === 'password') return undefined;
  if (minLength && value.length < minLength) return { kind: 'tooShort', limit: minLength };
  if (type === 'email' && !EMAIL.test(value)) return { kind: 'noEmail' };
  if (type === 'uid' && !regex && !UID.test(value)) return { kind: 'noUid' };
  if (customField === COLOUR && !regex && value !== '' && !isColour(value)) return { kind: 'noColour' };
  return undefined;
}

/** Whether the browser accepts a colour. */
function isColour(value: string): boolean {
  const { CSS } = globalThis as { readonly CSS?: { supports(property: string, value: string): boolean } };
  return CSS?.supports('color', value) ?? true;
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

/** The number of decimal places of a number. */
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
  // An empty list counts as missing only if it is required.
  if (required && count === 0) return { kind: 'required' };
  if (isLimit(min) && count > 0 && count < Number(min)) return { kind: 'tooFew', limit: min };
  return isLimit(max) && count > Number(max) ? { kind: 'tooMany', limit: max } : undefined;
}

/**
 * All problems that prevent publishing, in the order of the attributes.
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
