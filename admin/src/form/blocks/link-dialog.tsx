/** The dialog for the address of a link. */
import { type ReactNode, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { ADDRESS } from './nodes.ts';

interface Props {
  readonly url: string;
  /** The selected text. */
  readonly words: string;
  readonly isNew: boolean;
  readonly onClose: () => void;
  readonly onSet: (url: string, words: string) => void;
  readonly onRemove: () => void;
}

export function LinkDialog({ url: before, words: chosen, isNew, onClose, onSet, onRemove }: Props): ReactNode {
  const t = useText();
  const [url, setUrl] = useState(before);
  const [words, setWords] = useState('');
  const [isWrong, setWrong] = useState(false);
  const set = (): void => {
    // Adds the scheme that people leave out.
    const address = /^[\w-]+(?:\.[\w-]+)+(?:[/?#]|$)/.test(url.trim()) ? `https://${url.trim()}` : url.trim();
    if (ADDRESS.test(address)) onSet(address, words.trim());
    else setWrong(true);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t(isNew ? 'text.link' : 'blocks.link.edit')}
      actions={
        <>
          {!isNew && (
            <Button look="quiet" onClick={onRemove}>
              {t('blocks.link.remove')}
            </Button>
          )}
          <Button look="primary" onClick={set}>
            {t('blocks.link.set')}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // Keeps the event from the form of the page.
          event.stopPropagation();
          set();
        }}
      >
        <Field label={t('blocks.link.address')} error={isWrong ? t('blocks.link.wrong') : undefined} required>
          <Input
            value={url}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => {
              setUrl(target.value);
              setWrong(false);
            }}
          />
        </Field>
        {isNew && chosen === '' && (
          <Field label={t('blocks.link.text')}>
            <Input value={words} onChange={({ target }) => setWords(target.value)} />
          </Field>
        )}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}
