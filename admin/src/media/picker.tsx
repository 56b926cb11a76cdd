/** Choosing files from the library, for whatever needs some. */
import type { ReactNode } from 'react';
import type { MediaFile } from '../../contract/media.ts';
import { useText } from '../language/language.tsx';
import { Dialog } from '../ui/dialog.tsx';

export { FilePreview } from './preview.tsx';
export { uploadFiles } from './upload-files.ts';

export interface MediaPickerProps {
  readonly open: boolean;
  /** Whether several may be chosen. */
  readonly multiple: boolean;
  /** As the attribute says it: `['images', 'videos']`; undefined: all. */
  readonly allowedTypes: readonly string[] | undefined;
  /** What is chosen already, in its order. */
  readonly chosen: readonly MediaFile[];
  readonly onClose: () => void;
  /** Called with everything that is chosen, in its order; it is closed then. */
  readonly onChoose: (files: readonly MediaFile[]) => void;
}

export function MediaPicker({ open, multiple, onClose }: MediaPickerProps): ReactNode {
  const t = useText();
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={t(multiple ? 'picker.titleSeveral' : 'picker.title')}
      wide
    />
  );
}
