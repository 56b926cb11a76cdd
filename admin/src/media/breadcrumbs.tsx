/** The open folder and the folders above it. Files and folders can be dropped on each. */
import { Fragment, type ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { classes } from '../ui/classes.ts';
import { ChevronRight } from '../ui/icons.ts';
import styles from './breadcrumbs.module.css';
import type { Chosen, Tree } from './data.ts';
import { useDropTarget } from './moving.ts';

interface Props {
  readonly tree: Tree;
  readonly folder: number | null;
  readonly onFolder: (folder: number | null) => void;
  readonly onMove?: ((chosen: Chosen, to: number | null) => void) | undefined;
}

export function Breadcrumbs({ tree, folder, onFolder, onMove }: Props): ReactNode {
  const t = useText();
  if (folder === null) return null;
  const places = [null, ...tree.above(folder).map(({ id }) => id)];
  return (
    <nav aria-label={t('media.path')} className={styles['path']}>
      {places.map((id, index) => (
        <Fragment key={id ?? 'top'}>
          {index > 0 && <ChevronRight size={14} className={styles['between']} />}
          <Crumb
            name={tree.nameOf(id)}
            id={id}
            isCurrent={index === places.length - 1}
            onFolder={onFolder}
            onMove={onMove}
          />
        </Fragment>
      ))}
    </nav>
  );
}

interface CrumbProps extends Pick<Props, 'onFolder' | 'onMove'> {
  readonly name: string;
  readonly id: number | null;
  readonly isCurrent: boolean;
}

function Crumb({ name, id, isCurrent, onFolder, onMove }: CrumbProps): ReactNode {
  const { isOver, target } = useDropTarget(id, isCurrent ? undefined : onMove);
  return (
    <button
      type="button"
      {...target}
      aria-current={isCurrent ? 'page' : undefined}
      className={classes(styles['crumb'], isOver && styles['over'])}
      onClick={() => onFolder(id)}
    >
      {name}
    </button>
  );
}
