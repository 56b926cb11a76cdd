/** The columns of a file with their first cells and their targets, and the other options of an import. */
import type { ReactNode } from 'react';
import type { RowsPreview } from '../../../contract/rows.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import shared from '../../app/settings.module.css';
import { defaultLocale, localeLabel } from '../../data/locales.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { classes } from '../../ui/classes.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/input.tsx';
import type { ImportChoice } from './data.ts';
import styles from './rows.module.css';

interface Props {
  readonly schema: Schema;
  readonly type: ContentType;
  readonly mayPublish: boolean;
  /** The locales into which the user may import. */
  readonly locales: Schema['locales'];
  readonly preview: RowsPreview;
  readonly choice: ImportChoice;
  readonly onChoice: (choice: ImportChoice) => void;
}

/** Cells that are shown of a column. */
const SHOWN = 3;

export function Mapping({ schema, type, mayPublish, locales, preview, choice, onChoice }: Props): ReactNode {
  const t = useText();
  const labelOf = (name: string): string => targetLabel(t, schema, type, name);
  const { columns, key, status, empty, decimal, dates } = choice;
  const isText = preview.format === 'csv';
  const change = (changed: Partial<ImportChoice>): void => onChoice({ ...choice, ...changed });
  const keys = preview.targets.filter(({ name, isKey }) => isKey && columns.includes(name));
  const setTarget = (index: number, target: string): void => {
    const attribute = target.split('.')[0];
    const own = columns.map((other, at) => {
      if (at === index) return target === '' ? null : target;
      return other?.split('.')[0] === attribute ? null : other;
    });
    change({ columns: own, key: key !== null && own.includes(key) ? key : null });
  };
  const hasLocale = type.localized && locales.length > 1 && !columns.includes('locale');
  return (
    <>
      <div className={styles['options']}>
        <Field label={t('rowFiles.key')} hint={t(key === null ? 'rowFiles.key.none.hint' : 'rowFiles.key.hint')}>
          <Select
            value={key ?? ''}
            options={[
              { value: '', label: t('rowFiles.key.none') },
              ...keys.map(({ name }) => ({ value: name, label: labelOf(name) })),
            ]}
            onValue={(value) => change({ key: value === '' ? null : value })}
          />
        </Field>
        {hasLocale && (
          <Field label={t('lists.locale')}>
            <Select
              value={choice.locale ?? defaultLocale(schema) ?? ''}
              options={locales.map((locale) => ({ value: locale.code, label: localeLabel(locale) }))}
              onValue={(locale) => change({ locale })}
            />
          </Field>
        )}
        {mayPublish && (
          <Field label={t('rowFiles.status')}>
            <Select
              value={status}
              options={(['draft', 'published'] as const).map((value) => ({
                value,
                label: t(`rowFiles.status.${value}`),
              }))}
              onValue={(value) => change({ status: value as ImportChoice['status'] })}
            />
          </Field>
        )}
        <Field label={t('rowFiles.empty')}>
          <Select
            value={empty}
            options={(['clear', 'keep'] as const).map((value) => ({ value, label: t(`rowFiles.empty.${value}`) }))}
            onValue={(value) => change({ empty: value as ImportChoice['empty'] })}
          />
        </Field>
        {isText && (
          <>
            <Field label={t('rowFiles.decimal')}>
              <Select
                value={decimal}
                options={[
                  { value: '.', label: '1,234.5' },
                  { value: ',', label: '1.234,5' },
                ]}
                onValue={(value) => change({ decimal: value as ImportChoice['decimal'] })}
              />
            </Field>
            <Field label={t('rowFiles.dates')}>
              <Select
                value={dates}
                options={(['dmy', 'mdy'] as const).map((value) => ({ value, label: t(`rowFiles.dates.${value}`) }))}
                onValue={(value) => change({ dates: value as ImportChoice['dates'] })}
              />
            </Field>
          </>
        )}
      </div>
      <h2 className={shared['heading']}>{t('rowFiles.targets')}</h2>
      <ul className={classes(shared['rows'], styles['columns'])} aria-label={t('rowFiles.targets')}>
        {preview.columns.map(({ name, samples }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns may have the same name, and never move
          <li key={index} className={shared['row']}>
            <span className={shared['name']} dir="auto">
              {name || t('rowFiles.unnamed', { number: index + 1 })}
            </span>
            <span className={classes(shared['quiet'], shared['below'], styles['samples'])} dir="auto">
              {samples
                .filter((sample) => sample !== '')
                .slice(0, SHOWN)
                .join(' · ')}
            </span>
            <Select
              aria-label={t('rowFiles.target', { name: name || t('rowFiles.unnamed', { number: index + 1 }) })}
              value={columns[index] ?? ''}
              options={[
                { value: '', label: t('rowFiles.target.none') },
                ...preview.targets.map((target) => ({ value: target.name, label: labelOf(target.name) })),
              ]}
              onValue={(target) => setTarget(index, target)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The name of a target: of an attribute, with the field by which it links if that is not the id. */
function targetLabel(t: Text, schema: Schema, type: ContentType, name: string): string {
  if (name === 'documentId') return t('lists.documentId');
  if (name === 'locale') return t('lists.locale');
  const [own, by] = name.split('.');
  const attribute = type.attributes.find((one) => one.name === own);
  const label = attribute?.label ?? own!;
  if (by === undefined) {
    return attribute?.type === 'relation' || attribute?.type === 'media' ? t('rowFiles.target.byId', { label }) : label;
  }
  const target = schema.contentTypes.find(({ uid }) => uid === attribute?.target);
  const field = target?.attributes.find((one) => one.name === by)?.label ?? by;
  return t('rowFiles.target.by', { label, field });
}
