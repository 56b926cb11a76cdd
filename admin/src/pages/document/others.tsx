/** Who else has the document open. */
import type { ReactNode } from 'react';
import type { Person } from '../../../contract/documents.ts';
import { useLanguage, useText } from '../../language/language.tsx';
import { Avatar } from '../../ui/bits.tsx';
import styles from './document.module.css';

/** Faces that are shown. */
const SHOWN = 3;

export function Others({ others }: { readonly others: readonly Person[] }): ReactNode {
  const t = useText();
  const language = useLanguage();
  const names = new Intl.ListFormat(language, { type: 'conjunction' }).format(others.map(({ name }) => name));
  const said = t(others.length === 1 ? 'document.others.one' : 'document.others.several', { names });
  return (
    // there from the beginning: who comes is read out
    <span role="status" className={styles['others']} title={others.length > 0 ? said : undefined}>
      {others.slice(0, SHOWN).map(({ id, name }) => (
        <Avatar key={id} name={name} />
      ))}
      {others.length > 0 && <span className={styles['othersNames']}>{said}</span>}
    </span>
  );
}
