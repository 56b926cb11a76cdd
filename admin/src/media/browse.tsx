/** The library, as the page and the picker show it: filters, folders and entries. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type Ref, useEffect } from 'react';
import type { LibraryFile } from '../../contract/media.ts';
import { RefusedError } from '../data/client.ts';
import { KINDS, type Kind, type LibraryState } from '../data/library-state.ts';
import { useText } from '../language/language.tsx';
import { EmptyState, Skeleton } from '../ui/bits.tsx';
import { Button } from '../ui/button.tsx';
import { Image, Lock, Search, Upload } from '../ui/icons.ts';
import type { OneChoice } from '../ui/list-selection.ts';
import { Breadcrumbs } from './breadcrumbs.tsx';
import styles from './browse.module.css';
import { type Chosen, libraryChanged, useFolders, useMayFiles } from './data.ts';
import { type Entry, entriesOf } from './entries.ts';
import { EntryList } from './entry-list.tsx';
import type { EntryActions } from './entry-menu.tsx';
import { Grid } from './grid.tsx';
import { Toolbar } from './toolbar.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { whenStored } from './uploads.ts';
import { type AllEntries, useAllEntries } from './use-all-entries.ts';
import { useFiles, useSettled } from './use-files.ts';

interface Props {
  readonly state: LibraryState;
  readonly onState: (change: Partial<LibraryState>) => void;
  readonly kinds: readonly Kind[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: ((chosen: ReadonlySet<string>) => void) | undefined;
  /** As in `useAllEntries`. */
  readonly ask?: OneChoice['ask'] | undefined;
  readonly isChoosable?: (entry: Entry) => boolean;
  readonly onOpenFile: (file: LibraryFile) => void;
  readonly actions?: EntryActions | undefined;
  readonly onMove?: ((chosen: Chosen, to: number | null) => void) | undefined;
  /** Opens the file dialog; undefined if the administrator may not upload. */
  readonly onUpload: (() => void) | undefined;
  readonly searchRef?: Ref<HTMLInputElement>;
  /** Called with the files that were loaded, in order. */
  readonly onLoaded?: (files: readonly LibraryFile[]) => void;
  /** Content above the entries. It is called with a function set for selecting all entries. */
  readonly bar?: (all: AllEntries) => ReactNode;
}

/** The pause in typing, in milliseconds, after which the server is searched. */
const TYPED = 120;
/** The milliseconds between storing a file and refetching the list. */
const STORED = 250;
/** The number of placeholder tiles. */
const EXPECTED = 12;

export function Browse(props: Props): ReactNode {
  const { state, onState, kinds, chosen, onChoose, onOpenFile, actions, onMove, onUpload } = props;
  const t = useText();
  const client = useQueryClient();
  const tree = useFolders();
  const text = useSettled(state.text.trim(), TYPED);
  // If only some kinds are allowed, no others are shown.
  const wantedKinds = state.kinds.length > 0 ? state.kinds : kinds.length === KINDS.length ? [] : kinds;
  const may = useMayFiles();
  const wanted = { folder: state.folder, text, kinds: wantedKinds, sort: state.sort };
  const files = useFiles(wanted, may.read);
  const isClosed = !may.read || isForbidden(files.error);
  useEffect(() => {
    // Many small files may be stored in quick succession.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const forget = whenStored(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void libraryChanged(client);
      }, STORED);
    });
    return () => {
      clearTimeout(timer);
      forget();
    };
  }, [client]);
  const { onLoaded } = props;
  const { loaded } = files;
  const seen = loaded.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: announced once for each list, not for each picture
  useEffect(() => onLoaded?.(loaded), [seen]);

  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const isSearch = words.length > 0;
  const folders = isSearch
    ? [...tree.byId.values()].filter(({ name }) => words.every((word) => name.toLocaleLowerCase().includes(word)))
    : state.kinds.length > 0
      ? []
      : tree.inside(state.folder);
  const entries = entriesOf(folders, files);
  const openEntry = (entry: Entry): void => {
    if (entry.kind === 'file') onOpenFile(entry.file);
    else onState({ folder: entry.folder.id, text: '' });
  };
  const { isChoosable = () => true } = props;
  const isComing = files.isStale || text !== state.text.trim();
  const all = useAllEntries({ wanted, entries, chosen, onChoose, ask: props.ask, isComing, isChoosable });
  const common = {
    entries,
    chosen,
    onChoose,
    isChoosable,
    keysBetween: all.keysBetween,
    onOpen: openEntry,
    onRange: files.onRange,
    actions,
    onMove,
  };
  return (
    <div className={styles['browse']}>
      {!isClosed && (
        <div>
          <Breadcrumbs
            tree={tree}
            folder={state.folder}
            onFolder={(folder) => onState({ folder, text: '' })}
            onMove={onMove}
          />
          <Toolbar
            state={state}
            onState={onState}
            kinds={kinds}
            place={tree.nameOf(state.folder)}
            {...(props.searchRef === undefined ? {} : { searchRef: props.searchRef })}
            {...(props.bar && onChoose && state.view === 'grid' && entries.count > 0
              ? { box: { state: all.state, onAll: all.chooseLoaded } }
              : {})}
          />
          {props.bar?.(all)}
        </div>
      )}
      <div className={styles['list']}>
        {isClosed ? (
          <EmptyState icon={Lock} title={t('media.forbidden.title')} text={t('media.forbidden.text')} />
        ) : files.isPending || (tree.isPending && entries.count === 0) ? (
          <Expected />
        ) : entries.count === 0 ? (
          isSearch || state.kinds.length > 0 ? (
            <EmptyState
              icon={Search}
              title={t('media.none.title')}
              text={t(isSearch ? 'media.none.text' : 'media.none.kind')}
              action={<Button onClick={() => onState({ text: '', kinds: [] })}>{t('media.none.clear')}</Button>}
            />
          ) : (
            <EmptyState
              icon={Image}
              title={t('media.empty.title')}
              text={t(onUpload ? 'media.empty.text' : 'media.empty.read')}
              action={
                onUpload && (
                  <Button look="primary" icon={Upload} onClick={onUpload}>
                    {t('media.upload')}
                  </Button>
                )
              }
            />
          )
        ) : state.view === 'grid' ? (
          <Grid {...common} />
        ) : (
          <EntryList {...common} sort={state.sort} onSort={(sort) => onState({ sort })} isSearch={isSearch} />
        )}
      </div>
      <UploadPanel />
    </div>
  );
}

const isForbidden = (error: unknown): boolean => error instanceof RefusedError && error.status === 403;

function Expected(): ReactNode {
  return (
    <div className={styles['expected']}>
      {Array.from({ length: EXPECTED }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={index} height="130px" />
      ))}
    </div>
  );
}
