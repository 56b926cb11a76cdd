/** Exports a list to a file, as it is filtered and sorted. */
import { type ReactNode, useState } from 'react';
import type { ContentType } from '../../../contract/schema.ts';
import { useLanguage, useText } from '../../language/language.tsx';
import { DownloadLink, IconButton } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Download } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import type { ListField } from '../list/fields.ts';
import { exportAddress, FORMATS, type Format } from './data.ts';
import styles from './rows.module.css';

interface Props {
  readonly type: ContentType;
  readonly heading: string;
  /** The query string of the list. */
  readonly list: string;
  readonly fields: readonly ListField[];
  /** The names of its columns. */
  readonly columns: readonly string[];
  readonly onClose: () => void;
}

export function ExportDialog({ type, heading, list, fields, columns, onClose }: Props): ReactNode {
  const t = useText();
  // spreadsheets in these languages have decimal commas, and then separate columns by semicolons
  const [format, setFormat] = useState<Format>(useLanguage() === 'en' ? 'csv' : 'semicolons');
  const [isWhole, setWhole] = useState(false);
  const chosen = isWhole ? undefined : ['documentId', ...columns.flatMap((name) => columnOf(fields, name) ?? [])];
  const address = exportAddress(type.uid, list, format, chosen && [...new Set(chosen)]);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('rowFiles.export.title', { name: heading })}
      text={t('rowFiles.export.text')}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <DownloadLink look="primary" href={address} onClick={onClose}>
            {t('rowFiles.export.download')}
          </DownloadLink>
        </>
      }
    >
      <div className={styles['fields']}>
        <Field label={t('rowFiles.format')}>
          <Select
            value={format}
            options={FORMATS.map((value) => ({ value, label: t(`rowFiles.format.${value}`) }))}
            onValue={(value) => setFormat(value as Format)}
          />
        </Field>
        <Field label={t('rowFiles.columns')}>
          <Select
            value={isWhole ? 'all' : 'list'}
            options={[
              { value: 'list', label: t('rowFiles.columns.list') },
              { value: 'all', label: t('rowFiles.columns.all') },
            ]}
            onValue={(value) => setWhole(value === 'all')}
          />
        </Field>
      </div>
    </Dialog>
  );
}

/** The column of a field of the list; undefined for marks, and for people. */
function columnOf(fields: readonly ListField[], name: string): string | undefined {
  const field = fields.find((one) => one.name === name);
  if (!field || field.kind === 'person' || field.kind === 'locale') return undefined;
  return field.target ? `${name}.${field.target.mainField}` : field.name;
}

/** A button that opens the dialog. */
export function ExportButton(props: Omit<Props, 'onClose'>): ReactNode {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton icon={Download} label={t('rowFiles.export')} onClick={() => setOpen(true)} />
      {isOpen && <ExportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
