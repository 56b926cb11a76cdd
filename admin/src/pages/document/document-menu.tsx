/** The menu of further actions on a document. */
import type { ReactNode } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { useText } from '../../language/language.tsx';
import type { ContentState } from '../../ui/bits.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Copy, Ellipsis, Globe, RotateCcw, Send, Trash, Undo2 } from '../../ui/icons.ts';
import { Menu, MenuItem, MenuRule } from '../../ui/menu.tsx';

type Run = () => void;

/** The actions on a document; undefined for those that are not permitted or not possible now. */
export interface MenuActions {
  readonly onDuplicate: Run | undefined;
  /** Other locales with a version, from which empty fields can be filled. */
  readonly fills: readonly { readonly code: string; readonly name: string; readonly run: Run }[];
  readonly onDiscard: Run | undefined;
  readonly onUnpublish: Run | undefined;
  /** Adds the version to a release. */
  readonly onAddToRelease: Run | undefined;
  readonly onDelete: Run | undefined;
}

interface Offer {
  readonly model: ContentType;
  readonly may: DocumentAnswer['may'];
  /** Whether the administrator may create a document with all these versions. */
  readonly mayDuplicate: boolean;
  readonly state: ContentState | undefined;
  /** Whether the draft differs from the published version. */
  readonly isChanged: boolean;
  readonly others: readonly { readonly code: string; readonly name: string }[];
  readonly onFill: (from: string) => void;
  readonly onDuplicate: Run;
  readonly onDiscard: Run;
  readonly onUnpublish: Run;
  /** Undefined without the right to it. */
  readonly onAddToRelease: Run | undefined;
  readonly onDelete: Run;
}

/** The actions that are permitted and possible now. */
export function menuActions({ model, may, mayDuplicate, state, isChanged, others, ...run }: Offer): MenuActions {
  const { draftAndPublish } = model;
  const isOnSite = state !== undefined && state !== 'draft';
  return {
    onDuplicate: mayDuplicate ? run.onDuplicate : undefined,
    fills: may.update ? others.map(({ code, name }) => ({ code, name, run: () => run.onFill(code) })) : [],
    onDiscard:
      draftAndPublish && may.update && isOnSite && (isChanged || state === 'modified') ? run.onDiscard : undefined,
    onUnpublish: draftAndPublish && may.publish && isOnSite ? run.onUnpublish : undefined,
    onAddToRelease: draftAndPublish ? run.onAddToRelease : undefined,
    onDelete: may.delete ? run.onDelete : undefined,
  };
}

interface Props {
  readonly model: ContentType;
  readonly may: DocumentAnswer['may'];
  readonly actions: MenuActions;
}

export function DocumentMenu({ model, may, actions }: Props): ReactNode {
  const t = useText();
  const { draftAndPublish } = model;
  const { onDuplicate, fills, onDiscard, onUnpublish, onAddToRelease, onDelete } = actions;
  const changesState = draftAndPublish && (may.update || may.publish);
  const isEmpty = !onDuplicate && !onAddToRelease && !changesState && fills.length === 0;
  if (isEmpty && !onDelete) return null;
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('document.more')} />}>
      {onDuplicate && (
        <MenuItem icon={Copy} onSelect={onDuplicate}>
          {t('document.duplicate')}
        </MenuItem>
      )}
      {fills.map(({ code, name, run }) => (
        <MenuItem key={code} icon={Globe} onSelect={run}>
          {t('document.fill.from', { locale: name })}
        </MenuItem>
      ))}
      {draftAndPublish && may.update && (
        <MenuItem icon={RotateCcw} disabled={!onDiscard} onSelect={() => onDiscard?.()}>
          {t('document.discard')}
        </MenuItem>
      )}
      {draftAndPublish && may.publish && (
        <MenuItem icon={Undo2} disabled={!onUnpublish} onSelect={() => onUnpublish?.()}>
          {t('document.unpublish')}
        </MenuItem>
      )}
      {onAddToRelease && (
        <MenuItem icon={Send} onSelect={onAddToRelease}>
          {t('releases.add')}
        </MenuItem>
      )}
      {onDelete && (
        <>
          {!isEmpty && <MenuRule />}
          <MenuItem icon={Trash} dangerous onSelect={onDelete}>
            {t('document.delete')}
          </MenuItem>
        </>
      )}
    </Menu>
  );
}
