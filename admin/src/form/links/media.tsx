/** The files of a document: selecting, dropping, pasting and sorting them. */

import { useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, type DragEvent, lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { fileQuery, useMayFiles } from '../../media/data.ts';
import { acceptOf, allowedKinds, kindOf } from '../../media/kinds.ts';
import { MediaPicker } from '../../media/picker.tsx';
import { FilePreview } from '../../media/preview.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { FolderPlus, Upload, X } from '../../ui/icons.ts';
import type { ControlProps } from '../host.ts';
import { useHost } from '../host.ts';
import { moved, Sortable, useSortableEntry } from '../rows/sortable.tsx';
import { filesOf, type MediaFile } from '../values/links.ts';
import styles from './links.module.css';
import { Failures, useUpload } from './upload.tsx';

const FilePanel = lazy(() => import('../../media/file-panel.tsx').then(({ FilePanel: Panel }) => ({ default: Panel })));

export function MediaControl({ attribute, path, value, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const { valueAt, follow, change } = useHost();
  const files = filesOf(value);
  const multiple = attribute.multiple === true;
  /** The files when the picker was opened. */
  const [choosing, setChoosing] = useState<readonly MediaFile[]>();
  const [openFile, setOpenFile] = useState<number>();
  const may = useMayFiles();
  const kinds = allowedKinds(attribute.allowedTypes);
  const { upload, onTheWay, failures } = useUpload(attribute.allowedTypes, () => {
    // Rows may move during the upload.
    const currentPath = follow(path);
    const atFirst = filesOf(valueAt(path));
    return (uploaded) => {
      const place = currentPath();
      if (!place) return;
      const now = filesOf(valueAt(place));
      if (multiple) change(place, [...now, ...uploaded]);
      // If there is room for one file only, a later choice wins.
      else if (without(now, atFirst).length === 0) change(place, uploaded.slice(-1));
    };
  });
  const input = useRef<HTMLInputElement>(null);
  const remove = (file: MediaFile): void => onValue(files.filter((other) => other !== file));
  const shown = files.map((file) => (
    <FileEntry
      key={file.id}
      file={file}
      onRemove={readOnly ? undefined : () => remove(file)}
      onLook={may.read ? () => setOpenFile(file.id) : undefined}
      isFixed={!multiple}
    />
  ));
  const keys = files.map(({ id }) => String(id));
  return (
    <DropArea canTake={!readOnly && may.create} onFiles={(list) => void upload(multiple ? list : list.slice(0, 1))}>
      {files.length > 0 && (
        <Sortable
          as="grid"
          keys={keys}
          nameOf={(index) => files[index]?.name ?? ''}
          onMove={(from, to) => onValue(moved(files, from, to))}
        >
          <ul className={styles['files']}>{shown}</ul>
        </Sortable>
      )}
      {readOnly && files.length === 0 && <p className={styles['none']}>{t('mark.empty')}</p>}
      {!readOnly && (
        <div className={styles['place']} data-place>
          {may.read && (
            <Button icon={FolderPlus} onClick={() => setChoosing(files)}>
              {t(!multiple && files.length > 0 ? 'files.replace' : 'files.choose')}
            </Button>
          )}
          {may.create && (
            <Button look="quiet" icon={Upload} onClick={() => input.current?.click()}>
              {t('files.upload')}
            </Button>
          )}
          <input
            ref={input}
            type="file"
            hidden
            multiple={multiple}
            accept={acceptOf(kinds)}
            onChange={({ target }) => {
              void upload([...(target.files ?? [])]);
              target.value = '';
            }}
          />
          <span aria-live="polite">
            {onTheWay > 0
              ? t('files.uploading', { count: onTheWay })
              : may.create
                ? t('files.hint')
                : !may.read && t('files.closed')}
          </span>
        </div>
      )}
      <Failures texts={failures} />
      {openFile !== undefined && (
        <Suspense>
          <FilePanel id={openFile} onClose={() => setOpenFile(undefined)} />
        </Suspense>
      )}
      {choosing && (
        <MediaPicker
          open
          multiple={multiple}
          allowedTypes={attribute.allowedTypes}
          chosen={choosing}
          onClose={() => setChoosing(undefined)}
          onChoose={(chosen) => {
            setChoosing(undefined);
            // Files that were uploaded while the picker was open stay.
            onValue(multiple ? [...chosen, ...without(filesOf(valueAt(path)), [...choosing, ...chosen])] : chosen);
          }}
        />
      )}
    </DropArea>
  );
}

/** Accepts files that are dropped on it, or pasted while one of its elements has the focus. */
function DropArea({
  canTake: isTaking,
  onFiles,
  children,
}: {
  readonly canTake: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}): ReactNode {
  const [over, setOver] = useState(false);
  if (!isTaking) return children;
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button inside does the same for those who do not drag
    <div
      className={classes(styles['taking'], over && styles['over'])}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        onFiles([...event.dataTransfer.files]);
      }}
      onPaste={(event: ClipboardEvent) => {
        const files = [...event.clipboardData.files];
        if (files.length === 0) return;
        event.preventDefault();
        onFiles(files);
      }}
    >
      {children}
    </div>
  );
}

/** The files that are not among others. */
function without(files: readonly MediaFile[], others: readonly MediaFile[]): readonly MediaFile[] {
  const ids = new Set(others.map(({ id }) => id));
  return files.filter(({ id }) => !ids.has(id));
}

interface EntryProps {
  readonly file: MediaFile;
  readonly onRemove: (() => void) | undefined;
  /** Opens the file panel: texts and focal point. */
  readonly onLook: (() => void) | undefined;
  readonly isFixed: boolean;
}

function FileEntry({ file: read, onRemove, onLook, isFixed }: EntryProps): ReactNode {
  const t = useText();
  // Changes in the file panel do not belong to the document, but are shown here.
  const { data } = useQuery({ ...fileQuery(read.id), enabled: false });
  const file: MediaFile = data && !(String(read.updatedAt ?? '') > data.updatedAt) ? data : read;
  const { name, alternativeText } = file;
  const { setNode, style, isDragging, grip } = useSortableEntry(String(file.id), name);
  const needsText = kindOf(file) === 'image' && !alternativeText;
  return (
    <li ref={setNode} style={style} className={classes(styles['file'], isDragging && styles['dragging'])}>
      {onLook ? (
        <button type="button" className={styles['picture']} aria-label={t('files.look', { name })} onClick={onLook}>
          <FilePreview file={file} width={160} />
        </button>
      ) : (
        <span className={styles['picture']}>
          <FilePreview file={file} width={160} />
        </span>
      )}
      <span className={styles['caption']}>
        {onRemove && !isFixed && grip}
        <span>
          <span dir="auto" className={styles['fileName']} title={name}>
            {name}
          </span>
          {(needsText || alternativeText) && (
            <span dir="auto" className={styles['fileNote']} title={alternativeText ?? undefined}>
              {alternativeText || t('files.noText')}
            </span>
          )}
        </span>
        {onRemove && <IconButton icon={X} label={t('files.remove', { name })} onClick={onRemove} />}
      </span>
    </li>
  );
}
