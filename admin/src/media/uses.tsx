/** Links to the documents that use files. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FileUse } from '../../contract/media.ts';
import { schemaQuery } from '../data/schema.ts';
import { useText } from '../language/language.tsx';
import { typeLabel } from '../language/type-name.ts';
import { DocumentName, StateMark } from '../ui/bits.tsx';
import styles from './uses.module.css';

interface Props {
  readonly uses: readonly FileUse[];
  /** The maximum number of links. */
  readonly most?: number;
}

export function UseList({ uses, most = uses.length }: Props): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  const types = new Map(schema?.contentTypes.map((type) => [type.uid, typeLabel(t, type)]));
  return (
    <ul className={styles['list']}>
      {uses.slice(0, most).map((use) => (
        <li key={`${use.uid} ${use.documentId} ${use.locale}`}>
          <Link
            to={'/content/$uid/$documentId' as never}
            params={{ uid: use.uid, documentId: use.documentId } as never}
            search={(use.locale === null ? {} : { locale: use.locale }) as never}
            className={styles['use']}
            title={t(`media.uses.${use.state}`)}
          >
            <StateMark state={use.state} />
            <span dir="auto" className={styles['label']}>
              <DocumentName {...use} />
            </span>
            <span className={styles['note']}>
              {[types.get(use.uid) ?? use.uid.split('.').at(-1), use.locale].filter(Boolean).join(' · ')}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
