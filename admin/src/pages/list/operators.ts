/** The operators of filters by kind of field: their labels and their operators in the API. */
import { type Condition, LACKS, listOf, operandCountOf } from '../../data/list-search.ts';
import { whenText } from '../../language/date-format.ts';
import type { PlainKey, Text } from '../../language/messages.ts';
import type { FieldKind, ListField } from './fields.ts';

export interface Operator {
  readonly operator: string;
  readonly label: PlainKey;
}

const is: Operator = { operator: '$eq', label: 'lists.is' };
const isNot: Operator = { operator: '$ne', label: 'lists.isNot' };
const between: Operator = { operator: '$between', label: 'lists.between' };
const choices: readonly Operator[] = [
  { operator: '$in', label: 'lists.oneOf' },
  { operator: '$notIn', label: 'lists.noneOf' },
];
const empty: readonly Operator[] = [
  { operator: '$null', label: 'lists.empty' },
  { operator: '$notNull', label: 'lists.notEmpty' },
];
/** For timestamps and times of day. */
const clock: readonly Operator[] = [
  { operator: '$gte', label: 'lists.since' },
  { operator: '$lt', label: 'lists.before' },
  { operator: '$gt', label: 'lists.after' },
  { operator: '$lte', label: 'lists.through' },
  between,
  { operator: '$eq', label: 'lists.at' },
  { operator: '$ne', label: 'lists.notAt' },
  ...empty,
];

const OPERATORS: Readonly<Record<FieldKind, readonly Operator[]>> = {
  text: [
    { operator: '$containsi', label: 'lists.contains' },
    { operator: '$notContainsi', label: 'lists.notContains' },
    { operator: '$eqi', label: 'lists.is' },
    { operator: '$nei', label: 'lists.isNot' },
    { operator: '$startsWithi', label: 'lists.starts' },
    { operator: '$endsWithi', label: 'lists.ends' },
    ...choices,
    ...empty,
    { operator: '$contains', label: 'lists.containsExactly' },
    { operator: '$notContains', label: 'lists.notContainsExactly' },
    { operator: '$eq', label: 'lists.isExactly' },
    { operator: '$ne', label: 'lists.isNotExactly' },
    { operator: '$startsWith', label: 'lists.startsExactly' },
    { operator: '$endsWith', label: 'lists.endsExactly' },
  ],
  choice: [is, isNot, ...choices, ...empty],
  number: [
    is,
    isNot,
    { operator: '$gt', label: 'lists.more' },
    { operator: '$gte', label: 'lists.least' },
    { operator: '$lt', label: 'lists.less' },
    { operator: '$lte', label: 'lists.most' },
    between,
    ...choices,
    ...empty,
  ],
  flag: [is, isNot, ...empty],
  date: [
    { operator: '$eq', label: 'lists.on' },
    { operator: '$ne', label: 'lists.notOn' },
    { operator: '$gt', label: 'lists.after' },
    { operator: '$gte', label: 'lists.from' },
    { operator: '$lt', label: 'lists.before' },
    { operator: '$lte', label: 'lists.until' },
    between,
    ...empty,
  ],
  moment: clock,
  time: clock,
  relation: [is, isNot, ...choices, ...empty],
  media: empty,
  whole: empty,
  person: [
    { operator: '$me', label: 'lists.me' },
    { operator: '$notMe', label: 'lists.notMe' },
    { operator: '$containsi', label: 'lists.named' },
    { operator: '$notNull', label: 'lists.anyone' },
    { operator: '$null', label: 'lists.noOne' },
  ],
  locale: [{ operator: LACKS, label: 'lists.lacks' }],
};

/** Fields that always have a value. */
const NEVER_EMPTY: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Operators that exclude documents without a value, which is not obvious. */
export const LEAVES_OUT_EMPTY: ReadonlySet<string> = new Set([
  '$ne',
  '$nei',
  '$notIn',
  '$notContains',
  '$notContainsi',
]);

