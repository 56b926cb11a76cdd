/**
 * The dialog for the alternative text of a picture within a text. Each use of a picture has a text of its own, which
 * starts as the text of the library. If the two differ, the library's text can be used; and the new text can be saved
 * in the library too.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { fileAtQuery, fileChanged, useMayFiles } from '../../media/data.ts';
import { FilePreview } from '../../media/preview.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Textarea } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import styles from './pictures.module.css';

interface Props {
  /** The address of the picture in the text. */
  readonly url: string;
  readonly text: string;
  readonly onSet: (text: string) => void;
  readonly onClose: () => void;
}

export function AlternativeDialog({ url, text: before, onSet, onClose }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const may = useMayFiles();
  const [text, setText] = useState(before);
  const [chosen, setChosen] = useState<boolean>();
  const { data: file } = useQuery({ ...fileAtQuery(url), enabled: may.read });
  const inLibrary = file?.alternativeText ?? '';
  const mayUpdate = file != null && may.updateOf(file);
  // Selected by default if the library has no text yet.
  const goesThere = mayUpdate && (chosen ?? inLibrary === '');
  const set = (): void => {
    const words = text.replaceAll(/\s+/g, ' ').trim();
    onSet(words);
    if (!goesThere || words === inLibrary) return;
    const send = async (): Promise<void> => {
      const { data } = await request('PUT files/:id', {
        params: { id: String(file.id) },
        body: { alternativeText: words === '' ? null : words },
        outlives: true,
      });
      client.setQueryData(fileAtQuery(url).queryKey, data);
      fileChanged(client, data);
    };
    const showError = (error: unknown): void =>
      void show({ text: failureText(t, error), tone: 'danger', retry: () => void send().catch(showError) });
    void send().catch(showError);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('media.file.alternative')}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="primary" onClick={set}>
            {t('picture.set')}
          </Button>
        </>
      }
    >
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          // Keeps the event from the form of the page.
          event.stopPropagation();
          set();
        }}
      >
        {file && (
          <div className={styles['preview']}>
            <FilePreview file={file} width={240} fit="contain" />
          </div>
        )}
        <Field label={t('picture.text')} hint={t('picture.hint')}>
          <Textarea
            value={text}
            maxLength={1000}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
              event.preventDefault();
              set();
            }}
          />
        </Field>
        {inLibrary !== '' && inLibrary !== text && (
          <p className={styles['library']}>
            <span>{t('picture.library', { text: inLibrary })}</span>
            <Button look="quiet" onClick={() => setText(inLibrary)}>
              {t('picture.take')}
            </Button>
          </p>
        )}
        {mayUpdate && <Checkbox label={t('picture.both')} checked={goesThere} onValue={setChosen} />}
      </form>
    </Dialog>
  );
}
