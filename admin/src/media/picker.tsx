/** Choosing files from the library, for whatever needs some: loaded when it is opened. */
import { lazy, type ReactNode, Suspense } from 'react';
import type { MediaFile } from '../../contract/media.ts';

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

const Inside = lazy(() => import('./picker-dialog.tsx').then(({ PickerDialog }) => ({ default: PickerDialog })));

export function MediaPicker({ open, ...rest }: MediaPickerProps): ReactNode {
  return <Suspense>{open && <Inside {...rest} />}</Suspense>;
}
