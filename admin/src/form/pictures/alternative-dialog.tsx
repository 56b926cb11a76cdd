/**
 * The alternative text of a picture within a text. A text has one of its own, which begins as that of the library: a picture
 * may say something else where it is used. Where the library says something else by now, that can be taken over, and what is
 * written here can go to the library as well.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { fileAtQuery, fileChanged, useMayFiles } from '../../media/data.ts';
import { FilePreview } from '../../media/preview.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Textarea } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import styles from './pictures.module.css';

interface Props {
  /** Where the picture lies, as the text has it. */
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
  // a file that says nothing yet has nothing to lose
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
    const tell = (error: unknown): void =>
      void show({ text: failureText(t, error), tone: 'danger', retry: () => void send().catch(tell) });
    void send().catch(tell);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('media.file.alternative')}
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            {t('cancel')}
          </Button>
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
          // the form of the page around it has nothing to do with it
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
