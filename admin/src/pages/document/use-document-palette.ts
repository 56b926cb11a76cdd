/** The actions of the open document in the palette. */
import type { ContentType } from '../../../contract/contract.ts';
import { fit, type PaletteItem, usePaletteSource } from '../../app/palette-sources.tsx';
import { useText } from '../../language/language.tsx';
import type { Icon } from '../../ui/icon.tsx';
import { Check, Clock, Copy, Eye, Globe, RotateCcw, Trash, Undo2 } from '../../ui/icons.ts';
import type { MenuActions } from './document-menu.tsx';

interface Options {
  readonly model: ContentType;
  /** The name of the document. */
  readonly name: string;
  readonly menu: MenuActions;
  /** Undefined if there is nothing to publish or save, or if it is not permitted. */
  readonly onPublish: (() => void) | undefined;
  readonly onSchedule: (() => void) | undefined;
  readonly preview: { readonly isOpen: boolean; readonly onToggle: () => void } | undefined;
  /** The other locales that can be opened. */
  readonly locales: readonly { readonly code: string; readonly name: string }[];
  readonly onLocale: (code: string) => void;
}

export function useDocumentPalette({
  model,
  name,
  menu,
  onPublish,
  onSchedule,
  preview,
  locales,
  onLocale,
}: Options): void {
  const t = useText();
  const item = (id: string, label: string, icon: Icon, run: (() => void) | undefined, keys?: string): PaletteItem[] =>
    run ? [{ id, label, icon, run, group: name, isOfPage: true, ...(keys === undefined ? {} : { keys }) }] : [];
  usePaletteSource((text) =>
    [
      ...(model.draftAndPublish
        ? item('publish', t('document.publish'), Check, onPublish, 'mod+shift+p')
        : item('save', t('save'), Check, onPublish, 'mod+s')),
      ...item('schedule', t('schedule.open'), Clock, onSchedule),
      ...item('unpublish', t('document.unpublish'), Undo2, menu.onUnpublish),
      ...item('discard', t('document.discard'), RotateCcw, menu.onDiscard),
      ...item('duplicate', t('document.duplicate'), Copy, menu.onDuplicate),
      ...item(
        'preview',
        t(preview?.isOpen ? 'document.preview.hide' : 'document.preview.show'),
        Eye,
        preview?.onToggle,
      ),
      ...locales.flatMap(({ code, name: locale }) =>
        item(`locale ${code}`, t('document.locale.go', { locale }), Globe, () => onLocale(code)),
      ),
      ...menu.fills.flatMap(({ code, name: locale, run }) =>
        item(`fill ${code}`, t('document.fill.from', { locale }), Globe, run),
      ),
      ...item('delete', t('document.delete'), Trash, menu.onDelete),
    ].filter(({ label }) => fit(label, text) !== undefined),
  );
}
