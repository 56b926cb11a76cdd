/** The options of an attribute by its kind. */
import { type ReactNode, useState } from 'react';
import shared from '../../app/settings.module.css';
import { usePatternTest } from '../../form/pattern-test.ts';
import { isPattern } from '../../form/values/is-pattern.ts';
import { useText } from '../../language/language.tsx';
import { Field } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import { type Draft, type DraftProblem, kindOf } from './attribute-draft.ts';
import { ConditionField } from './condition-field.tsx';
import type { ContentTypes } from './data.ts';
import { CUSTOM_FIELDS, FILE_KINDS, isNumber, isTime, type Kind, OFFERS, UNDERLYING } from './kinds.ts';
import { JsonField, NumberField, TextListField } from './option-fields.tsx';
import { RelationOptions } from './relation-options.tsx';
import styles from './types.module.css';
import { componentsOf, isLocalized, nameOfType, type Options, type WorkingType } from './working-type.ts';

export interface OptionsProps {
  readonly all: ContentTypes;
  readonly type: WorkingType;
  readonly draft: Draft;
  readonly problems: Partial<Record<DraftProblem, true>>;
  /** The names of the other attributes of the type. */
  readonly others: readonly string[];
  readonly onDraft: (draft: Draft) => void;
}

/** Sets an option of a draft; undefined removes it. */
function withDraftOption(draft: Draft, name: string, value: unknown): Draft {
  const { [name]: _before, ...rest } = draft.options;
  const options = value === undefined ? rest : { ...draft.options, [name]: value };
  return { ...draft, options: options as Options };
}

export function AttributeOptions(props: OptionsProps): ReactNode {
  const { draft, type, onDraft, problems } = props;
  const t = useText();
  const kind = kindOf(draft);
  const { options } = draft;
  const set = (name: string, value: unknown): void => onDraft(withDraftOption(draft, name, value));
  const flag = (name: 'required' | 'unique' | 'private' | 'index') => (
    <Checkbox
      label={t(`types.option.${name}`)}
      hint={t(`types.option.${name}.hint`)}
      checked={options[name] === true}
      onValue={(on) => set(name, on || undefined)}
    />
  );
  /** A flag that only `false` turns off. */
  const openFlag = (name: 'searchable' | 'visible' | 'writable') => (
    <Checkbox
      label={t(`types.option.${name}`)}
      hint={t(`types.option.${name}.hint`)}
      checked={options[name] !== false}
      onValue={(on) => set(name, on ? undefined : false)}
    />
  );
  return (
    <>
      <KindOptions {...props} kind={kind} set={set} />
      <div className={styles['flags']}>
        {flag('required')}
        {OFFERS.unique(kind) && flag('unique')}
        {type.kind !== 'component' && isLocalized(type.schema) && OFFERS.localized(kind) && (
          <Checkbox
            label={t('types.option.localized')}
            hint={t('types.option.localized.hint')}
            checked={draft.localized}
            onValue={(localized) => onDraft({ ...draft, localized })}
          />
        )}
      </div>
      {OFFERS.default(kind) && (
        <DefaultField options={options} kind={kind} onValue={(value) => set('default', value)} />
      )}
      {OFFERS.bounds(kind) && (kind !== 'component' || options['repeatable'] === true) && (
        <div className={styles['pair']}>
          {(['min', 'max'] as const).map((name) => (
            <NumberField
              key={name}
              label={t(isNumber(kind) ? `types.option.${name}` : `types.option.${name}.entries`)}
              value={options[name]}
              isWhole={!isNumber(kind)}
              isBig={kind === 'biginteger'}
              onValue={(value) => set(name, value)}
            />
          ))}
        </div>
      )}
      {OFFERS.lengths(kind) && (
        <div className={styles['pair']}>
          {(['minLength', 'maxLength'] as const).map((name) => (
            <NumberField
              key={name}
              label={t(`types.option.${name}`)}
              value={options[name]}
              isWhole
              onValue={(value) => set(name, value)}
            />
          ))}
        </div>
      )}
      {OFFERS.regex(kind) && (
        <PatternField
          value={options['regex']}
          isWrong={problems.regex === true}
          onValue={(value) => set('regex', value)}
        />
      )}
      <details className={styles['further']} open={problems.rest || problems.condition || undefined}>
        <summary>{t('types.further')}</summary>
        <div className={shared['form']}>
          <div className={styles['flags']}>
            {flag('private')}
            {OFFERS.index(kind) && flag('index')}
            {OFFERS.searchable(kind) && openFlag('searchable')}
            {openFlag('visible')}
            {openFlag('writable')}
          </div>
          <ConditionField {...props} />
          <JsonField
            label={t('types.json')}
            hint={t('types.json.attribute.hint')}
            text={draft.rest}
            onText={(rest) => onDraft({ ...draft, rest })}
          />
        </div>
      </details>
    </>
  );
}

