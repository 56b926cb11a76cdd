/** The dialog for choosing the folder to which files and folders are moved. */
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { useText } from '../language/language.tsx';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { Folder, FolderPlus, House } from '../ui/icons.ts';
import { chosenText } from './chosen-text.ts';
import { type Chosen, type Tree, useFolders, useMayFiles } from './data.ts';
import { FolderDialog } from './folder-dialog.tsx';
import styles from './move-dialog.module.css';

interface Props {
  readonly chosen: Chosen;
  /** The current folder. */
  readonly from: number | null;
  readonly onClose: () => void;
  readonly onMove: (to: number | null) => void;
}

interface Line {
  readonly id: number | null;
  readonly name: string;
  readonly level: number;
}

/** Follows the "tree view" pattern of the ARIA Authoring Practices, with all nodes expanded. */
export function MoveDialog({ chosen, from, onClose, onMove }: Props): ReactNode {
  const t = useText();
  const tree = useFolders();
  const { create } = useMayFiles();
  const [to, setTo] = useState<number | null>(from);
  const [isMaking, setMaking] = useState(false);
  const lines = linesOf(tree, chosen.folders);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const at = lines.findIndex(({ id }) => id === to);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: lines.length - 1 }[event.key];
    const line = next === undefined ? undefined : lines[Math.max(0, Math.min(lines.length - 1, next))];
    if (!line) return;
    event.preventDefault();
    setTo(line.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-id="${line.id}"]`)?.focus();
  };
  return (
    <>
      <Dialog
        open
        onOpenChange={(open) => !open && onClose()}
        title={t('media.move.title', { what: chosenText(t, chosen) })}
        actions={
          <>
            {create && (
              <span className={styles['start']}>
                <Button look="quiet" icon={FolderPlus} onClick={() => setMaking(true)}>
                  {t('media.newFolder')}
                </Button>
              </span>
            )}
            <CancelButton onClick={onClose} />
            <Button look="primary" disabled={to === from} onClick={() => onMove(to)}>
              {t('media.move.here')}
            </Button>
          </>
        }
      >
        <div role="tree" aria-label={t('media.move.to')} className={styles['tree']} onKeyDown={onKeyDown}>
          {lines.map(({ id, name, level }) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the tree
            <div
              key={id ?? 'top'}
              role="treeitem"
              data-id={String(id)}
              aria-level={level}
              aria-selected={id === to}
              tabIndex={id === to ? 0 : -1}
              className={classes(styles['line'], id === to && styles['current'])}
              style={{ '--level': level } as React.CSSProperties}
              onClick={() => setTo(id)}
              onDoubleClick={() => id !== from && onMove(id)}
            >
              {id === null ? <House /> : <Folder />}
              <span dir="auto">{name}</span>
            </div>
          ))}
        </div>
      </Dialog>
      {isMaking && <FolderDialog parent={to} onClose={() => setMaking(false)} onMade={({ id }) => setTo(id)} />}
    </>
  );
}

/** All folders except those that are moved, and folders inside them. */
function linesOf(tree: Tree, moving: readonly number[]): readonly Line[] {
  const below = (id: number | null, level: number): Line[] =>
    tree
      .inside(id)
      .filter((folder) => !moving.includes(folder.id))
      .flatMap((folder) => [{ id: folder.id, name: folder.name, level }, ...below(folder.id, level + 1)]);
  return [{ id: null, name: tree.nameOf(null), level: 1 }, ...below(null, 2)];
}
