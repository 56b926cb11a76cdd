/** The toolbar of the library: search, kinds, order, and the choice between grid and list. */
import { type ReactNode, type Ref, useId } from 'react';
import type { LibraryState } from '../data/library-state.ts';
import { KINDS, type Kind, SORTS, type SortName } from '../data/library-state.ts';
import { useText } from '../language/language.tsx';
import { IconButton } from '../ui/button.tsx';
import type { Boxes } from '../ui/data-table-head.tsx';
import { LayoutGrid, List } from '../ui/icons.ts';
import { Select } from '../ui/input.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { BareCheckbox } from '../ui/toggle.tsx';
import styles from './toolbar.module.css';

interface Props {
  readonly state: LibraryState;
  readonly onState: (change: Partial<LibraryState>) => void;
  /** The kinds to choose from. */
  readonly kinds: readonly Kind[];
  /** The folder that is searched. */
  readonly place: string;
  readonly searchRef?: Ref<HTMLInputElement>;
  /** The checkbox that selects all. The list has it in its head, the grid has not. */
  readonly box?: Boxes;
}

export function Toolbar({ state, onState, kinds, place, searchRef, box }: Props): ReactNode {
  const t = useText();
  const id = useId();
  const label = state.folder === null ? t('media.search') : t('media.searchIn', { name: place });
  const toggle = (kind: Kind): void => {
    const isOn = state.kinds.includes(kind);
    onState({ kinds: isOn ? state.kinds.filter((other) => other !== kind) : [...state.kinds, kind] });
  };
  return (
    <div className={styles['bar']}>
      <SearchField
        inputRef={searchRef}
        label={label}
        value={state.text}
        onValue={(text) => onState({ text })}
        clearLabel={t('media.none.clear')}
      />
      {kinds.length > 1 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend in sight
        <div role="group" aria-label={t('media.kinds')} className={styles['kinds']}>
          {KINDS.filter((kind) => kinds.includes(kind)).map((kind) => (
            <button
              key={kind}
              type="button"
              className={styles['kind']}
              aria-pressed={state.kinds.includes(kind)}
              onClick={() => toggle(kind)}
            >
              {t(`media.kind.${kind}`)}
            </button>
          ))}
        </div>
      )}
      <div className={styles['end']}>
        {box && (
          <span className={styles['all']}>
            <BareCheckbox label={t('list.chooseAll')} checked={box.state} onValue={box.onAll} />
            <span aria-hidden="true">{t('list.all')}</span>
          </span>
        )}
        <div className={styles['sort']}>
          <Select
            id={`${id}-sort`}
            aria-label={t('media.sort')}
            value={state.sort}
            options={(Object.keys(SORTS) as SortName[]).map((value) => ({ value, label: t(`media.sort.${value}`) }))}
            onValue={(value) => onState({ sort: value as SortName })}
          />
        </div>
        <IconButton
          icon={state.view === 'grid' ? List : LayoutGrid}
          label={t(state.view === 'grid' ? 'media.list' : 'media.grid')}
          onClick={() => onState({ view: state.view === 'grid' ? 'list' : 'grid' })}
        />
      </div>
    </div>
  );
}
