/** What narrows and orders the library: search, kinds, order, grid or list. */
import { type ReactNode, type Ref, useId } from 'react';
import type { LibraryState } from '../data/library-state.ts';
import { KINDS, type Kind, SORTS, type SortName } from '../data/library-state.ts';
import { useText } from '../language/language.tsx';
import { IconButton } from '../ui/button.tsx';
import { LayoutGrid, List, Search, X } from '../ui/icons.ts';
import { Select } from '../ui/input.tsx';
import styles from './toolbar.module.css';

interface Props {
  readonly state: LibraryState;
  readonly onState: (change: Partial<LibraryState>) => void;
  /** The kinds there are to choose from. */
  readonly kinds: readonly Kind[];
  /** What is searched. */
  readonly place: string;
  readonly searchRef?: Ref<HTMLInputElement>;
}

export function Toolbar({ state, onState, kinds, place, searchRef }: Props): ReactNode {
  const t = useText();
  const id = useId();
  const label = state.folder === null ? t('media.search') : t('media.searchIn', { name: place });
  const toggle = (kind: Kind): void => {
    const isOn = state.kinds.includes(kind);
    onState({ kinds: isOn ? state.kinds.filter((other) => other !== kind) : [...state.kinds, kind] });
  };
  return (
    <div className={styles['bar']}>
      <div className={styles['search']}>
        <Search size={15} />
        <input
          ref={searchRef}
          type="search"
          aria-label={label}
          placeholder={label}
          value={state.text}
          onChange={(event) => onState({ text: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' || state.text === '') return;
            event.stopPropagation();
            event.preventDefault();
            onState({ text: '' });
          }}
        />
        {state.text !== '' && (
          <IconButton icon={X} label={t('media.none.clear')} onClick={() => onState({ text: '' })} />
        )}
      </div>
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
