/** What a field of each kind can be compared with, in the words of the app and the operators of the API. */
import type { Condition } from '../../data/list-search.ts';
import { NEEDS_NO_VALUE } from '../../data/list-search.ts';
import type { PlainKey, Text } from '../../language/messages.ts';
import type { FieldKind, ListField } from './fields.ts';

export interface Operator {
  readonly operator: string;
  readonly label: PlainKey;
}

const is: Operator = { operator: '$eq', label: 'lists.is' };
const isNot: Operator = { operator: '$ne', label: 'lists.isNot' };
const empty: readonly Operator[] = [
  { operator: '$null', label: 'lists.empty' },
  { operator: '$notNull', label: 'lists.notEmpty' },
];

const OPERATORS: Readonly<Record<Exclude<FieldKind, 'other'>, readonly Operator[]>> = {
  text: [
    { operator: '$containsi', label: 'lists.contains' },
    { operator: '$notContainsi', label: 'lists.notContains' },
    { operator: '$eqi', label: 'lists.is' },
    { operator: '$nei', label: 'lists.isNot' },
    { operator: '$startsWithi', label: 'lists.starts' },
    { operator: '$endsWithi', label: 'lists.ends' },
    ...empty,
  ],
  choice: [is, isNot, ...empty],
  number: [
    is,
    isNot,
    { operator: '$gt', label: 'lists.more' },
    { operator: '$gte', label: 'lists.least' },
    { operator: '$lt', label: 'lists.less' },
    { operator: '$lte', label: 'lists.most' },
    ...empty,
  ],
  flag: [is, ...empty],
  date: [
    { operator: '$eq', label: 'lists.on' },
    { operator: '$gt', label: 'lists.after' },
    { operator: '$gte', label: 'lists.from' },
    { operator: '$lt', label: 'lists.before' },
    { operator: '$lte', label: 'lists.until' },
    ...empty,
  ],
  moment: [{ operator: '$gte', label: 'lists.since' }, { operator: '$lt', label: 'lists.before' }, ...empty],
  time: [{ operator: '$gte', label: 'lists.since' }, { operator: '$lt', label: 'lists.before' }, ...empty],
  relation: [is, isNot, ...empty],
  media: empty,
};

/** What a field can be compared with; nothing where lists cannot be narrowed by it. */
export function operatorsOf({ kind }: ListField): readonly Operator[] {
  return kind === 'other' ? [] : OPERATORS[kind];
}

/** The path that a condition on a field tests: of what is linked, its id. */
export function pathOf({ name, kind }: ListField, operator: string): string {
  if (kind !== 'relation' && kind !== 'media') return name;
  return NEEDS_NO_VALUE.has(operator) ? `${name}.id` : `${name}.documentId`;
}

/** The field that a condition is about. */
export function fieldOf(fields: readonly ListField[], { field }: Condition): ListField | undefined {
  return fields.find(({ name }) => name === field) ?? fields.find(({ name }) => name === field.split('.')[0]);
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const WHOLE = /^[+-]?\d+$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const WHOLE_TYPES: ReadonlySet<string | undefined> = new Set(['integer', 'biginteger']);

/** What is wrong with a condition, which no document can meet and the server would refuse; undefined: nothing. */
export function problemOf(fields: readonly ListField[], condition: Condition): PlainKey | undefined {
  const field = fieldOf(fields, condition);
  if (!field) return 'lists.filter.noField';
  // an address may ask for more than the form offers
  if (condition.field !== pathOf(field, condition.operator) || NEEDS_NO_VALUE.has(condition.operator)) return undefined;
  return problemOfValue(field, condition.value);
}

/** The same of a value that a field is to be compared with. */
export function problemOfValue({ kind, name, attribute }: ListField, value: string): PlainKey | undefined {
  switch (kind) {
    case 'number': {
      const isWhole = name === 'id' || WHOLE_TYPES.has(attribute?.type);
      if (!NUMBER.test(value)) return 'lists.filter.noNumber';
      return isWhole && !WHOLE.test(value) ? 'lists.filter.notWhole' : undefined;
    }
    case 'date':
      return DATE.test(value) && isTime(value) ? undefined : 'lists.filter.noDate';
    case 'moment':
      return isTime(value) ? undefined : 'lists.filter.noDate';
    case 'time':
      return TIME.test(value) ? undefined : 'lists.filter.noTime';
    case 'flag':
      return value === 'true' || value === 'false' ? undefined : 'lists.filter.noChoice';
    case 'choice':
      return attribute?.enum?.includes(value) ? undefined : 'lists.filter.noChoice';
    default:
      return value === '' ? 'lists.filter.noValue' : undefined;
  }
}

const isTime = (value: string): boolean => !Number.isNaN(new Date(value).getTime());

/** A condition in words: its field, its operator, its value. */
export function wordsOf(
  fields: readonly ListField[],
  condition: Condition,
  t: Text,
  language: string,
): { readonly field: string; readonly operator: string; readonly value: string } {
  const field = fieldOf(fields, condition);
  const operator = field && operatorsOf(field).find((one) => one.operator === condition.operator);
  return {
    field: field?.label ?? condition.field,
    operator: operator ? t(operator.label) : condition.operator,
    value: NEEDS_NO_VALUE.has(condition.operator)
      ? ''
      : (condition.label ?? shownValue(field, condition.value, t, language)),
  };
}

function shownValue(field: ListField | undefined, value: string, t: Text, language: string): string {
  if (field?.kind === 'flag') return t(value === 'true' ? 'lists.yes' : 'lists.no');
  if (field?.kind !== 'date' && field?.kind !== 'moment') return value;
  const date = new Date(field.kind === 'date' ? `${value}T00:00` : value);
  if (Number.isNaN(date.getTime())) return value;
  return date.toLocaleString(language, {
    dateStyle: 'medium',
    ...(field.kind === 'date' ? {} : { timeStyle: 'short' }),
  });
}
