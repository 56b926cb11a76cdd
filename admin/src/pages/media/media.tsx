/** The library. Its state is in its address. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import type { Folder, LibraryFile } from '../../../contract/media.ts';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { request } from '../../data/client.ts';
import { KINDS, type LibrarySearch, type LibraryState, searchOf, stateOf } from '../../data/library-state.ts';
import { useKeys } from '../../keys/keys.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { Browse } from '../../media/browse.tsx';
import { chosenText } from '../../media/chosen-text.ts';
import { type Chosen, inRequests, libraryChanged, useFolders, useMayFiles } from '../../media/data.ts';
import { DeleteDialog } from '../../media/delete-dialog.tsx';
import { DropAnywhere } from '../../media/drop.tsx';
import { chosenOf } from '../../media/entries.ts';
import type { EntryActions } from '../../media/entry-menu.tsx';
import { FilePanel } from '../../media/file-panel.tsx';
import { FolderDialog } from '../../media/folder-dialog.tsx';
import { MoveDialog } from '../../media/move-dialog.tsx';
import { startUploads } from '../../media/uploads.ts';
import { MOST_CHOSEN } from '../../media/use-all-entries.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { FolderInput, FolderPlus, Trash, Upload, X } from '../../ui/icons.ts';
import { useOneChoice } from '../../ui/list-selection.ts';
import { useToasts } from '../../ui/toast.tsx';
import styles from './media.module.css';

/** The open layer above the page. */
type Above =
  | { readonly kind: 'folder'; readonly folder?: Folder | undefined }
  | { readonly kind: 'move'; readonly chosen: Chosen }
  | { readonly kind: 'delete'; readonly chosen: Chosen; readonly name?: string | undefined };

const NONE: ReadonlySet<string> = new Set();

function chooseAllText(t: Text, count: number, mayChangeAll: boolean): string {
  if (!mayChangeAll) return t('media.chooseOwn');
  return count > MOST_CHOSEN ? t('lists.chooseFirst', { count: MOST_CHOSEN }) : t('lists.chooseAll', { count });
}

