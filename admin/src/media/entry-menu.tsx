/** The menu of a file or folder. */
import type { ReactNode } from 'react';
import { useText } from '../language/language.tsx';
import { IconButton } from '../ui/button.tsx';
import { Ellipsis, FolderInput, Pencil, SquarePen, Trash } from '../ui/icons.ts';
import { Menu, MenuItem, MenuRule } from '../ui/menu.tsx';
import { type Chosen, useMayFiles } from './data.ts';
import { chosenOf, type Entry, keyOf, nameOf } from './entries.ts';

export interface EntryActions {
  readonly open: (entry: Entry) => void;
  readonly rename: (entry: Entry) => void;
  readonly move: (chosen: Chosen) => void;
  readonly remove: (chosen: Chosen) => void;
}

export function EntryMenu({ entry, actions }: { readonly entry: Entry; readonly actions: EntryActions }): ReactNode {
  const t = useText();
  const own = chosenOf([keyOf(entry)]);
  const may = useMayFiles();
  const mayChange = entry.kind === 'folder' ? may.update : may.updateOf(entry.file);
  return (
    <Menu
      align="end"
      trigger={<IconButton icon={Ellipsis} label={t('media.more', { name: nameOf(entry) })} tabIndex={-1} />}
    >
      <MenuItem icon={SquarePen} keys="enter" onSelect={() => actions.open(entry)}>
        {t('media.open')}
      </MenuItem>
      {entry.kind === 'folder' && (
        <MenuItem icon={Pencil} onSelect={() => actions.rename(entry)}>
          {t('media.rename')}
        </MenuItem>
      )}
      {mayChange && (
        <>
          <MenuItem icon={FolderInput} onSelect={() => actions.move(own)}>
            {t('media.move')}
          </MenuItem>
          <MenuRule />
          <MenuItem icon={Trash} dangerous onSelect={() => actions.remove(own)}>
            {t('media.delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