interface KindProps extends OptionsProps {
  readonly kind: Kind;
  readonly set: (name: string, value: unknown) => void;
}

/** The options that only one kind has. */
function KindOptions(props: KindProps): ReactNode {
  const { kind, draft, all, type, set, problems } = props;
  const t = useText();
  const { options } = draft;
  if (kind === 'relation') return <RelationOptions {...props} />;
  if (kind === 'enumeration') {
    return (
      <TextListField
        label={t('types.option.enum')}
        add={t('types.option.enum.add')}
        error={problems.enum ? t('types.option.enum.wrong') : undefined}
        values={(options['enum'] ?? []) as readonly string[]}
        onValues={(values) => set('enum', values)}
      />
    );
  }
  if (kind === 'uid') {
    const texts = type.attributes.filter((one) => ['string', 'text', 'email'].includes(one.options.type));
    return (
      <Field label={t('types.option.targetField')} hint={t('types.option.targetField.hint')}>
        <Select
          value={String(options['targetField'] ?? '')}
          options={[
            { value: '', label: t('types.option.targetField.none') },
            ...texts.map(({ name }) => ({ value: name, label: name })),
          ]}
          onValue={(value) => set('targetField', value || undefined)}
        />
      </Field>
    );
  }
  if (kind === 'media') {
    const allowed = Array.isArray(options['allowedTypes']) ? (options['allowedTypes'] as readonly string[]) : [];
    return (
      <>
        <Checkbox
          label={t('types.option.multiple')}
          checked={options['multiple'] === true}
          onValue={(on) => set('multiple', on)}
        />
        <Field label={t('types.option.allowedTypes')} hint={t('types.option.allowedTypes.hint')} group>
          <div className={styles['flags']}>
            {FILE_KINDS.map((file) => (
              <Checkbox
                key={file}
                label={t(`types.files.${file}`)}
                checked={allowed.includes(file)}
                onValue={(on) => {
                  const next = FILE_KINDS.filter((one) => (one === file ? on : allowed.includes(one)));
                  set('allowedTypes', next.length > 0 ? next : undefined);
                }}
              />
            ))}
          </div>
        </Field>
      </>
    );
  }
  if (kind === 'component' || kind === 'dynamiczone') {
    const components = Object.values(all.types)
      .filter((one) => one.kind === 'component' && !one.isRemoved && one.uid !== type.uid)
      .toSorted((one, other) => nameOfType(one).localeCompare(nameOfType(other)));
    if (components.length === 0) return <p className={styles['refused']}>{t('types.option.component.none')}</p>;
    if (kind === 'dynamiczone') {
      const chosen = componentsOf(options);
      return (
        <Field
          label={t('types.option.components')}
          group
          error={problems.components ? t('types.option.components.wrong') : undefined}
        >
          <div className={styles['flags']}>
            {components.map((one) => (
              <Checkbox
                key={one.uid}
                label={nameOfType(one)}
                hint={one.uid}
                checked={chosen.includes(one.uid)}
                onValue={(on) =>
                  set('components', on ? [...chosen, one.uid] : chosen.filter((other) => other !== one.uid))
                }
              />
            ))}
          </div>
        </Field>
      );
    }
    return (
      <>
        <Field
          label={t('types.option.component')}
          error={problems.component ? t('types.option.component.wrong') : undefined}
          required
        >
          <Select
            value={String(options['component'] ?? '')}
            options={[
              { value: '', label: t('types.option.component.choose') },
              ...components.map((one) => ({ value: one.uid, label: `${nameOfType(one)} (${one.uid})` })),
            ]}
            onValue={(value) => set('component', value)}
          />
        </Field>
        <Checkbox
          label={t('types.option.repeatable')}
          checked={options['repeatable'] === true}
          onValue={(on) => set('repeatable', on)}
        />
      </>
    );
  }
  if (kind === 'customField')
    return <CustomFieldOptions options={options} set={set} isWrong={problems.customField === true} />;
  return null;
}

function CustomFieldOptions({
  options,
  set,
  isWrong,
}: {
  readonly options: Options;
  readonly set: KindProps['set'];
  readonly isWrong: boolean;
}): ReactNode {
  const t = useText();
  return (
    <>
      <Field
        label={t('types.option.customField')}
        hint={t('types.option.customField.hint', { example: CUSTOM_FIELDS[0]! })}
        error={isWrong ? t('types.option.customField.wrong') : undefined}
        required
      >
        <Input
          value={String(options['customField'] ?? '')}
          list="custom-fields"
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => set('customField', target.value.trim())}
        />
      </Field>
      <datalist id="custom-fields">
        {CUSTOM_FIELDS.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label={t('types.option.underlyingType')} hint={t('types.option.underlyingType.hint')}>
        <Select
          value={String(options['underlyingType'] ?? '')}
          options={[
            { value: '', label: t('types.option.underlyingType.own') },
            ...UNDERLYING.map((kind) => ({ value: kind, label: t(`types.attribute.${kind}`) })),
          ]}
          onValue={(value) => set('underlyingType', value || undefined)}
        />
      </Field>
    </>
  );
}

