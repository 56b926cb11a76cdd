/** The form of a request: parameters of its path, its body, and its query, which also can be written as text. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ExploredModel } from '../../../contract/explore.ts';
import { localeLabel } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useText } from '../../language/language.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Plus, X } from '../../ui/icons.ts';
import { Input, Select, Textarea } from '../../ui/input.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import type { Chosen } from './choice.ts';
import styles from './explore.module.css';
import {
  type FilterPart,
  operatorsOf,
  parseQuery,
  type QueryModel,
  SEVERAL,
  WITHOUT_VALUE,
  writeQuery,
} from './query-model.ts';

interface PathProps {
  readonly parameters: Chosen['parameters'];
  readonly onChange: (path: Readonly<Record<string, string>>) => void;
}

export function PathFields({ parameters, onChange }: PathProps): ReactNode {
  return (
    <div className={styles['pair']}>
      {parameters.map(({ name, value }) => (
        <Field key={name} label={name} required>
          <Input
            value={value}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChange({ [name]: target.value.trim() })}
          />
        </Field>
      ))}
    </div>
  );
}

interface BodyProps {
  readonly value: string;
  /** A body to begin with. */
  readonly begun: string | undefined;
  readonly onChange: (body: string) => void;
}

export function BodyField({ value, begun, onChange }: BodyProps): ReactNode {
  const t = useText();
  return (
    <div className={styles['stack']}>
      <Field label={t('explore.body')} error={isJson(value) ? undefined : t('explore.body.wrong')}>
        <Textarea
          value={value}
          spellCheck={false}
          dir="ltr"
          rows={6}
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
      {value === '' && begun !== undefined && (
        <div>
          <Button onClick={() => onChange(begun)}>{t('explore.body.begin')}</Button>
        </div>
      )}
    </div>
  );
}

export function isJson(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface QueryProps {
  readonly chosen: Chosen;
  readonly model: ExploredModel | undefined;
  readonly models: readonly ExploredModel[];
  readonly query: string;
  readonly onChange: (query: string) => void;
}

/** The most parts of a list that the form edits. */
const MOST = 20;

export function QueryForm({ chosen, model, models, query, onChange }: QueryProps): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  const { type, request } = chosen;
  const parsed = parseQuery(query);
  const change = (part: Partial<QueryModel>): void => onChange(writeQuery({ ...parsed, ...part }));
  const isList = request.name === 'find' && type.kind === 'collectionType';
  const hasForm = !request.isOwn && request.name !== 'delete' && model !== undefined;
  const fields = model?.fields ?? [];
  const populates = (model?.populates ?? []).map(({ name }) => name);
  const locales = [
    { value: '', label: t('explore.locale.usual') },
    ...(schema?.locales ?? []).map((locale) => ({ value: locale.code, label: localeLabel(locale) })),
    // Only reads return several locales.
    ...(request.method === 'GET' ? [{ value: '*', label: t('explore.locale.all') }] : []),
  ];
  const isKnown = locales.some(({ value }) => value === parsed.locale);
  const localeOptions = isKnown ? locales : [...locales, { value: parsed.locale, label: parsed.locale }];
  const toggled = (all: readonly string[], name: string, on: boolean): readonly string[] =>
    on ? [...all, name] : all.filter((one) => one !== name);
  return (
    <div className={styles['stack']}>
      {hasForm && isList && (
        <>
          <Filters parts={parsed.filters} model={model} models={models} onChange={(filters) => change({ filters })} />
          <Sorts names={model.sorts} sort={parsed.sort} onChange={(sort) => change({ sort })} />
        </>
      )}
      {hasForm && populates.length > 0 && (
        <Field label={t('explore.populate')} group>
          <div className={styles['checks']}>
            <Checkbox
              label={t('explore.populate.all')}
              checked={parsed.populate.includes('*')}
              onValue={(on) => change({ populate: on ? ['*'] : [] })}
            />
            {populates.map((name) => (
              <Checkbox
                key={name}
                label={name}
                checked={parsed.populate.includes(name)}
                disabled={parsed.populate.includes('*')}
                onValue={(on) => change({ populate: toggled(parsed.populate, name, on) })}
              />
            ))}
          </div>
        </Field>
      )}
      {hasForm && (
        <Field label={t('explore.fields')} hint={t('explore.fields.hint')} group>
          <div className={styles['checks']}>
            {fields
              .filter((name) => name !== 'id' && name !== 'documentId')
              .map((name) => (
                <Checkbox
                  key={name}
                  label={name}
                  checked={parsed.fields.includes(name)}
                  onValue={(on) => change({ fields: toggled(parsed.fields, name, on) })}
                />
              ))}
          </div>
        </Field>
      )}
      {hasForm && (type.localized || type.draftAndPublish || isList) && (
        <div className={styles['row']}>
          {type.localized && (
            <Field label={t('explore.locale')}>
              <Select value={parsed.locale} options={localeOptions} onValue={(locale) => change({ locale })} />
            </Field>
          )}
          {type.draftAndPublish && (
            <Field label={t('explore.status')}>
              <Select
                value={parsed.status}
                options={[
                  { value: '', label: t('explore.status.usual') },
                  { value: 'published', label: 'published' },
                  { value: 'draft', label: 'draft' },
                ]}
                onValue={(status) => change({ status })}
              />
            </Field>
          )}
          {isList && (
            <>
              <Field label={t('explore.page')}>
                <Input
                  value={parsed.page}
                  inputMode="numeric"
                  placeholder="1"
                  onChange={({ target }) => change({ page: target.value.replace(/\D/g, '') })}
                />
              </Field>
              <Field label={t('explore.pageSize')}>
                <Input
                  value={parsed.pageSize}
                  inputMode="numeric"
                  placeholder="25"
                  onChange={({ target }) => change({ pageSize: target.value.replace(/\D/g, '') })}
                />
              </Field>
            </>
          )}
        </div>
      )}
      {hasForm && isList && (
        <Checkbox
          label={t('explore.withCount')}
          checked={parsed.withCount}
          onValue={(withCount) => change({ withCount })}
        />
      )}
      <Field label={t('explore.query')} hint={hasForm ? t('explore.query.hint') : undefined}>
        <Textarea
          value={query}
          spellCheck={false}
          dir="ltr"
          rows={2}
          onChange={({ target }) => onChange(target.value.replace(/[\r\n]+/g, ''))}
        />
      </Field>
    </div>
  );
}

