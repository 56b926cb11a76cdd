/** What else can be done with a document. */
import type { ReactNode } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { useText } from '../../language/language.tsx';
import type { ContentState } from '../../ui/bits.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Copy, Ellipsis, RotateCcw, Trash, Undo2 } from '../../ui/icons.ts';
import { Menu, MenuItem, MenuRule } from '../../ui/menu.tsx';

interface Props {
  readonly model: ContentType;
  readonly may: DocumentAnswer['may'];
  /** Whether a document with all these versions may be made. */
  readonly mayDuplicate: boolean;
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
  may,
  mayDuplicate,
  state,
  isChanged,
  onDuplicate,
  onDiscard,
  onUnpublish,
  onDelete,
}: Props): ReactNode {
  const t = useText();
  const { draftAndPublish } = model;
  const changesState = draftAndPublish && (may.update || may.publish);
  if (!mayDuplicate && !may.delete && !changesState) return null;
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('document.more')} />}>
      {mayDuplicate && (
        <MenuItem icon={Copy} onSelect={onDuplicate}>
          {t('document.duplicate')}
        </MenuItem>
      )}
      {draftAndPublish && may.update && (
        <MenuItem
          icon={RotateCcw}
          disabled={state === 'draft' || (!isChanged && state === 'published')}
          onSelect={onDiscard}
        >
          {t('document.discard')}
        </MenuItem>
      )}
      {draftAndPublish && may.publish && (
        <MenuItem icon={Undo2} disabled={state === 'draft'} onSelect={onUnpublish}>
          {t('document.unpublish')}
        </MenuItem>
      )}
      {may.delete && (
        <>
          {(mayDuplicate || changesState) && <MenuRule />}
          <MenuItem icon={Trash} dangerous onSelect={onDelete}>
            {t('document.delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
