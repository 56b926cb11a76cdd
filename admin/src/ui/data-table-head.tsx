/** The head of a table: column names, and the checkbox that selects all. */
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { classes } from './classes.ts';
import { type Column, isName, type Sorting } from './data-column.ts';
import styles from './data-table.module.css';
import { ArrowDown, ArrowUp } from './icons.ts';
import { BareCheckbox } from './toggle.tsx';

/** The checkbox that selects all rows. */
export interface Boxes {
  readonly state: boolean | 'mixed';
  readonly onAll: (isChosen: boolean) => void;
}

interface Props<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sorting: Sorting | undefined;
  readonly onSort: ((sorting: Sorting) => void) | undefined;
  /** Undefined if rows cannot be selected. */
  readonly boxes: Boxes | undefined;
}

export function Head<Row>({ columns, sorting, onSort, boxes }: Props<Row>): ReactNode {
  const t = useText();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot leave rows out
    // biome-ignore lint/a11y/useFocusableInteractive: rows below have the focus
    <div role="row" aria-rowindex={1} className={styles['head']}>
      {boxes && (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: its checkbox has
        <div role="columnheader" className={classes(styles['cell'], styles['held'])}>
          <BareCheckbox label={t('list.chooseAll')} checked={boxes.state} onValue={boxes.onAll} />
        </div>
      )}
      {columns.map((column, place) => {
        const { id, label, align, sortable, narrow } = column;
        const order = sorting?.column === id ? (sorting.descending ? 'descending' : 'ascending') : undefined;
        return (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: its button has
          <div
            key={id}
            role="columnheader"
            aria-sort={order}
            className={classes(
              styles['cell'],
              isName(column, place) && styles['held'],
              align === 'end' && styles['atEnd'],
              narrow === 'wide' && styles['wide'],
            )}
          >
            {sortable && onSort ? (
              <button
                type="button"
                className={styles['sort']}
                onClick={() => onSort({ column: id, descending: order === 'ascending' })}
              >
                {label}
                {order === 'ascending' && <ArrowUp size={13} />}
                {order === 'descending' && <ArrowDown size={13} />}
              </button>
            ) : (
              label
            )}
          </div>
        );
      })}
    </div>
  );
}
