/** A row of a repeatable component or a dynamic zone. */
import { memo, type ReactNode, useId, useMemo } from 'react';
import { useText } from '../../language/language.tsx';
import { IconButton } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, Copy, Ellipsis, Trash } from '../../ui/icons.ts';
import { Menu, MenuItem, MenuRule } from '../../ui/menu.tsx';
import { Fields } from '../fields.tsx';
import { useHost } from '../host.ts';
import type { Model, Path, Values } from '../values/model.ts';
import { isWithin } from '../values/path.ts';
import styles from './rows.module.css';
import { useSortableEntry } from './sortable.tsx';

interface Props {
  readonly rowKey: string;
  readonly index: number;
  readonly count: number;
  readonly row: Values;
  /** The published row; undefined if nothing is published. */
  readonly former: Values | 'new' | undefined;
  readonly name: string;
  /** The name of the component, in dynamic zones. */
  readonly kind: string | undefined;
  readonly component: Model | undefined;
  readonly parentPath: Path;
  readonly isOpen: boolean;
  readonly isFull: boolean;
  readonly readOnly: boolean;
  readonly onToggle: (key: string) => void;
  readonly onMove: (from: number, to: number) => void;
  readonly onDuplicate: (index: number) => void;
  readonly onRemove: (index: number, name: string) => void;
}

export const Row = memo(function Row(props: Props): ReactNode {
  const { rowKey, index, row, former, name, kind, component, parentPath: around, isOpen, readOnly, onToggle } = props;
  const t = useText();
  const { errors } = useHost();
  const inside = useId();
  const { setNode, style, isDragging, grip } = useSortableEntry(rowKey, name);
  const path = useMemo(() => [...around, index], [around, index]);
  const isWrong = errors.some((error) => isWithin(error.path, path));
  return (
    <li
      ref={setNode}
      style={style}
      data-row={rowKey}
      className={classes(
        styles['entry'],
        former === 'new' && styles['isNew'],
        isWrong && styles['isWrong'],
        isDragging && styles['dragging'],
      )}
    >
      <div className={styles['head']}>
        {!readOnly && grip}
        <button
          type="button"
          className={styles['toggle']}
          aria-expanded={isOpen}
          aria-controls={isOpen ? inside : undefined}
          onClick={() => onToggle(rowKey)}
        >
          {isOpen ? <ChevronDown size={14} /> : <ChevronRight size={14} className={styles['closed']} />}
          {kind !== undefined && <span className={styles['kind']}>{kind}</span>}
          {kind !== name && (
            <span dir="auto" className={styles['name']}>
              {name}
            </span>
          )}
          {former === 'new' && <span className={styles['new']}>{t('mark.new')}</span>}
        </button>
        {!readOnly && <RowMenu {...props} />}
      </div>
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend in sight
        <div id={inside} role="group" aria-label={name} className={styles['inside']} data-inside>
          {component ? (
            <Fields model={component} path={path} values={row} published={former === 'new' ? undefined : former} />
          ) : (
            <p className={styles['none']}>{t('rows.unknown')}</p>
          )}
        </div>
      )}
    </li>
  );
});

function RowMenu({ index, count, name, component, isFull, onMove, onDuplicate, onRemove }: Props): ReactNode {
  const t = useText();
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('rows.more', { name })} />}>
      <MenuItem icon={ArrowUp} disabled={index === 0} onSelect={() => onMove(index, index - 1)}>
        {t('rows.up')}
      </MenuItem>
      <MenuItem icon={ArrowDown} disabled={index === count - 1} onSelect={() => onMove(index, index + 1)}>
        {t('rows.down')}
      </MenuItem>
      <MenuItem icon={Copy} disabled={isFull || !component} onSelect={() => onDuplicate(index)}>
        {t('rows.duplicate')}
      </MenuItem>
      <MenuRule />
      <MenuItem icon={Trash} dangerous onSelect={() => onRemove(index, name)}>
        {t('rows.remove')}
      </MenuItem>
    </Menu>
  );
}
