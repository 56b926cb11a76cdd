/** What else can be done with a document. */
import type { ReactNode } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { useText } from '../../language/language.tsx';
import type { ContentState } from '../../ui/bits.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Copy, Ellipsis, Globe, RotateCcw, Trash, Undo2 } from '../../ui/icons.ts';
import { Menu, MenuItem, MenuRule } from '../../ui/menu.tsx';

interface Props {
  readonly model: ContentType;
  readonly may: DocumentAnswer['may'];
  /** Whether a document with all these versions may be made. */
  readonly mayDuplicate: boolean;
  readonly state: ContentState | undefined;
  /** Whether the draft says something else than what is published. */
  readonly isChanged: boolean;
  /** Other locales that have a version, from which what is empty can be filled in. */
  readonly others: readonly { readonly code: string; readonly name: string }[];
  readonly onFill: (from: string) => void;
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
  others,
  onFill,
  onDuplicate,
  onDiscard,
  onUnpublish,
  onDelete,
}: Props): ReactNode {
  const t = useText();
  const { draftAndPublish } = model;
  const changesState = draftAndPublish && (may.update || may.publish);
  const fills = may.update ? others : [];
  if (!mayDuplicate && !may.delete && !changesState && fills.length === 0) return null;
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('document.more')} />}>
      {mayDuplicate && (
        <MenuItem icon={Copy} onSelect={onDuplicate}>
          {t('document.duplicate')}
        </MenuItem>
      )}
      {fills.map(({ code, name }) => (
        <MenuItem key={code} icon={Globe} onSelect={() => onFill(code)}>
          {t('document.fill.from', { locale: name })}
        </MenuItem>
      ))}
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
          {(mayDuplicate || changesState || fills.length > 0) && <MenuRule />}
          <MenuItem icon={Trash} dangerous onSelect={onDelete}>
            {t('document.delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
