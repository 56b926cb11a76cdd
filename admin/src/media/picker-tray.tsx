/** The selected files in their order, which can be changed by drag and by buttons. */
import { type DragEvent, type KeyboardEvent, type ReactNode, useState } from 'react';
import type { MediaFile } from '../../contract/media.ts';
import { useText } from '../language/language.tsx';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { ArrowLeft, ArrowRight, X } from '../ui/icons.ts';
import { Menu, MenuItem } from '../ui/menu.tsx';
import styles from './picker.module.css';
import { FilePreview } from './preview.tsx';

interface Props {
  readonly files: readonly MediaFile[];
  /** Whether the order can be changed. */
  readonly isOrdered: boolean;
  readonly onFiles: (files: readonly MediaFile[]) => void;
}

export function Tray({ files, isOrdered, onFiles }: Props): ReactNode {
  const t = useText();
  const [dragged, setDragged] = useState<number>();
  const move = (from: number, to: number): void => {
    if (to < 0 || to >= files.length || from === to) return;
    const next = [...files];
    const [file] = next.splice(from, 1);
    next.splice(to, 0, file!);
    onFiles(next);
  };
  const onKeyDown = (event: KeyboardEvent, index: number): void => {
    if (!isOrdered) return;
    const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const backward = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
    const to = { [forward]: index + 1, [backward]: index - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(index, to);
  };
  const onDragOver = (event: DragEvent, index: number): void => {
    if (dragged === undefined) return;
    event.preventDefault();
    if (dragged === index) return;
    move(dragged, index);
    setDragged(index);
  };
  if (files.length === 0) return <p className={styles['nothing']}>{t('picker.none')}</p>;
  return (
    <ul aria-label={t('picker.chosen')} className={styles['tray']}>
      {files.map((file, index) => (
        <li
          key={file.id}
          draggable={isOrdered}
          className={classes(styles['pick'], dragged === index && styles['dragged'])}
          title={file.name}
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = 'move';
            setDragged(index);
          }}
          onDragOver={(event) => onDragOver(event, index)}
          onDragEnd={() => setDragged(undefined)}
          onKeyDown={(event) => onKeyDown(event, index)}
        >
          {isOrdered && files.length > 1 ? (
            <Menu
              side="top"
              trigger={
                <button type="button" aria-label={file.name} className={styles['thumb']}>
                  <FilePreview file={file} width={56} small />
                </button>
              }
            >
              <MenuItem icon={ArrowLeft} disabled={index === 0} onSelect={() => move(index, index - 1)}>
                {t('picker.earlier', { name: file.name })}
              </MenuItem>
              <MenuItem icon={ArrowRight} disabled={index === files.length - 1} onSelect={() => move(index, index + 1)}>
                {t('picker.later', { name: file.name })}
              </MenuItem>
            </Menu>
          ) : (
            <span className={styles['thumb']}>
              <FilePreview file={file} width={56} small />
            </span>
          )}
          <span className={styles['out']}>
            <IconButton
              icon={X}
              label={t('picker.remove', { name: file.name })}
              onClick={() => onFiles(files.filter(({ id }) => id !== file.id))}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}
