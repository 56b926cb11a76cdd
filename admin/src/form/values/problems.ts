/** What is wrong with values before anybody is asked: the rules of the schema, as the server will hold to them. */
import {
  type Attribute,
  componentOf,
  isValues,
  type Model,
  type Path,
  rowsOf,
  type Schema,
  type Values,
} from './model.ts';
import { unparsedText } from './unparsed.ts';

export interface Problem {
  readonly kind:
    | 'required'
    | 'tooShort'
    | 'tooLong'
    | 'tooSmall'
    | 'tooLarge'
    | 'tooFew'
    | 'tooMany'
    | 'noEmail'
    | 'noUid'
    | 'noMatch'
    | 'noNumber'
    | 'noInteger'
    | 'noJson'
    | 'noMoment'
    | 'noChoice';
  readonly limit?: number | string;
}

/** Columns of short texts hold as much where the schema gives no other limit. */
const SHORT = 255;
const SHORT_TYPES: ReadonlySet<string> = new Set(['string', 'email', 'uid', 'password']);
const EMAIL = /^[^\s@"(),:;<>[\\\]]+@[^\s@.]+(\.[^\s@.]+)+$/;
const UID = /^[A-Za-z0-9-_.~]*$/;
const BIG = 2n ** 63n;

/** The most characters that a text may have; undefined without a limit. */
export function lengthLimit(attribute: Attribute): number | undefined {
  return attribute.maxLength ?? (SHORT_TYPES.has(attribute.type) ? SHORT : undefined);
}

/** What is wrong with one value; undefined where nothing is. Rows are not looked into. */
export function problemOf(attribute: Attribute, value: unknown): Problem | undefined {
  const text = unparsedText(value);
  if (text !== undefined) return { kind: UNREADABLE[attribute.type] ?? 'noNumber' };
  if (value === null || value === undefined) return isMissing(attribute) ? { kind: 'required' } : undefined;
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
    case 'media':
    case 'blocks':
      return isMissing(attribute) && Array.isArray(value) && value.length === 0 ? { kind: 'required' } : undefined;
    default:
      return undefined;
  }
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

/** A password that is there is never read, so it cannot be told to be missing. */
const isMissing = (attribute: Attribute): boolean => attribute.required === true && attribute.type !== 'password';

function problemOfText(attribute: Attribute, value: string): Problem | undefined {
  const { minLength, regex, required, type } = attribute;
  const maxLength = lengthLimit(attribute);
  if (maxLength !== undefined && value.length > maxLength) return { kind: 'tooLong', limit: maxLength };
  if (value === '' && type === 'password') return undefined;
  if (minLength && value.length < minLength) return { kind: 'tooShort', limit: minLength };
  if (type === 'email' && !EMAIL.test(value)) return { kind: 'noEmail' };
  if (type === 'uid' && !UID.test(value)) return { kind: 'noUid' };
  if (regex && !(value === '' && !required) && !matches(regex, value)) return { kind: 'noMatch' };
  return undefined;
}

function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern).test(value);
  } catch {
    return true; // what the browser cannot read is left to the server
  }
}

function problemOfNumber({ type, min, max }: Attribute, value: number): Problem | undefined {
  if (!Number.isFinite(value)) return { kind: 'noNumber' };
  if (type === 'integer' && !Number.isInteger(value)) return { kind: 'noInteger' };
  if (isLimit(min) && value < Number(min)) return { kind: 'tooSmall', limit: min };
  if (isLimit(max) && value > Number(max)) return { kind: 'tooLarge', limit: max };
  return undefined;
}

function problemOfBig({ min, max }: Attribute, text: string): Problem | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return { kind: 'noInteger' };
  const value = BigInt(text.replace('+', ''));
  if (isLimit(min) && value < BigInt(min)) return { kind: 'tooSmall', limit: min };
  if (isLimit(max) && value > BigInt(max)) return { kind: 'tooLarge', limit: max };
  if (value >= BIG) return { kind: 'tooLarge', limit: String(BIG - 1n) };
  return value < -BIG ? { kind: 'tooSmall', limit: String(-BIG) } : undefined;
}

const isLimit = (limit: Attribute['min']): limit is number | string => limit !== undefined;

function problemOfCount({ min, max, required }: Attribute, count: number): Problem | undefined {
  // an empty list is none at all, unless it has to be there
  if (required && count === 0) return { kind: 'required' };
  if (isLimit(min) && count > 0 && count < Number(min)) return { kind: 'tooFew', limit: min };
  return isLimit(max) && count > Number(max) ? { kind: 'tooMany', limit: max } : undefined;
}

/** Everything that would stand against publishing, as far as it can be told here, in the order of the attributes. */
export function problems(
  schema: Schema,
  model: Model,
  values: Values,
  around: Path = [],
): readonly { readonly path: Path; readonly label: string; readonly problem: Problem }[] {
  return model.attributes.flatMap((attribute) => {
    const { name, label } = attribute;
    if (!attribute.writable) return [];
    const value = values[name];
    const path = [...around, name];
    const own = problemOf(attribute, value);
    const rows = Array.isArray(value)
      ? rowsOf(value).map((row, index) => [row, [...path, index]] as const)
      : isValues(value)
        ? [[value, path] as const]
        : [];
    const isNested = attribute.type === 'component' || attribute.type === 'dynamiczone';
    const within = (isNested ? rows : []).flatMap(([row, at]) => {
      const component = componentOf(schema, attribute, row);
      return component ? problems(schema, component, row, at) : [];
    });
    return own ? [{ path, label, problem: own }, ...within] : within;
  });
}
