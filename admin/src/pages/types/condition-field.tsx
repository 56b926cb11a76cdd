/** The condition on which an attribute is shown: on a neighbouring field in words, or any rule as JSON Logic. */
import { type ReactNode, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { Field } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';
import type { OptionsProps } from './attribute-options.tsx';
import { JsonField } from './option-fields.tsx';
import { objectText, parsedObject } from './option-texts.ts';
import styles from './types.module.css';
import { isJson } from './working-type.ts';

const OPERATORS = ['==', '!=', '!!', '!'] as const;
type Operator = (typeof OPERATORS)[number];

interface Simple {
  readonly operator: Operator;
  readonly field: string;
  readonly value: unknown;
}

/** The parts of a condition on one field; undefined for other conditions. */
function simpleOf(conditions: Readonly<Record<string, unknown>>): Simple | undefined {
  const { visible, ...others } = conditions;
  if (!isJson(visible) || Object.keys(others).length > 0) return undefined;
  const [entry, ...more] = Object.entries(visible);
  const operator = OPERATORS.find((one) => one === entry?.[0]);
  if (!entry || !operator || more.length > 0) return undefined;
  const [first, value, ...rest] = Array.isArray(entry[1]) ? entry[1] : [entry[1]];
  const field = isJson(first) ? first['var'] : undefined;
  if (typeof field !== 'string' || rest.length > 0 || isJson(value)) return undefined;
  return { operator, field, value };
}

function conditionOf({ operator, field, value }: Simple): string {
  const variable = { var: field };
  const isUnary = operator === '!!' || operator === '!';
  return objectText({ visible: { [operator]: isUnary ? [variable] : [variable, value] } });
}

export function ConditionField({ type, draft, others, onDraft }: OptionsProps): ReactNode {
  const t = useText();
  const conditions = parsedObject(draft.condition);
  const simple = conditions && simpleOf(conditions);
  const isNone = conditions !== undefined && Object.keys(conditions).length === 0;
  const [isFree, setFree] = useState(!isNone && !simple);
  const put = (condition: string): void => onDraft({ ...draft, condition });
  const mode = isFree ? 'free' : isNone ? 'always' : 'field';
  const optionsOf = (name: string) => type.attributes.find((one) => one.name === name)?.options;
  /** The values that a field can have; undefined if they are not limited. */
  const valuesOf = (name: string): readonly string[] | undefined => {
    const options = optionsOf(name);
    if (options?.type === 'boolean') return ['true', 'false'];
    return options?.type === 'enumeration' ? ((options['enum'] ?? []) as readonly string[]) : undefined;
  };
  /** A text as a value of a field. */
  const typedValue = (name: string, text: string): unknown => {
    const kind = optionsOf(name)?.type ?? '';
    if (kind === 'boolean') return text === 'true';
    const isNumber = ['integer', 'float', 'decimal'].includes(kind) && text !== '' && Number.isFinite(Number(text));
    return isNumber ? Number(text) : text;
  };
  /** Relations and media can only be tested for being set. */
  const operatorsOf = (name: string): readonly Operator[] =>
    ['relation', 'media', 'component', 'dynamiczone'].includes(optionsOf(name)?.type ?? '') ? ['!!', '!'] : OPERATORS;
  const begin = (name: string): Simple => {
    const [operator] = operatorsOf(name) as [Operator];
    return { operator, field: name, value: typedValue(name, valuesOf(name)?.[0] ?? '') };
  };
  const choices = simple && valuesOf(simple.field);
  return (
    <>
      <Field label={t('types.condition')} hint={t('types.condition.hint')}>
        <Select
          value={mode}
          options={[
            { value: 'always', label: t('types.condition.always') },
            ...(others.length > 0 ? [{ value: 'field', label: t('types.condition.field') }] : []),
            { value: 'free', label: t('types.condition.free') },
          ]}
          onValue={(next) => {
            setFree(next === 'free');
            if (next === 'always') put('');
            if (next === 'field' && !simple) put(conditionOf(begin(others[0]!)));
          }}
        />
      </Field>
      {mode === 'field' && simple && (
        <div className={styles['condition']}>
          <Field label={t('types.condition.name')}>
            <Select
              value={simple.field}
              options={others.map((name) => ({ value: name, label: name }))}
              onValue={(name) => put(conditionOf(begin(name)))}
            />
          </Field>
          <Field label={t('types.condition.operator')}>
            <Select
              value={simple.operator}
              options={operatorsOf(simple.field).map((one) => ({ value: one, label: t(`types.condition.${one}`) }))}
              onValue={(operator) =>
                put(conditionOf({ ...simple, operator: operator as Operator, value: simple.value ?? '' }))
              }
            />
          </Field>
          {(simple.operator === '==' || simple.operator === '!=') && (
            <Field label={t('types.condition.value')}>
              {choices ? (
                <Select
                  value={String(simple.value)}
                  options={choices.map((one) => ({
                    value: one,
                    label:
                      optionsOf(simple.field)?.type === 'boolean'
                        ? t(one === 'true' ? 'types.option.default.true' : 'types.option.default.false')
                        : one,
                  }))}
                  onValue={(text) => put(conditionOf({ ...simple, value: typedValue(simple.field, text) }))}
                />
              ) : (
                <Input
                  value={String(simple.value ?? '')}
                  autoComplete="off"
                  onChange={({ target }) =>
                    put(conditionOf({ ...simple, value: typedValue(simple.field, target.value) }))
                  }
                />
              )}
            </Field>
          )}
        </div>
      )}
      {mode === 'free' && (
        <JsonField
          label={t('types.condition.json')}
          hint={t('types.condition.json.hint')}
          text={draft.condition}
          onText={put}
        />
      )}
    </>
  );
}
