/** What narrows a list: a chip for each condition, and a small form that makes one. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { Schema } from '../../../contract/schema.ts';
import type { Condition } from '../../data/list-search.ts';
import { NEEDS_NO_VALUE } from '../../data/list-search.ts';
import { listPageQuery } from '../../data/lists.ts';
import { documentName, namedBy } from '../../language/document-name.ts';
import { useLanguage, useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { Field } from '../../ui/field.tsx';
import { CircleAlert, X } from '../../ui/icons.ts';
import { Input, Select } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import type { ListField } from './fields.ts';
import styles from './list.module.css';
import { fieldOf, operatorsOf, pathOf, problemOf, problemOfValue, wordsOf } from './operators.ts';

interface Props {
  readonly schema: Schema;
  readonly fields: readonly ListField[];
  readonly conditions: readonly Condition[];
  readonly onConditions: (conditions: readonly Condition[]) => void;
  /** Whether the form for one more is open. */
  readonly adding: boolean;
  readonly onAdding: (adding: boolean) => void;
}

export function Filters({ schema, fields, conditions, onConditions, adding, onAdding }: Props): ReactNode {
  const t = useText();
  const language = useLanguage();
  const [changing, setChanging] = useState<number>();
  const put = (index: number, condition: Condition | undefined): void =>
    onConditions([...conditions.slice(0, index), ...(condition ? [condition] : []), ...conditions.slice(index + 1)]);
  return (
    <>
      {conditions.map((condition, index) => {
        const words = wordsOf(fields, condition, t, language);
        const name = [words.field, words.operator, words.value].filter(Boolean).join(' ');
        const problem = problemOf(fields, condition);
        return (
          <span
            key={`${condition.field} ${condition.operator} ${condition.value}`}
            className={classes(styles['filter'], problem && styles['wrongFilter'])}
          >
            <Popover
              label={t('lists.filter.change')}
              open={changing === index}
              onOpenChange={(open) => setChanging(open ? index : undefined)}
              trigger={
                <button type="button" className={styles['filterWords']}>
                  {words.field} <b>{words.operator}</b> {words.value}
                  {problem && (
                    <span className={styles['filterProblem']}>
                      <CircleAlert size={13} /> {t(problem)}
                    </span>
                  )}
                </button>
              }
            >
              <FilterForm
                schema={schema}
                fields={fields}
                first={condition}
                onDone={(next) => {
                  setChanging(undefined);
                  put(index, next);
                }}
              />
            </Popover>
            <button
              type="button"
              className={styles['filterRemove']}
              aria-label={t('lists.filter.remove', { name })}
              onClick={() => put(index, undefined)}
            >
              <X size={12} />
            </button>
          </span>
        );
      })}
      <Popover
        label={t('lists.filter.add')}
        open={adding}
        onOpenChange={onAdding}
        trigger={
          <button type="button" className={styles['addFilter']}>
            {t('lists.filter')}
          </button>
        }
      >
        <FilterForm
          schema={schema}
          fields={fields}
          onDone={(next) => {
            onAdding(false);
            onConditions([...conditions, next]);
          }}
        />
      </Popover>
    </>
  );
}

interface FormProps extends Pick<Props, 'schema' | 'fields'> {
  readonly first?: Condition;
  readonly onDone: (condition: Condition) => void;
}

function FilterForm({ schema, fields, first, onDone }: FormProps): ReactNode {
  const t = useText();
  const possible = fields.filter((field) => operatorsOf(field).length > 0);
  const [name, setName] = useState((first && fieldOf(fields, first)?.name) ?? possible[0]?.name ?? '');
  const field = possible.find((one) => one.name === name) ?? possible[0];
  const [chosen, setChosen] = useState(first?.operator);
  const [value, setValue] = useState(first?.value ?? '');
  const [label, setLabel] = useState(first?.label);
  const [isTried, setTried] = useState(first !== undefined);
  if (!field) return null;
  const operators = operatorsOf(field);
  const operator = operators.find((one) => one.operator === chosen)?.operator ?? operators[0]!.operator;
  const needsValue = !NEEDS_NO_VALUE.has(operator);
  const given = value === '' ? usualValue(field) : value;
  const meant = field.kind === 'number' ? plainNumber(given) : given;
  const problem = needsValue ? (given === '' ? 'lists.filter.noValue' : problemOfValue(field, meant)) : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (problem) return;
    const said = field.kind === 'moment' && needsValue ? new Date(given).toISOString() : meant;
    const named = label === undefined || field.kind !== 'relation' ? {} : { label };
    onDone({ field: pathOf(field, operator), operator, value: needsValue ? said : '', ...(needsValue ? named : {}) });
  };
  return (
    <form className={styles['filterForm']} onSubmit={submit}>
      <Field label={t('lists.filter.field')}>
        <Select
          value={field.name}
          options={possible.map((one) => ({ value: one.name, label: one.label }))}
          onValue={(next) => {
            setName(next);
            setValue('');
            setTried(false);
            setLabel(undefined);
          }}
        />
      </Field>
      <Field label={t('lists.filter.operator')}>
        <Select
          value={operator}
          options={operators.map((one) => ({ value: one.operator, label: t(one.label) }))}
          onValue={setChosen}
        />
      </Field>
      {needsValue && (
        <Field label={t('lists.filter.value')} error={isTried && problem ? t(problem) : undefined}>
          <ValueControl
            key={field.name}
            schema={schema}
            field={field}
            value={given}
            label={label}
            onValue={(next, called) => {
              setValue(next);
              setLabel(called);
            }}
          />
        </Field>
      )}
      <Button type="submit" look="primary">
        {t(first ? 'lists.filter.set' : 'lists.filter.add')}
      </Button>
    </form>
  );
}

