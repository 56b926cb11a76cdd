/** A table of a hundred thousand generated rows. */
import { type ReactNode, useMemo, useState } from 'react';
import { useText } from '../language/language.tsx';
import { type ContentState, StateMark } from '../ui/bits.tsx';
import type { Column, Sorting } from '../ui/data-column.ts';
import { DataTable } from '../ui/data-table.tsx';
import { SAMPLE_AUTHORS, SAMPLE_TITLES } from './sample-names.ts';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly state: ContentState;
  readonly author: string;
  readonly changed: string;
}

const COUNT = 100_000;
const STATES: readonly ContentState[] = ['modified', 'published', 'draft', 'published'];

function rowOf(index: number): Row {
  return {
    id: String(index),
    title: `${SAMPLE_TITLES[index % SAMPLE_TITLES.length]}${index < SAMPLE_TITLES.length ? '' : ` ${index + 1}`}`,
    state: STATES[index % STATES.length]!,
    author: SAMPLE_AUTHORS[index % SAMPLE_AUTHORS.length]!,
    changed: index === 0 ? '2 min' : `${index} h`,
  };
}

export function SampleTable(): ReactNode {
  const t = useText();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['1']));
  const [sorting, setSorting] = useState<Sorting>({ column: 'changed', descending: false });
  const [opened, setOpened] = useState<string>();
  const columns = useMemo<readonly Column<Row>[]>(
    () => [
      { id: 'title', label: 'Title', width: 'minmax(160px, 1fr)', cell: ({ title }) => title, narrow: 'title' },
      {
        id: 'state',
        label: 'State',
        width: '110px',
        cell: ({ state }) => <StateMark state={state} label={t(`state.${state}`)} />,
        narrow: 'second',
      },
      { id: 'author', label: 'Author', width: '110px', cell: ({ author }) => author, narrow: 'wide' },
      {
        id: 'changed',
        label: 'Changed',
        width: '90px',
        cell: ({ changed }) => changed,
        align: 'end',
        narrow: 'second',
        sortable: true,
      },
    ],
    [t],
  );
  return (
    <>
      <DataTable<Row>
        label="Articles"
        height="360px"
        columns={columns}
        count={COUNT}
        rowAt={(index) => rowOf(sorting.descending ? COUNT - 1 - index : index)}
        keyOf={({ id }) => id}
        nameOf={({ title }) => title}
        onOpen={({ title }) => setOpened(title)}
        sorting={sorting}
        onSort={setSorting}
        chosen={chosen}
        onChoose={setChosen}
      />
      <p role="status">{opened}</p>
    </>
  );
}
