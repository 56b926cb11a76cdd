/** The dialog for selecting files of the library. */
import { type ReactNode, useRef, useState } from 'react';
import type { LibraryFile, MediaFile } from '../../contract/media.ts';
import { type LibraryState, START } from '../data/library-state.ts';
import { useText } from '../language/language.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { BareDialog, CancelButton } from '../ui/dialog.tsx';
import { Upload, X } from '../ui/icons.ts';
import { Browse } from './browse.tsx';
import { useFolders, useMayFiles } from './data.ts';
import { DropAnywhere } from './drop.tsx';
import { chosenOf } from './entries.ts';
import { acceptOf, allowedKinds, kindOf } from './kinds.ts';
import styles from './picker.module.css';
import type { MediaPickerProps } from './picker.tsx';
import { Tray } from './picker-tray.tsx';
import { startUploads } from './uploads.ts';

/** The dialog opens where it was last closed. */
let lastState: LibraryState = START;

export function PickerDialog({
  multiple,
  allowedTypes,
  chosen: before,
  onClose,
  onChoose,
}: Omit<MediaPickerProps, 'open'>): ReactNode {
  const t = useText();
  const may = useMayFiles();
  const tree = useFolders();
  const kinds = allowedKinds(allowedTypes);
  const [state, setState] = useState<LibraryState>(() => ({
    ...lastState,
    text: '',
    kinds: lastState.kinds.filter((kind) => kinds.includes(kind)),
  }));
  const [chosen, setChosen] = useState(before);
  const known = useRef(new Map<number, LibraryFile>());
  const input = useRef<HTMLInputElement>(null);
  const isAllowed = (file: MediaFile): boolean => kinds.includes(kindOf(file));
  const change = (part: Partial<LibraryState>): void => {
    lastState = { ...state, ...part };
    setState(lastState);
  };
  const choose = (files: readonly MediaFile[]): void => {
    onChoose(files);
    onClose();
  };
  const toggle = (file: MediaFile): void => {
    if (!isAllowed(file)) return;
    const isIn = chosen.some(({ id }) => id === file.id);
    if (multiple) setChosen(isIn ? chosen.filter(({ id }) => id !== file.id) : [...chosen, file]);
    else setChosen(isIn ? [] : [file]);
  };
  /** The list reports keys only; files that were selected before keep their order. */
  const setKeys = (keys: ReadonlySet<string>): void => {
    const ids = new Set(chosenOf(keys).files);
    const stay = chosen.filter(({ id }) => ids.has(id));
    const added = [...ids].filter((id) => !stay.some((file) => file.id === id));
    const files = added.flatMap((id) => known.current.get(id) ?? []).filter(isAllowed);
    setChosen(multiple ? [...stay, ...files] : (files.at(-1) ?? stay[0]) ? [files.at(-1) ?? stay[0]!] : []);
  };
  const upload = (files: readonly File[]): void =>
    startUploads(files, state.folder, (file) => {
      if (!isAllowed(file)) return;
      // If only one file can be selected, a later selection wins.
      setChosen((now) => (multiple ? [...now, file] : now === chosen ? [file] : now));
    });
  const title = t(multiple ? 'picker.titleSeveral' : 'picker.title');
  const accept = acceptOf(kinds);
  return (
    <BareDialog open huge onOpenChange={(open) => !open && onClose()} title={title}>
      <div className={styles['picker']}>
        <header className={styles['head']}>
          <h2 className={styles['title']}>{title}</h2>
          {may.create && (
            <>
              <input
                ref={input}
                type="file"
                hidden
                multiple={multiple}
                {...(accept === undefined ? {} : { accept })}
                onChange={({ target }) => {
                  upload([...(target.files ?? [])]);
                  target.value = '';
                }}
              />
              <Button icon={Upload} onClick={() => input.current?.click()}>
                {t('media.upload')}
              </Button>
            </>
          )}
          <IconButton icon={X} label={t('close')} onClick={onClose} />
        </header>
        <Browse
          state={state}
          onState={change}
          kinds={kinds}
          chosen={new Set(chosen.map(({ id }) => `file ${id}`))}
          onChoose={setKeys}
          isChoosable={(entry) => entry.kind === 'file' && isAllowed(entry.file)}
          onOpenFile={toggle}
          onUpload={may.create ? () => input.current?.click() : undefined}
          onLoaded={(files) => {
            for (const file of files) known.current.set(file.id, file);
          }}
        />
        <footer className={styles['foot']}>
          <Tray files={chosen} isOrdered={multiple} onFiles={setChosen} />
          <CancelButton onClick={onClose} />
          <Button look="primary" disabled={chosen.length === 0 && before.length === 0} onClick={() => choose(chosen)}>
            {chosen.length === 0 ? t('picker.useNone') : t('picker.use', { count: chosen.length })}
          </Button>
        </footer>
      </div>
      <DropAnywhere
        label={t('media.drop', { name: tree.nameOf(state.folder) })}
        onFiles={upload}
        disabled={!may.create}
      />
    </BareDialog>
  );
}
