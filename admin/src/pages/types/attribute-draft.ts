/** An attribute while its panel is open: its options, and the further ones as text. */
import { isPattern } from '../../form/values/is-pattern.ts';
import { isKind, type Kind, OFFERS, SHOWN_OPTIONS } from './kinds.ts';
import { nameProblem } from './names.ts';
import { objectText, parsedObject } from './option-texts.ts';
import { canHaveOther, isFromAny, isToAny, otherName, type Types } from './relations.ts';
import { isLocalized, type Options, type WorkingAttribute, type WorkingType, withLocalized } from './working-type.ts';

export interface Draft {
  readonly name: string;
  readonly options: Options;
  /** Whether each locale has its own value. */
  readonly localized: boolean;
  /** The options without controls of their own, as JSON. */
  readonly rest: string;
  /** The condition as JSON, as long as it is edited as such. */
  readonly condition: string;
}

const isShown = (name: string): boolean => SHOWN_OPTIONS.has(name);

const furtherOf = (options: Options): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(options).filter(([key]) => !isShown(key)));

export function draftOf({ name, options }: Pick<WorkingAttribute, 'name' | 'options'>): Draft {
  const localized = isLocalized(options);
  const rest = furtherOf(options);
  return {
    name,
    options,
    localized,
    rest: objectText(localized ? withLocalized(rest, false) : rest),
    condition: objectText((options['conditions'] ?? {}) as Readonly<Record<string, unknown>>),
  };
}

/** The options of a draft. Those of before keep their order, so that the file differs only where it has to. */
export function optionsOf({ options, localized, rest, condition }: Draft): Options {
  const before = draftOf({ name: '', options });
  const isSame = before.rest === rest && before.localized === localized;
  const further = isSame ? furtherOf(options) : (parsedObject(rest) ?? {});
  const own = localized && !isSame ? withLocalized(further, true) : further;
  const conditions = parsedObject(condition) ?? {};
  const all: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(Object.entries(options).filter(([key]) => isShown(key) && key !== 'conditions')),
    ...(Object.keys(conditions).length > 0 && { conditions }),
    ...own,
  };
  const names = [...Object.keys(options).filter((key) => key in all), ...Object.keys(all)];
  const texts = ['enum', 'components'];
  const entries = [...new Set(names)].map((key): readonly [string, unknown] => {
    const value = all[key];
    return [key, texts.includes(key) && Array.isArray(value) ? value.filter((one) => one !== '') : value];
  });
  return Object.fromEntries(entries) as unknown as Options;
}

/** Options that every kind has. */
const COMMON = ['required', 'private', 'conditions', 'visible', 'writable'] as const;
/** Options that only make sense for some kinds. */
const OFFERED = {
  unique: OFFERS.unique,
  index: OFFERS.index,
  searchable: OFFERS.searchable,
  minLength: OFFERS.lengths,
  maxLength: OFFERS.lengths,
  regex: OFFERS.regex,
  min: OFFERS.bounds,
  max: OFFERS.bounds,
} as const;

/** A draft of another kind, with those of its options that the kind has too. A new one follows its type's locales. */
export function withKind(before: Draft | undefined, kind: Kind, types: Types, uid: string): Draft {
  if (before?.options.type === kind) return before;
  const stored = before?.options ?? { type: kind };
  const stays = (name: string): boolean =>
    (COMMON as readonly string[]).includes(name) || OFFERED[name as keyof typeof OFFERED]?.(kind) === true;
  const options = Object.fromEntries(Object.entries(stored).filter(([name]) => stays(name)));
  const targets = Object.values(types).filter((type) => type.kind !== 'component' && !type.isRemoved);
  const target = targets.find((type) => type.uid !== uid && type.uid.startsWith('api::')) ?? targets[0];
  const own: Partial<Record<Kind, object>> = {
    relation: { relation: 'manyToOne', ...(target && { target: target.uid }) },
    media: { multiple: false },
    component: { repeatable: false },
    dynamiczone: { components: [] },
    enumeration: { enum: [''] },
  };
  return {
    name: before?.name ?? '',
    options: { type: kind, ...own[kind], ...options },
    localized: (before ?? { localized: hasLocales(types[uid]) }).localized && OFFERS.localized(kind),
    rest: before?.rest ?? '',
    condition: before?.condition ?? '',
  };
}

const hasLocales = (type: WorkingType | undefined): boolean =>
  type !== undefined && type.kind !== 'component' && isLocalized(type.schema);

export type DraftProblem =
  | 'target'
  | 'other'
  | 'component'
  | 'components'
  | 'enum'
  | 'regex'
  | 'customField'
  | 'rest'
  | 'condition'
  | 'morphBy';

/** The problems of a draft by option, each with the key of its text. */
export function draftProblems(
  { name, options, rest, condition }: Draft,
  types: Types,
  type: WorkingType,
  attribute: WorkingAttribute | undefined,
): Partial<Record<DraftProblem, true>> {
  const { relation, target, regex } = options;
  const isMissing = (value: unknown): boolean => typeof value !== 'string' || value === '';
  const found: Partial<Record<DraftProblem, true>> = {};
  if (options.type === 'relation') {
    if (!isToAny(relation) && (isMissing(target) || !types[target as string])) found.target = true;
    if (isFromAny(relation) && isMissing(options['morphBy'])) found.morphBy = true;
    const other = otherName(options);
    if (canHaveOther(relation) && other !== undefined && isOtherWrong(other)) found.other = true;
  }
  if (options.type === 'component' && isMissing(options['component'])) found.component = true;
  if (options.type === 'dynamiczone' && (options['components'] as readonly unknown[]).length === 0)
    found.components = true;
  if (options.type === 'enumeration') {
    const values = ((options['enum'] ?? []) as readonly string[]).filter((value) => value !== '');
    if (values.length === 0 || new Set(values).size < values.length) found.enum = true;
  }
  if (options.type === 'customField' && isMissing(options['customField'])) found.customField = true;
  if (typeof regex === 'string' && !isPattern(regex)) found.regex = true;
  if (!parsedObject(rest)) found.rest = true;
  if (!parsedObject(condition)) found.condition = true;
  return found;

  /** Whether another attribute of the target has the name already. */
  function isOtherWrong(other: string): boolean {
    const had = attribute && attribute.options['target'] === target ? otherName(attribute.options) : undefined;
    const taken = (types[target as string]?.attributes ?? [])
      .map((one) => one.name)
      .filter((one) => one !== had && !(target === type.uid && one === attribute?.name));
    const isSelf = target === type.uid && other === name;
    return isSelf || nameProblem(other, taken, false) !== undefined;
  }
}

export const kindOf = ({ options }: Draft): Kind => (isKind(options.type) ? options.type : 'string');
