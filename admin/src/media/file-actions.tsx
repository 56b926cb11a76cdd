/** Actions for a file: replace, copy the address, download, open. */
import { type ReactNode, useRef, useState } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { sendForm } from '../data/upload.ts';
import { useText } from '../language/language.tsx';
import { failureText } from '../language/refusal-text.ts';
import { Button } from '../ui/button.tsx';
import { Copy, Download, RefreshCw } from '../ui/icons.ts';
import { useToasts } from '../ui/toast.tsx';
import { addressOf } from './current.ts';
import { useMayFiles } from './data.ts';
import styles from './file-panel.module.css';
import { endingsFor } from './kinds.ts';

interface Props {
  readonly file: LibraryFile;
  readonly onReplaced: (file: LibraryFile) => void;
}

export function FileActions({ file, onReplaced }: Props): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const may = useMayFiles();
  const input = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState<number>();
  const endings = endingsFor(file);
  const replace = async (chosen: File | undefined): Promise<void> => {
    if (!chosen) return;
    // The new content keeps the address, so its type has to match the ending of that.
    if (endings.length > 0 && !endings.some((ending) => chosen.name.toLowerCase().endsWith(ending))) {
      show({ text: t('media.file.otherType', { name: chosen.name, ending: file.ext! }), tone: 'danger' });
      return;
    }
    const form = new FormData();
    form.set('fileInfo', JSON.stringify({ name: file.name }));
    form.set('files', chosen, chosen.name);
    setSent(0);
    try {
      const { data } = await sendForm('POST files/:id/replace', form, {
        params: { id: String(file.id) },
        onProgress: (bytes, total) => setSent(total === 0 ? 1 : bytes / total),
      });
      onReplaced(data);
      show({ text: t('media.file.replaced') });
    } catch (error) {
      show({ text: failureText(t, error), tone: 'danger' });
    } finally {
      setSent(undefined);
    }
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(new URL(file.url, location.origin).href);
    show({ text: t('copied') });
  };
  return (
    <div className={styles['actions']}>
      {may.updateOf(file) && (
        <>
          <input
            ref={input}
            type="file"
            hidden
            accept={endings.length > 0 ? endings.join() : undefined}
            onChange={({ target }) => {
              void replace(target.files?.[0]);
              target.value = '';
            }}
          />
          <Button icon={RefreshCw} busy={sent !== undefined} onClick={() => input.current?.click()}>
            {sent === undefined ? t('media.file.replace') : `${Math.floor(sent * 100)} %`}
          </Button>
        </>
      )}
      {may.copyLink && (
        <Button icon={Copy} onClick={() => void copy()}>
          {t('media.file.copy')}
        </Button>
      )}
      {may.download && (
        <a href={addressOf(file.url, file)} download={file.name} className={styles['download']}>
          <Download />
          {t('media.file.download')}
        </a>
      )}
    </div>
  );
}
