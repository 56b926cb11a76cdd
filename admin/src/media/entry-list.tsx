/** The entries of the library as a table. */
import { type ReactNode, useMemo } from 'react';
import type { SortName } from '../data/library-state.ts';
import { Moment, useLocale, useText } from '../language/language.tsx';
import { classes } from '../ui/classes.ts';
import type { Column, Sorting } from '../ui/data-column.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Folder } from '../ui/icons.ts';
import type { Chosen } from './data.ts';
import { type EntriesProps, type Entry, keyOf, nameOf } from './entries.ts';
import styles from './entry-list.module.css';
import { EntryMenu } from './entry-menu.tsx';
import { kindOf, sizeText } from './kinds.ts';
import { dragSource, useDropTarget } from './moving.ts';
import { FilePreview } from './preview.tsx';
import { heldWith } from './tile.tsx';

interface Props extends EntriesProps {
  readonly sort: SortName;
  readonly onSort: (sort: SortName) => void;
  /** Whether the files of several folders are shown. */
  readonly isSearch: boolean;
}

/** The ascending and the descending order of a column. Some columns have only one. */
const ORDERS: Readonly<Record<string, readonly [SortName | undefined, SortName | undefined]>> = {
  name: ['name', undefined],
  size: [undefined, 'size'],
  added: ['oldest', 'newest'],
};

export function EntryList(props: Props): ReactNode {
  const { entries, chosen, onChoose, isChoosable, onOpen, onRange, actions, onMove, sort, onSort, isSearch } = props;
  const t = useText();
  const locale = useLocale();
  const columns = useMemo<readonly Column<Entry>[]>(
    () => [
      {
        id: 'name',
        label: t('media.column.name'),
        width: 'minmax(180px, 1fr)',
        narrow: 'title',
        sortable: true,
        cell: (entry) => (
          <Name
            entry={entry}
            held={() => heldWith(entry, chosen)}
            isMovable={onMove !== undefined && isChoosable(entry)}
            onMove={onMove}
            actions={actions}
          />
        ),
      },
      ...(isSearch
        ? [
            {
              id: 'place',
              label: t('media.column.place'),
              width: '140px',
              narrow: 'wide' as const,
              cell: (entry: Entry) => (entry.kind === 'file' ? entry.file.folder?.name : undefined),
            },
          ]
        : []),
      {
        id: 'kind',
        label: t('media.column.kind'),
        width: '120px',
        narrow: 'second',
        cell: (entry) => (entry.kind === 'file' ? t(`media.oneKind.${kindOf(entry.file)}`) : undefined),
      },
      {
        id: 'size',
        label: t('media.column.size'),
        width: '90px',
        align: 'end',
        narrow: 'wide',
        sortable: true,
        cell: (entry) => {
          if (entry.kind === 'file') return sizeText(entry.file.size, locale);
          const { files } = entry.folder;
          return !files ? undefined : t('media.files', { count: files });
        },
      },
      {
        id: 'added',
        label: t('media.column.added'),
        width: '130px',
        align: 'end',
        narrow: 'second',
        sortable: true,
        cell: (entry) => (entry.kind === 'file' ? <Moment at={entry.file.createdAt} /> : undefined),
      },
    ],
    [t, locale, isSearch, actions, chosen, onMove, isChoosable],
  );
  const [column] = Object.entries(ORDERS).find(([, orders]) => orders.includes(sort)) ?? [];
  const sorting: Sorting | undefined =
    column === undefined ? undefined : { column, descending: ORDERS[column]![1] === sort };
  return (
    <DataTable
      label={t('media.content')}
      columns={columns}
      count={entries.count}
      rowAt={entries.at}
      keyOf={keyOf}
      nameOf={nameOf}
      onOpen={onOpen}
      onRange={(first, last) =>
        onRange(Math.max(0, first - entries.folders.length), Math.max(0, last - entries.folders.length))
      }
      {...(sorting ? { sorting } : {})}
      onSort={({ column: id, descending }) => {
        const [ascending, other] = ORDERS[id]!;
        onSort((descending ? (other ?? ascending) : (ascending ?? other))!);
      }}
      {...(onChoose ? { chosen, onChoose, isChoosable } : {})}
      {...(props.keysBetween ? { keysBetween: props.keysBetween } : {})}
    />
  );
}

interface NameProps {
  readonly entry: Entry;
  readonly held: () => Chosen;
  readonly isMovable: boolean;
  readonly onMove: Props['onMove'];
  readonly actions: Props['actions'];
}

function Name({ entry, held, isMovable, onMove, actions }: NameProps): ReactNode {
  const { isOver, target } = useDropTarget(
    entry.kind === 'folder' ? entry.folder.id : null,
    entry.kind === 'folder' ? onMove : undefined,
  );
  return (
    <span
      {...(isMovable ? dragSource(held) : {})}
      {...target}
      className={classes(styles['name'], isOver && styles['over'])}
    >
      <span className={styles['thumb']}>
        {entry.kind === 'folder' ? <Folder size={18} /> : <FilePreview file={entry.file} width={40} small />}
      </span>
      <span dir="auto" className={styles['text']}>
        {nameOf(entry)}
      </span>
      {actions && (
        <span className={styles['menu']}>
          <EntryMenu entry={entry} actions={actions} />
        </span>
      )}
    </span>
  );
}
