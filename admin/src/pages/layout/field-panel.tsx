/** The settings of a field in the form: texts and width. */
import type { ReactNode } from 'react';
import type { Arrangement } from '../../../contract/layout.ts';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import type { Cell } from './cells.ts';
import styles from './layout.module.css';

type FieldTexts = Arrangement['metadatas'][string]['edit'];

interface Props {
  readonly cell: Cell;
  readonly field: Arrangement['fields'][number];
  readonly said: FieldTexts;
  /** The default label. */
  readonly usualLabel: string;
  /** The label of a field of linked documents. */
  readonly labelOfLinked: (name: string) => string;
  readonly onCell: (cell: Cell) => void;
  readonly onSaid: (texts: FieldTexts) => void;
  readonly onRemove: () => void;
}

const TEXTS = ['description', 'placeholder'] as const;

/** The label that was chosen. Without one, Strapi's panel stores the name of the field. */
export function chosenLabel(texts: FieldTexts | undefined, name: string): string | undefined {
  return texts?.label && texts.label !== name ? texts.label : undefined;
}

export function FieldPanel(props: Props): ReactNode {
  const { cell, field, said, usualLabel, labelOfLinked, onCell, onSaid, onRemove } = props;
  const t = useText();
  const sizes = field.sizes.map((size) => ({
    value: String(size),
    label: t(`layout.size.${size as 4 | 6 | 8 | 12}`),
  }));
  return (
    <div className={styles['panel']}>
      <Field label={t('layout.field.label')}>
        <Input
          value={chosenLabel(said, cell.name) ?? ''}
          maxLength={255}
          placeholder={usualLabel}
          onChange={({ target }) => onSaid({ ...said, label: target.value || cell.name })}
        />
      </Field>
      {TEXTS.map((name) => (
        <Field key={name} label={t(`layout.field.${name}`)}>
          <Input
            value={said[name] ?? ''}
            maxLength={name === 'description' ? 1000 : 255}
            onChange={({ target }) => onSaid({ ...said, [name]: target.value })}
          />
        </Field>
      ))}
      {field.mainFields.length > 0 && (
        <Field label={t('layout.field.mainField')}>
          <Select
            value={said.mainField ?? 'id'}
            options={field.mainFields.map((name) => ({ value: name, label: labelOfLinked(name) }))}
            onValue={(mainField) => onSaid({ ...said, mainField })}
          />
        </Field>
      )}
      <Field label={t('layout.field.width')}>
        <Select
          value={String(cell.size)}
          options={sizes}
          disabled={sizes.length < 2}
          onValue={(size) => onCell({ ...cell, size: Number(size) })}
        />
      </Field>
      <Checkbox
        label={t('layout.field.begins')}
        checked={cell.begins}
        onValue={(begins) => onCell({ ...cell, begins })}
      />
      <Checkbox
        label={t('layout.field.editable')}
        checked={said.editable !== false}
        onValue={(editable) => onSaid({ ...said, editable })}
      />
      <Button look="quiet" onClick={onRemove}>
        {t('layout.field.remove')}
      </Button>
    </div>
  );
}