interface DefaultProps {
  readonly options: Options;
  readonly kind: Kind;
  readonly onValue: (value: unknown) => void;
}

function DefaultField({ options, kind, onValue }: DefaultProps): ReactNode {
  const t = useText();
  const value = options['default'];
  const label = t('types.option.default');
  if (isNumber(kind)) {
    return <NumberField label={label} value={value} isBig={kind === 'biginteger'} onValue={onValue} />;
  }
  if (kind === 'boolean' || kind === 'enumeration') {
    const choices =
      kind === 'boolean'
        ? ['true', 'false']
        : ((options['enum'] ?? []) as readonly string[]).filter((one) => one !== '');
    const labelOfChoice = (one: string): string =>
      kind === 'boolean' ? t(one === 'true' ? 'types.option.default.true' : 'types.option.default.false') : one;
    return (
      <Field label={label}>
        <Select
          value={value === undefined || value === null ? '' : String(value)}
          options={[
            { value: '', label: t('types.option.default.none') },
            ...choices.map((one) => ({ value: one, label: labelOfChoice(one) })),
          ]}
          onValue={(next) => onValue(next === '' ? undefined : kind === 'boolean' ? next === 'true' : next)}
        />
      </Field>
    );
  }
  return <TextDefault label={label} value={value} kind={kind} onValue={onValue} />;
}

const TIME_HINTS: Partial<Record<Kind, string>> = {
  date: '2026-05-31',
  time: '18:30:00.000',
  datetime: '2026-05-31T18:30:00.000Z',
  timestamp: '2026-05-31T18:30:00.000Z',
};

/** A default that is a text, or any value as JSON. */
function TextDefault({
  label,
  value,
  kind,
  onValue,
}: Omit<DefaultProps, 'options'> & { label: string; value: unknown }): ReactNode {
  const t = useText();
  const isJson = kind === 'json' || (kind === 'customField' && typeof value !== 'string' && value !== undefined);
  const [text, setText] = useState(
    value === undefined || value === null ? '' : isJson ? JSON.stringify(value) : String(value),
  );
  const isWrong = isJson && text.trim() !== '' && parsed(text) === undefined;
  return (
    <Field
      label={label}
      error={isWrong ? t('form.problem.noJson') : undefined}
      {...(isTime(kind) && { hint: t('types.option.default.example', { example: TIME_HINTS[kind] ?? '' }) })}
    >
      <Input
        value={text}
        autoComplete="off"
        onChange={({ target }) => {
          setText(target.value);
          if (target.value.trim() === '') onValue(undefined);
          else if (!isJson) onValue(target.value);
          else if (parsed(target.value) !== undefined) onValue(parsed(target.value)!.value);
        }}
      />
    </Field>
  );
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

interface PatternProps {
  readonly value: unknown;
  readonly isWrong: boolean;
  readonly onValue: (value: string | undefined) => void;
}

/** The characters of a text that is tested. */
const LONGEST_SAMPLE = 1000;

/** A regular expression with a text that is tested against it at once. */
function PatternField({ value, isWrong, onValue }: PatternProps): ReactNode {
  const t = useText();
  const [sample, setSample] = useState('');
  const pattern = typeof value === 'string' ? value : '';
  const isValid = isPattern(pattern);
  const result = usePatternTest(pattern, sample);
  return (
    <>
      <Field
        label={t('types.option.regex')}
        hint={t('types.option.regex.hint')}
        error={isWrong || !isValid ? t('types.option.regex.wrong') : undefined}
      >
        <Input
          value={pattern}
          autoComplete="off"
          spellCheck={false}
          dir="ltr"
          onChange={({ target }) => onValue(target.value || undefined)}
        />
      </Field>
      {pattern !== '' && isValid && (
        <Field
          label={t('types.option.regex.test')}
          note={
            <span role="status" className={result === 'fits' ? styles['fits'] : undefined}>
              {result && t(`types.option.regex.${result}`)}
            </span>
          }
        >
          <Input
            value={sample}
            maxLength={LONGEST_SAMPLE}
            autoComplete="off"
            onChange={({ target }) => setSample(target.value)}
          />
        </Field>
      )}
    </>
  );
}
