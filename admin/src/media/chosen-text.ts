/** The selection of the library in words. */
import type { Text } from '../language/messages.ts';

interface Ids {
  readonly files: readonly number[];
  readonly folders: readonly number[];
}

/** The number of selected files, folders or items. */
export function chosenText(t: Text, { files, folders }: Ids): string {
  const key = folders.length === 0 ? 'media.files' : files.length === 0 ? 'media.folders' : 'media.items';
  return t(key, { count: files.length + folders.length });
}
