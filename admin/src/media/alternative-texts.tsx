/**
 * A dialog for the missing alternative texts of pictures. Each text is saved at once, so that closing the dialog loses
 * nothing.
 */
import { type ReactNode, useState } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { useText } from '../language/language.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import styles from './alternative-texts.module.css';
import { useFileTexts } from './file-texts.ts';
import { FilePreview } from './preview.tsx';

interface Props {
  readonly files: readonly LibraryFile[];
  readonly onClose: () => void;
}

export function AlternativeTexts({ files, onClose }: Props): ReactNode {
  const t = useText();
  // Described files leave the query result, but stay in the dialog.
  const [pictures] = useState(files);
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={t('media.texts.title')}
      text={t('media.texts.text')}
      actions={
        <Button look="primary" onClick={onClose}>
          {t('done')}
        </Button>
      }
    >
      <ul className={styles['list']}>
        {pictures.map((file) => (
          <Asked key={file.id} file={file} />
        ))}
      </ul>
    </Dialog>
  );
}

function Asked({ file }: { readonly file: LibraryFile }): ReactNode {
  const t = useText();
  const { state, errors, control } = useFileTexts(file);
  const status = state === 'saving' ? t('media.file.saving') : state === 'saved' ? t('saved') : undefined;
  return (
    <li className={styles['row']}>
      <div className={styles['picture']}>
        <FilePreview file={file} width={96} />
      </div>
      <div className={styles['field']}>
        <Field
          label={file.name}
          error={errors.alternativeText ?? errors.all}
          {...(status !== undefined && { note: status })}
        >
          <Input {...control('alternativeText')} />
        </Field>
      </div>
    </li>
  );
}