interface FiltersProps {
  readonly parts: readonly FilterPart[];
  readonly model: ExploredModel;
  readonly models: readonly ExploredModel[];
  readonly onChange: (parts: readonly FilterPart[]) => void;
}

interface Filterable {
  readonly name: string;
  readonly type: string;
  readonly values: readonly string[];
}

/** The fields of a model, and those of related documents and components. */
function filterables(model: ExploredModel, models: readonly ExploredModel[]): readonly Filterable[] {
  const behind = model.populates.flatMap(({ name, target, type }) => {
    const related = type === 'dynamiczone' ? undefined : models.find(({ uid }) => uid === target);
    return (related?.filters ?? []).map((filter) => ({ ...filter, name: `${name}.${filter.name}` }));
  });
  return [...model.filters, ...behind];
}

function Filters({ parts, model, models, onChange }: FiltersProps): ReactNode {
  const t = useText();
  const known = filterables(model, models);
  const put = (at: number, part: Partial<FilterPart>): void =>
    onChange(parts.map((one, n) => (n === at ? { ...one, ...part } : one)));
  const first = known.find(({ name }) => name !== 'id' && name !== 'documentId') ?? known[0];
  return (
    <Field label={t('explore.filters')} group>
      {parts.map((part, at) => {
        const name = part.path.join('.');
        const field = known.find((one) => one.name === name);
        const operators = field ? operatorsOf(field.type) : [];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is edited at its place
          <div key={at} className={styles['filter']}>
            <Select
              aria-label={t('explore.filter.field', { number: at + 1 })}
              value={name}
              options={(field ? known : [{ name }, ...known]).map((one) => ({ value: one.name, label: one.name }))}
              onValue={(next) => {
                const type = known.find((one) => one.name === next)?.type ?? '';
                const isFit = operatorsOf(type).includes(part.operator);
                put(at, { path: next.split('.'), operator: isFit ? part.operator : '$eq' });
              }}
            />
            <Select
              aria-label={t('explore.filter.operator', { number: at + 1 })}
              value={part.operator}
              options={(operators.includes(part.operator) ? operators : [part.operator, ...operators]).map((one) => ({
                value: one,
                label: one,
              }))}
              onValue={(operator) => {
                const values = WITHOUT_VALUE.has(operator)
                  ? ['true']
                  : WITHOUT_VALUE.has(part.operator)
                    ? ['']
                    : SEVERAL.has(operator)
                      ? part.values
                      : part.values.slice(0, 1);
                put(at, { operator, values });
              }}
            />
            {!WITHOUT_VALUE.has(part.operator) && (
              <Value
                label={t('explore.filter.value', { number: at + 1 })}
                part={part}
                field={field}
                onChange={(values) => put(at, { values })}
              />
            )}
            <IconButton
              icon={X}
              label={t('explore.filter.remove', { number: at + 1 })}
              onClick={() => onChange(parts.filter((_, n) => n !== at))}
            />
          </div>
        );
      })}
      <div>
        <Button
          icon={Plus}
          disabled={!first || parts.length >= MOST}
          onClick={() =>
            first &&
            onChange([...parts, { path: first.name.split('.'), operator: unusedOperator(parts, first), values: [''] }])
          }
        >
          {t('explore.filter.add')}
        </Button>
      </div>
    </Field>
  );
}

