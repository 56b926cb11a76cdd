/** Asks what pictures show, one below the other. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { request } from '../data/client.ts';
import { useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { useToasts } from '../ui/toast.tsx';
import styles from './alternative-texts.module.css';
import { fileChanged, libraryChanged } from './data.ts';
import { FilePreview } from './preview.tsx';
import { tellUploads } from './uploads.ts';

interface Props {
  readonly files: readonly LibraryFile[];
  readonly onClose: () => void;
}

export function AlternativeTexts({ files, onClose }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  // those that are written leave the list of those that ask
  const [asked] = useState(files);
  const [texts, setTexts] = useState<Readonly<Record<number, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    try {
      for (const { id } of asked) {
        const alternativeText = texts[id]?.trim();
        if (!alternativeText) continue;
        const params = { id: String(id) };
        const { data } = await request('PUT files/:id', { params, body: { alternativeText } });
        fileChanged(client, data);
        tellUploads(data);
      }
      onClose();
      show({ text: t('saved') });
    } catch (error) {
      show({ text: failureText(t, error), tone: 'danger' });
    } finally {
      setBusy(false);
      void libraryChanged(client);
    }
  };
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={t('media.texts.title')}
      text={t('media.texts.text')}
    >
      <form onSubmit={(event) => void save(event)}>
        <ul className={styles['list']}>
          {asked.map((file) => (
            <li key={file.id} className={styles['row']}>
              <div className={styles['picture']}>
                <FilePreview file={file} width={96} />
              </div>
              <div className={styles['field']}>
                <Field label={file.name}>
                  <Input
                    value={texts[file.id] ?? ''}
                    onChange={({ target }) => setTexts((before) => ({ ...before, [file.id]: target.value }))}
                  />
                </Field>
              </div>
            </li>
          ))}
        </ul>
        <div className={styles['actions']}>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" busy={isBusy}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
