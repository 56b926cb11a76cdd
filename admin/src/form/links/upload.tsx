/** Uploading files into a field, and the errors of that. */
import { type ReactNode, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { allowedKinds, kindOf } from '../../media/kinds.ts';
import { uploadFiles } from '../../media/upload-files.ts';
import type { MediaFile } from '../values/links.ts';
import styles from './links.module.css';

interface Uploading {
  readonly upload: (list: readonly File[]) => Promise<void>;
  /** The number of running uploads. */
  readonly onTheWay: number;
  /** The errors of failed uploads. */
  readonly failures: readonly string[];
  readonly clearFailures: () => void;
}

/**
 * @param allowedTypes as in the attribute; undefined for all.
 * @param begin called before an upload. Returns a function that takes the stored files.
 */
export function useUpload(
  allowedTypes: readonly string[] | undefined,
  begin: () => (files: readonly MediaFile[]) => void,
): Uploading {
  const t = useText();
  const [onTheWay, setOnTheWay] = useState(0);
  const [failures, setFailures] = useState<readonly string[]>([]);
  const upload = async (list: readonly File[]): Promise<void> => {
    const kinds = allowedKinds(allowedTypes);
    const fits = (file: File) => kinds.includes(kindOf({ mime: file.type }));
    const accepted = list.filter(fits);
    const refused = list.filter((file) => !fits(file)).map(({ name }) => t('files.refused', { name }));
    setFailures(refused);
    if (accepted.length === 0) return;
    const insert = begin();
    setOnTheWay((before) => before + accepted.length);
    const { files, failed } = await uploadFiles(accepted, { folder: null });
    setOnTheWay((before) => before - accepted.length);
    const reasons = failed.map(({ file, error }) =>
      t('files.failed', { name: file.name, reason: failureText(t, error) }),
    );
    setFailures([...refused, ...reasons]);
    if (files.length > 0) insert(files);
  };
  return { upload, onTheWay, failures, clearFailures: () => setFailures([]) };
}

export function Failures({ texts }: { readonly texts: readonly string[] }): ReactNode {
  return texts.map((text) => (
    <p key={text} className={styles['failures']} role="alert">
      {text}
    </p>
  ));
}
