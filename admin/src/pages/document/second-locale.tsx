/** Another locale of the document beside the form, read-only. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import { localeName } from '../../data/locales.ts';
import { DocumentForm } from '../../form/document-form.tsx';
import { withCounts } from '../../form/values/links.ts';
import { useText } from '../../language/language.tsx';
import { Skeleton, StateMark } from '../../ui/bits.tsx';
import { IconButton } from '../../ui/button.tsx';
import { X } from '../../ui/icons.ts';
import styles from './document.module.css';
import { documentQuery } from './document-query.ts';
import { useInSight } from './scrolling.ts';

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly documentId: string;
  readonly locale: string;
  readonly onClose: () => void;
}

export function Beside({ schema, model, documentId, locale, onClose }: Props): ReactNode {
  const t = useText();
  const place = useInSight();
  const { data } = useQuery(documentQuery(model.uid, documentId, locale));
  const name = localeName(schema, locale);
  const state = data?.states[locale];
  return (
    <section ref={place} className={styles['beside']} aria-label={name} data-level>
      <header className={styles['besideHead']}>
        <h2>{state && model.draftAndPublish ? <StateMark state={state} label={name} small /> : name}</h2>
        <IconButton icon={X} label={t('close')} onClick={onClose} />
      </header>
      {data?.draft ? (
        <DocumentForm
          model={model}
          schema={schema}
          documentId={documentId}
          locale={locale}
          value={withCounts(schema, model, data.draft, data)}
          published={null}
          errors={[]}
          readOnly
          isLevel
          onChange={() => {}}
        />
      ) : (
        <Skeleton width="60%" />
      )}
    </section>
  );
}