/** A number as the API takes it: in many languages a comma stands before its fraction. */
function plainNumber(written: string): string {
  const plain = written.trim();
  return /^[+-]?\d*,\d+$/.test(plain) ? plain.replace(',', '.') : plain;
}

/** What is chosen in lists of a few before anybody has. */
function usualValue({ kind, attribute }: ListField): string {
  if (kind === 'flag') return 'true';
  return kind === 'choice' ? (attribute?.enum?.[0] ?? '') : '';
}

interface ValueProps {
  readonly schema: Schema;
  readonly field: ListField;
  readonly value: string;
  readonly label: string | undefined;
  readonly onValue: (value: string, label?: string) => void;
}

function ValueControl({ schema, field, value, label, onValue }: ValueProps): ReactNode {
  const t = useText();
  switch (field.kind) {
    case 'flag':
      return (
        <Select
          value={value}
          options={['true', 'false'].map((one) => ({
            value: one,
            label: t(one === 'true' ? 'lists.yes' : 'lists.no'),
          }))}
          onValue={(next) => onValue(next)}
        />
      );
    case 'choice':
      return (
        <Select
          value={value}
          options={(field.attribute?.enum ?? []).map((one) => ({ value: one, label: one }))}
          onValue={(next) => onValue(next)}
        />
      );
    case 'relation':
      return <TargetControl schema={schema} field={field} value={value} label={label} onValue={onValue} />;
    default:
      return (
        <Input
          type={INPUTS[field.kind] ?? 'text'}
          {...(field.kind === 'number' ? { inputMode: 'decimal' as const } : {})}
          value={field.kind === 'moment' ? localTime(value) : value}
          onChange={(event) => onValue(event.target.value)}
        />
      );
  }
}

const INPUTS: Readonly<Partial<Record<ListField['kind'], string>>> = {
  date: 'date',
  moment: 'datetime-local',
  time: 'time',
};

/** A point in time as the browser's field takes it: of the place where one is. */
function localTime(value: string): string {
  if (!value.endsWith('Z')) return value;
  const date = new Date(value);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** One of the documents that a relation leads to, sought by name. */
function TargetControl({ schema, field, value, label, onValue }: ValueProps): ReactNode {
  const t = useText();
  const [sought, setSought] = useState('');
  const listId = useId();
  const { uid, mainField } = field.target ?? { uid: '', mainField: '' };
  const target = schema.contentTypes.find((type) => type.uid === uid);
  const query = new URLSearchParams({ fields: mainField, sort: `${mainField}:asc` });
  if (sought.trim() !== '') query.set(`filters[${mainField}][$containsi]`, sought.trim());
  const { data } = useQuery({
    ...listPageQuery(uid, query.toString(), 0),
    placeholderData: (before) => before,
    meta: {},
    enabled: target !== undefined,
  });
  const found = (data?.data ?? []).map((document) => ({
    value: document.documentId,
    label: documentName(t, namedBy(mainField, document)),
  }));
  const own = label !== undefined && !found.some((one) => one.value === value) ? [{ value, label }] : [];
  const options = [...own, ...found];
  return (
    <Combobox
      key={listId}
      value={value}
      options={options}
      placeholder={t('lists.filter.find')}
      onSearch={setSought}
      onChoose={({ value, label }) => onValue(value, label)}
    />
  );
}