/** An operator that no other filter of the field has: each may appear once. */
function unusedOperator(parts: readonly FilterPart[], { name, type }: Filterable): string {
  const used = parts.filter(({ path }) => path.join('.') === name).map(({ operator }) => operator);
  return operatorsOf(type).find((one) => !used.includes(one) && !WITHOUT_VALUE.has(one)) ?? '$eq';
}

interface ValueProps {
  readonly label: string;
  readonly part: FilterPart;
  readonly field: Filterable | undefined;
  readonly onChange: (values: readonly string[]) => void;
}

function Value({ label, part, field, onChange }: ValueProps): ReactNode {
  const t = useText();
  const isSeveral = SEVERAL.has(part.operator);
  const choices = field?.type === 'boolean' ? ['true', 'false'] : (field?.values ?? []);
  if (choices.length > 0 && !isSeveral) {
    const value = part.values[0] ?? '';
    const options = (choices.includes(value) ? choices : [value, ...choices]).map((one) => ({
      value: one,
      label: one,
    }));
    return <Select aria-label={label} value={value} options={options} onValue={(one) => onChange([one])} />;
  }
  return (
    <Input
      aria-label={label}
      value={isSeveral ? part.values.join(',') : (part.values[0] ?? '')}
      placeholder={isSeveral ? t('explore.filter.several') : ''}
      autoComplete="off"
      onChange={({ target }) => onChange(isSeveral ? target.value.split(',') : [target.value])}
    />
  );
}

interface SortsProps {
  readonly names: readonly string[];
  readonly sort: readonly string[];
  readonly onChange: (sort: readonly string[]) => void;
}

function Sorts({ names, sort, onChange }: SortsProps): ReactNode {
  const t = useText();
  const put = (at: number, value: string): void => onChange(sort.map((one, n) => (n === at ? value : one)));
  const free = names.find((name) => name !== 'id' && !sort.some((one) => one.split(':')[0] === name));
  return (
    <Field label={t('explore.sort')} group>
      {sort.map((one, at) => {
        const [name = '', order = 'asc'] = one.split(':');
        const direction = order.toLowerCase() === 'desc' ? 'desc' : 'asc';
        const written = (field: string, way: string): string => (way === 'asc' ? field : `${field}:desc`);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is edited at its place
          <div key={at} className={styles['filter']}>
            <Select
              aria-label={t('explore.sort.field', { number: at + 1 })}
              value={name}
              options={(names.includes(name) ? names : [name, ...names]).map((field) => ({
                value: field,
                label: field,
              }))}
              onValue={(field) => put(at, written(field, direction))}
            />
            <Select
              aria-label={t('explore.sort.order', { number: at + 1 })}
              value={direction}
              options={[
                { value: 'asc', label: t('explore.sort.asc') },
                { value: 'desc', label: t('explore.sort.desc') },
              ]}
              onValue={(way) => put(at, written(name, way))}
            />
            <IconButton
              icon={X}
              label={t('explore.sort.remove', { number: at + 1 })}
              onClick={() => onChange(sort.filter((_, n) => n !== at))}
            />
          </div>
        );
      })}
      <div>
        <Button
          icon={Plus}
          disabled={free === undefined || sort.length >= MOST}
          onClick={() => free && onChange([...sort, free])}
        >
          {t('explore.sort.add')}
        </Button>
      </div>
    </Field>
  );
}
