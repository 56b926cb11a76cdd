/** What else can be done with a document. */
import type { ReactNode } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import { useText } from '../../language/language.tsx';
import type { ContentState } from '../../ui/bits.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Copy, Ellipsis, RotateCcw, Trash, Undo2 } from '../../ui/icons.ts';
import { Menu, MenuItem, MenuRule } from '../../ui/menu.tsx';

interface Props {
  readonly model: ContentType;
  readonly state: ContentState | undefined;
  /** Whether the draft says something else than what is published. */
  readonly isChanged: boolean;
  readonly onDuplicate: () => void;
  readonly onDiscard: () => void;
  readonly onUnpublish: () => void;
  readonly onDelete: () => void;
}

export function DocumentMenu({
  model,
  state,
  isChanged,
  onDuplicate,
  onDiscard,
  onUnpublish,
  onDelete,
}: Props): ReactNode {
  const t = useText();
  const { actions, draftAndPublish, kind } = model;
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('document.more')} />}>
      {actions.create && kind === 'collectionType' && (
        <MenuItem icon={Copy} onSelect={onDuplicate}>
          {t('document.duplicate')}
        </MenuItem>
      )}
      {draftAndPublish && actions.update && (
        <MenuItem
          icon={RotateCcw}
          disabled={state === 'draft' || (!isChanged && state === 'published')}
          onSelect={onDiscard}
        >
          {t('document.discard')}
        </MenuItem>
      )}
      {draftAndPublish && actions.publish && (
        <MenuItem icon={Undo2} disabled={state === 'draft'} onSelect={onUnpublish}>
          {t('document.unpublish')}
        </MenuItem>
      )}
      {actions.delete && (
        <>
          <MenuRule />
          <MenuItem icon={Trash} dangerous onSelect={onDelete}>
            {t('document.delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