/** The operators of a field. */
export function operatorsOf({ name, kind }: ListField): readonly Operator[] {
  return NEVER_EMPTY.has(name) ? OPERATORS[kind].filter((one) => !empty.includes(one)) : OPERATORS[kind];
}

/** The path of a filter in the API: for linked documents, their id. */
export function pathOf({ name, kind }: ListField, operator: string): string {
  if (kind === 'person') return empty.some((one) => one.operator === operator) ? `${name}.id` : name;
  if (kind !== 'relation' && kind !== 'media') return name;
  return operandCountOf(operator) === 'nothing' ? `${name}.id` : `${name}.documentId`;
}

/** The field of a filter. */
export function fieldOf(fields: readonly ListField[], { field }: Condition): ListField | undefined {
  return fields.find(({ name }) => name === field) ?? fields.find(({ name }) => name === field.split('.')[0]);
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const WHOLE = /^[+-]?\d+$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const WHOLE_TYPES: ReadonlySet<string | undefined> = new Set(['integer', 'biginteger']);

/** Why a filter is invalid; undefined if it is valid. The server would refuse an invalid one. */
export function problemOf(fields: readonly ListField[], condition: Condition): PlainKey | undefined {
  const field = fieldOf(fields, condition);
  if (!field) return 'lists.filter.noField';
  const takes = operandCountOf(condition.operator);
  // An address may contain filters that the form does not offer.
  if (condition.field !== pathOf(field, condition.operator) || takes === 'nothing') return undefined;
  const values = listOf(condition.value);
  if (takes === 'two' ? values.length !== 2 : values.length === 0) return 'lists.filter.noValue';
  return values.map((value) => problemOfValue(field, value)).find((problem) => problem !== undefined);
}

/** Why a value of a filter is invalid. */
export function problemOfValue(
  { kind, name, attribute, locales = [] }: ListField,
  value: string,
): PlainKey | undefined {
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
    case 'locale':
      return locales.some(({ code }) => code === value) ? undefined : 'lists.filter.noChoice';
    case 'choice':
      return attribute?.enum?.includes(value) ? undefined : 'lists.filter.noChoice';
    default:
      return value === '' ? 'lists.filter.noValue' : undefined;
  }
}

const isTime = (value: string): boolean => !Number.isNaN(new Date(value).getTime());

/** A filter in words: field, operator, values. */
export function wordsOf(
  fields: readonly ListField[],
  condition: Condition,
  t: Text,
  locale: string,
): { readonly field: string; readonly operator: string; readonly value: string } {
  const field = fieldOf(fields, condition);
  const operator = field && operatorsOf(field).find((one) => one.operator === condition.operator);
  const takes = operandCountOf(condition.operator);
  const labels = listOf(condition.label);
  const values = listOf(condition.value).map((value, at) => labels[at] ?? shownValue(field, value, t, locale));
  return {
    field: field?.label ?? condition.field,
    operator: operator ? t(operator.label) : condition.operator,
    value: takes === 'nothing' ? '' : takes === 'two' ? values.join(' – ') : shortened(values, t),
  };
}

/** The number of values that a chip names; more are counted. */
const NAMED = 3;

function shortened(values: readonly string[], t: Text): string {
  if (values.length <= NAMED) return values.join(', ');
  return t('lists.andMore', { names: values.slice(0, NAMED - 1).join(', '), count: values.length - NAMED + 1 });
}

function shownValue(field: ListField | undefined, value: string, t: Text, locale: string): string {
  if (field?.kind === 'flag') return t(value === 'true' ? 'lists.yes' : 'lists.no');
  if (field?.kind === 'locale') return field.locales?.find(({ code }) => code === value)?.name ?? value;
  const isTime = field?.kind === 'date' || field?.kind === 'time' || field?.kind === 'moment';
  return isTime ? whenText(field.kind, value, locale) : value;
}
