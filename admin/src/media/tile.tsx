/** A file or a folder in the grid. */
import type { ReactNode } from 'react';
import { useLocale, useText } from '../language/language.tsx';
import { classes } from '../ui/classes.ts';
import { Folder, TriangleAlert } from '../ui/icons.ts';
import { BareCheckbox } from '../ui/toggle.tsx';
import type { Chosen } from './data.ts';
import { chosenOf, type Entry, keyOf, nameOf } from './entries.ts';
import { type EntryActions, EntryMenu } from './entry-menu.tsx';
import styles from './grid.module.css';
import { kindOf, sizeText } from './kinds.ts';
import { dragSource, useDropTarget } from './moving.ts';
import { FilePreview } from './preview.tsx';

interface Props {
  readonly entry: Entry;
  readonly isChosen: boolean;
  /** Called to select the entry; undefined if entries cannot be selected. */
  readonly onChoose: ((withAllBetween: boolean) => void) | undefined;
  readonly isMovable: boolean;
  /** Returns the entries that are dragged with the entry. */
  readonly held: () => Chosen;
  /** Undefined if the entry cannot be changed. */
  readonly actions: EntryActions | undefined;
  readonly onMove: ((chosen: Chosen, to: number | null) => void) | undefined;
  /** In CSS pixels. */
  readonly width: number;
}

export function Tile(props: Props): ReactNode {
  const { entry, isChosen, onChoose, actions } = props;
  const t = useText();
  return (
    <>
      {entry.kind === 'folder' ? <FolderTile {...props} /> : <FileTile {...props} />}
      {onChoose && (
        <span className={styles['check']}>
          <BareCheckbox
            label={t('list.choose', { name: nameOf(entry) })}
            checked={isChosen}
            tabIndex={-1}
            onValue={(_, shift) => onChoose(shift)}
          />
        </span>
      )}
      {actions && (
        <span className={styles['menu']}>
          <EntryMenu entry={entry} actions={actions} />
        </span>
      )}
    </>
  );
}

function FolderTile({ entry, isMovable, held, onMove }: Props): ReactNode {
  const t = useText();
  const folder = entry.kind === 'folder' ? entry.folder : undefined;
  const locale = useLocale();
  const { isOver, target } = useDropTarget(folder?.id ?? null, onMove);
  if (!folder) return null;
  return (
    <div
      {...(isMovable ? dragSource(held) : {})}
      {...target}
      className={classes(styles['folder'], isOver && styles['over'])}
    >
      <span role="img" aria-label={t('media.file.folder')}>
        <Folder size={18} />
      </span>
      <span dir="auto" className={styles['name']}>
        {folder.name}
      </span>
      {folder.files !== null && folder.files > 0 && (
        <span className={styles['note']} title={t('media.files', { count: folder.files })}>
          {folder.files.toLocaleString(locale)}
        </span>
      )}
    </div>
  );
}

function FileTile({ entry, isMovable, held, width }: Props): ReactNode {
  const t = useText();
  const locale = useLocale();
  if (entry.kind !== 'file') return null;
  const { file } = entry;
  const isUntold = kindOf(file) === 'image' && !file.alternativeText;
  return (
    <div {...(isMovable ? dragSource(held) : {})}>
      <div className={styles['picture']}>
        <FilePreview file={file} width={width} />
      </div>
      <div className={styles['caption']}>
        <span dir="auto" className={styles['name']} title={file.name}>
          {file.name}
        </span>
        <span className={styles['note']}>
          {file.width !== null && file.height !== null
            ? t('media.size', { width: String(file.width), height: String(file.height) })
            : sizeText(file.size, locale)}
          {isUntold && (
            <span className={styles['untold']} title={t('media.noText')}>
              <TriangleAlert size={12} />
            </span>
          )}
        </span>
      </div>
    </div>
  );
}

/** What is dragged with an entry: the whole selection if it contains the entry, otherwise the entry. */
export function heldWith(entry: Entry, chosen: ReadonlySet<string>): Chosen {
  return chosenOf(chosen.has(keyOf(entry)) ? chosen : [keyOf(entry)]);
}
