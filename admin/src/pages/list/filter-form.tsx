/** The form of a filter: field, operator and values. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import type { Schema } from '../../../contract/schema.ts';
import { type Condition, listOf, MOST_VALUES, operandCountOf } from '../../data/list-search.ts';
import { listPageQuery } from '../../data/lists.ts';
import { fromLocal, toLocal } from '../../form/values/moments.ts';
import { documentName, namedBy } from '../../language/document-name.ts';
import { useText } from '../../language/language.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Field } from '../../ui/field.tsx';
import { Plus, X } from '../../ui/icons.ts';
import { Input, Select } from '../../ui/input.tsx';
import type { ListField } from './fields.ts';
import styles from './list.module.css';
import { fieldOf, LEAVES_OUT_EMPTY, operatorsOf, pathOf, problemOfValue } from './operators.ts';

interface Props {
  readonly schema: Schema;
  readonly fields: readonly ListField[];
  readonly first?: Condition;
  readonly onDone: (condition: Condition) => void;
}

/** A value that is being entered, and its name if it is an id. */
interface Entry {
  readonly value: string;
  readonly label?: string | undefined;
}

export function FilterForm({ schema, fields, first, onDone }: Props): ReactNode {
  const t = useText();
  const possible = fields.filter((field) => operatorsOf(field).length > 0);
  const [name, setName] = useState((first && fieldOf(fields, first)?.name) ?? possible[0]?.name ?? '');
  const field = possible.find((one) => one.name === name) ?? possible[0];
  const [chosen, setChosen] = useState(first?.operator);
  const [written, setWritten] = useState<readonly Entry[]>(() => entriesOf(first));
  const [isTried, setTried] = useState(first !== undefined);
  if (!field) return null;
  const operators = operatorsOf(field);
  const operator = operators.find((one) => one.operator === chosen)?.operator ?? operators[0]!.operator;
  const takes = operandCountOf(operator);
  const count = { nothing: 0, one: 1, two: 2, several: Math.max(1, written.length) }[takes];
  const entries = Array.from({ length: count }, (_, at): Entry => {
    const { value, label } = written[at] ?? EMPTY;
    return { value: value === '' ? usualValue(field) : value, label };
  });
  const problems = entries.map(({ value }) =>
    value === '' ? 'lists.filter.noValue' : problemOfValue(field, meant(field, value)),
  );
  const put = (at: number, entry: Entry): void => setWritten(entries.with(at, entry));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (problems.some(Boolean)) return;
    const values = entries.map(({ value }) => meant(field, value));
    const labels = entries.map(({ value, label }) => label ?? value);
    const isList = takes === 'two' || takes === 'several';
    onDone({
      field: pathOf(field, operator),
      operator,
      value: isList ? values : (values[0] ?? ''),
      ...(field.kind === 'relation' && count > 0 && { label: isList ? labels : labels[0]! }),
    });
  };
  return (
    <form className={styles['filterForm']} onSubmit={submit}>
      <Field label={t('lists.filter.field')}>
        <Select
          value={field.name}
          options={possible.map((one) => ({ value: one.name, label: one.label }))}
          onValue={(next) => {
            setName(next);
            setWritten([]);
            setTried(false);
          }}
        />
      </Field>
      <Field
        label={t('lists.filter.operator')}
        hint={LEAVES_OUT_EMPTY.has(operator) ? t('lists.filter.leavesOutEmpty') : undefined}
      >
        <Select
          value={operator}
          options={operators.map((one) => ({ value: one.operator, label: t(one.label) }))}
          onValue={setChosen}
        />
      </Field>
      {entries.map((entry, at) => (
        // entries have nothing of their own but their place
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={`${field.name} ${at}`} className={styles['filterValue']}>
          <Field
            label={labelOfValue(takes === 'two' ? at : undefined)}
            error={isTried && problems[at] ? t(problems[at]) : undefined}
          >
            <ValueControl
              schema={schema}
              field={field}
              value={entry.value}
              label={entry.label}
              onValue={(value, label) => put(at, { value, label })}
            />
          </Field>
          {takes === 'several' && count > 1 && (
            <IconButton
              icon={X}
              label={t('lists.filter.removeValue', { number: at + 1 })}
              onClick={() => setWritten(entries.toSpliced(at, 1))}
            />
          )}
        </div>
      ))}
      {takes === 'several' && count < MOST_VALUES && (
        <Button icon={Plus} onClick={() => setWritten([...entries, EMPTY])}>
          {t('lists.filter.addValue')}
        </Button>
      )}
      <Button type="submit" look="primary">
        {t(first ? 'lists.filter.set' : 'lists.filter.add')}
      </Button>
    </form>
  );

  function labelOfValue(end: number | undefined): string {
    if (end === undefined) return t('lists.filter.value');
    return t(end === 0 ? 'lists.filter.first' : 'lists.filter.last');
  }
}

const EMPTY: Entry = { value: '' };

function entriesOf(condition: Condition | undefined): readonly Entry[] {
  const labels = listOf(condition?.label);
  return listOf(condition?.value).map((value, at) => ({ value, label: labels[at] }));
}

/** A value in the format of the API. */
function meant({ kind }: ListField, text: string): string {
  switch (kind) {
    case 'number':
      return plainNumber(text);
    case 'moment':
      return fromLocal(text);
    case 'time':
      // The browser's control omits seconds of zero.
      return /^\d\d:\d\d$/.test(text) ? `${text}:00` : text;
    default:
      return text;
  }
}

/** A number in the format of the API: many languages have a decimal comma. */
function plainNumber(written: string): string {
  const plain = written.trim();
  return /^[+-]?\d*,\d+$/.test(plain) ? plain.replace(',', '.') : plain;
}

/** The initial value of selects. */
function usualValue({ kind, attribute, locales = [] }: ListField): string {
  if (kind === 'flag') return 'true';
  if (kind === 'locale') return (locales.find(({ isDefault }) => !isDefault) ?? locales[0])?.code ?? '';
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
    case 'locale':
      return (
        <Select
          value={value}
          options={(field.locales ?? []).map(({ code, name }) => ({ value: code, label: name }))}
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

/** A timestamp in the format of the browser's control, in local time. */
const localTime = (value: string): string => (value.endsWith('Z') ? toLocal(value).slice(0, 16) : value);

/** A document of the relation's target type, searched by name. */
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
