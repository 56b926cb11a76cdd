/** The name of a document to be seen: what is no name of its own is said quietly. */
import type { ReactNode } from 'react';
import { documentName, type Named } from '../language/document-name.ts';
import { useText } from '../language/language.tsx';
import styles from './bits.module.css';

export function DocumentName({ documentId, label }: Named): ReactNode {
  const t = useText();
  return label ?? <span className={styles['unnamed']}>{documentName(t, { documentId, label })}</span>;
}
