/** The documents that link to documents to be deleted, each with its attribute. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schema } from '../../../contract/contract.ts';
import type { Uses } from '../../../contract/documents.ts';
import { useText } from '../../language/language.tsx';
import { DocumentName, StateMark } from '../../ui/bits.tsx';
import styles from './uses-list.module.css';

export function UsesList({ schema, uses }: { readonly schema: Schema; readonly uses: Uses['data'] }): ReactNode {
  const t = useText();
  return (
    <ul className={styles['uses']}>
      {uses.map(({ document, attribute, onSiteOnly }) => (
        <li key={`${document.type} ${document.documentId}`}>
          {document.state && <StateMark state={document.state} small />}
          <Link
            dir="auto"
            to="/content/$uid/$documentId"
            params={{ uid: document.type, documentId: document.documentId }}
            search={document.locale === null ? {} : { locale: document.locale }}
          >
            <DocumentName {...document} />
          </Link>
          <small>
            {attributeLabel(schema, document.type, attribute)}
            {onSiteOnly && ` · ${t('document.delete.onSite')}`}
          </small>
        </li>
      ))}
    </ul>
  );
}

function attributeLabel(schema: Schema, uid: string, path: string): string {
  const type = schema.contentTypes.find((known) => known.uid === uid);
  const name = path.split('.')[0];
  return type?.attributes.find((attribute) => attribute.name === name)?.label ?? path;
}
