/** Selecting files of the library. The dialog is loaded when it is opened. */
import { lazy, type ReactNode, Suspense } from 'react';
import type { MediaFile } from '../../contract/media.ts';

export { FilePreview } from './preview.tsx';
export { uploadFiles } from './upload-files.ts';

export interface MediaPickerProps {
  readonly open: boolean;
  /** Whether several files can be selected. */
  readonly multiple: boolean;
  /** As in the attribute: `['images', 'videos']`; undefined for all. */
  readonly allowedTypes: readonly string[] | undefined;
  /** The files that are selected at first, in order. */
  readonly chosen: readonly MediaFile[];
  readonly onClose: () => void;
  /** Called with all selected files in order. The dialog then closes. */
  readonly onChoose: (files: readonly MediaFile[]) => void;
}

const Inside = lazy(() => import('./picker-dialog.tsx').then(({ PickerDialog }) => ({ default: PickerDialog })));

export function MediaPicker({ open, ...rest }: MediaPickerProps): ReactNode {
  return <Suspense>{open && <Inside {...rest} />}</Suspense>;
}
