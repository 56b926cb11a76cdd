/** The name and the texts of a file, which are saved automatically. */
import type { ReactNode } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { useText } from '../language/language.tsx';
import { Field } from '../ui/field.tsx';
import { Input, Textarea } from '../ui/input.tsx';
import styles from './file-panel.module.css';
import { useFileTexts } from './file-texts.ts';
import { kindOf } from './kinds.ts';

export function FileFields({ file, readOnly }: { readonly file: LibraryFile; readonly readOnly: boolean }): ReactNode {
  const t = useText();
  const { texts, state, errors, control } = useFileTexts(file);
  return (
    <div className={styles['fields']}>
      {kindOf(file) === 'image' && (
        <Field
          label={t('media.file.alternative')}
          hint={t('media.file.alternative.hint')}
          error={errors.alternativeText}
          {...(texts.alternativeText === '' ? { note: t('media.noText') } : {})}
        >
          <Textarea {...control('alternativeText')} readOnly={readOnly} />
        </Field>
      )}
      <Field label={t('media.file.caption')} error={errors.caption}>
        <Input {...control('caption')} readOnly={readOnly} />
      </Field>
      <Field label={t('media.file.name')} error={errors.name} required>
        <Input {...control('name')} readOnly={readOnly} />
      </Field>
      <p role="status" className={styles['saving']}>
        {errors.all ?? (state === 'saving' ? t('media.file.saving') : state === 'saved' ? t('saved') : '')}
      </p>
    </div>
  );
}