export function Media(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const search: LibrarySearch = useSearch({ strict: false });
  const state = useMemo(() => stateOf(search), [search]);
  const may = useMayFiles();
  const tree = useFolders();
  // Opening a file, or switching to the table, does not change the list.
  const choice = useOneChoice(`${state.folder} ${state.kinds} ${state.text.trim()}`);
  const { chosen, choose } = choice;
  const [above, setAbove] = useState<Above>();
  const [loaded, setLoaded] = useState<readonly LibraryFile[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const name = tree.nameOf(state.folder);
  useTitle(state.folder === null ? t('media.title') : name);

  const go = (next: LibrarySearch, replace: boolean): void =>
    void navigate({ to: '/media' as never, search: next as never, replace });
  const setState = (change: Partial<LibraryState>): void => {
    // A folder is a step in the history of the browser, a letter of a search is not.
    go(searchOf({ ...state, ...change }), change.folder === undefined);
  };
  const openFile = (id: number | undefined): void => go({ ...searchOf(state), file: id }, search.file !== undefined);
  const upload = useCallback((files: readonly File[]): void => startUploads(files, state.folder), [state.folder]);

  const send = async (items: Chosen, to: number | null): Promise<void> => {
    try {
      for (const { files, folders } of inRequests(items)) {
        await request('POST files/move', { body: { files: [...files], folders: [...folders], to } });
      }
    } finally {
      // Some of many files may have been moved already.
      await libraryChanged(client);
    }
  };
  const move = async (items: Chosen, to: number | null): Promise<void> => {
    const from = state.folder;
    setAbove(undefined);
    try {
      await send(items, to);
      choose(NONE);
      // Search results come from several folders, so moving them cannot be undone.
      const undo = state.text === '' ? { undo: () => void send(items, from) } : {};
      show({ text: t('media.moved', { what: chosenText(t, items), name: tree.nameOf(to) }), ...undo });
    } catch (error) {
      show({ text: failureText(t, error), tone: 'danger' });
    }
  };
  const nameOfOne = ({ files, folders }: Chosen): string | undefined => {
    if (files.length + folders.length !== 1) return undefined;
    const [id] = files;
    return id === undefined ? tree.byId.get(folders[0]!)?.name : loaded.find((file) => file.id === id)?.name;
  };
  const actions: EntryActions | undefined = may.update
    ? {
        open: (entry) =>
          entry.kind === 'folder' ? setState({ folder: entry.folder.id, text: '' }) : openFile(entry.file.id),
        rename: (entry) => entry.kind === 'folder' && setAbove({ kind: 'folder', folder: entry.folder }),
        move: (items) => setAbove({ kind: 'move', chosen: items }),
        remove: (items) => setAbove({ kind: 'delete', chosen: items, name: nameOfOne(items) }),
      }
    : undefined;
  const own = chosenOf(chosen);
  const group = t('media.keys');
  useKeys([
    ...(may.read ? [{ keys: '/', label: t('media.search'), group, run: () => searchField.current?.focus() }] : []),
    ...(may.create ? [{ keys: 'c', label: t('media.upload'), group, run: () => input.current?.click() }] : []),
    ...(may.update && chosen.size > 0
      ? [
          { keys: 'm', label: t('media.keys.move'), group, run: () => actions!.move(own) },
          { keys: 'Delete', label: t('media.keys.delete'), group, run: () => actions!.remove(own) },
        ]
      : []),
    ...(chosen.size > 0 ? [{ keys: 'Escape', label: t('media.clear'), group, run: () => choose(NONE) }] : []),
  ]);
  const place = loaded.findIndex(({ id }) => id === search.file);
  const neighbour = (step: number): (() => void) | undefined => {
    const next = place < 0 ? undefined : loaded[place + step];
    return next && (() => openFile(next.id));
  };

  return (
    <div className={styles['page']}>
      <PageHead title={state.folder === null ? t('media.title') : name}>
        {may.create && (
          <>
            {may.read && (
              <Button look="quiet" icon={FolderPlus} onClick={() => setAbove({ kind: 'folder' })}>
                {t('media.newFolder')}
              </Button>
            )}
            <input
              ref={input}
              type="file"
              multiple
              hidden
              onChange={({ target }) => {
                upload([...(target.files ?? [])]);
                target.value = '';
              }}
            />
            <Button look="primary" icon={Upload} onClick={() => input.current?.click()}>
              {t('media.upload')}
            </Button>
          </>
        )}
      </PageHead>
      <Browse
        state={state}
        onState={setState}
        kinds={KINDS}
        chosen={chosen}
        onChoose={may.update ? choose : undefined}
        ask={choice.ask}
        onOpenFile={({ id }) => openFile(id)}
        actions={actions}
        onMove={may.update ? (items, to) => void move(items, to) : undefined}
        onUpload={may.create ? () => input.current?.click() : undefined}
        searchRef={searchField}
        onLoaded={setLoaded}
        isChoosable={(entry) => (entry.kind === 'folder' ? may.update : may.updateOf(entry.file))}
        bar={(all) =>
          chosen.size > 0 &&
          actions && (
            <div className={styles['chosen']}>
              <IconButton icon={X} label={t('media.clear')} onClick={() => choose(NONE)} />
              <span role="status">{t('media.chosen', { count: chosen.size })}</span>
              {!all.areChosen && (
                <Button look="quiet" busy={choice.isAsking} onClick={() => void all.choose()}>
                  {chooseAllText(t, all.count, may.updateAll)}
                </Button>
              )}
              <div className={styles['actions']}>
                <Button icon={FolderInput} onClick={() => actions.move(own)}>
                  {t('media.move')}
                </Button>
                <Button icon={Trash} onClick={() => actions.remove(own)}>
                  {t('media.delete')}
                </Button>
              </div>
            </div>
          )
        }
      />
      <DropAnywhere
        label={t('media.drop', { name })}
        onFiles={upload}
        disabled={!may.create || above !== undefined || search.file !== undefined}
      />
      {search.file !== undefined && (
        <FilePanel
          id={search.file}
          onClose={() => openFile(undefined)}
          onPrevious={neighbour(-1)}
          onNext={neighbour(1)}
          onMove={(items) => setAbove({ kind: 'move', chosen: items })}
          onDelete={(items, of) => setAbove({ kind: 'delete', chosen: items, name: of })}
        />
      )}
      {above?.kind === 'folder' && (
        <FolderDialog folder={above.folder} parent={state.folder} onClose={() => setAbove(undefined)} />
      )}
      {above?.kind === 'move' && (
        <MoveDialog
          chosen={above.chosen}
          from={state.folder}
          onClose={() => setAbove(undefined)}
          onMove={(to) => void move(above.chosen, to)}
        />
      )}
      {above?.kind === 'delete' && (
        <DeleteDialog
          chosen={above.chosen}
          name={above.name}
          onClose={() => setAbove(undefined)}
          onDeleted={() => {
            setAbove(undefined);
            choose(NONE);
            if (search.file !== undefined) openFile(undefined);
          }}
        />
      )}
    </div>
  );
}
