/** Names the linked documents that the site does not show because they are unpublished. */
import { type ReactNode, useDeferredValue, useMemo } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import { linkedDrafts } from '../../form/values/links.ts';
import type { Values } from '../../form/values/model.ts';
import { useLanguage, useText } from '../../language/language.tsx';
import styles from './document.module.css';

/** The number of documents that are named; more are counted. */
const NAMED = 3;

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly values: Values;
}

export function LinkedDrafts({ schema, model, values }: Props): ReactNode {
  const t = useText();
  const language = useLanguage();
  const deferred = useDeferredValue(values);
  const { links, unread } = useMemo(() => linkedDrafts(schema, model, deferred), [schema, model, deferred]);
  const count = links.length + unread;
  if (count === 0) return null;
  const labels = links.map(({ label }) => label || t('document.untitled'));
  const names = new Intl.ListFormat(language, { type: 'conjunction' }).format(labels);
  return (
    <p className={styles['quiet']}>
      {count > NAMED || unread > 0
        ? t('document.drafts.many', { count })
        : t(count === 1 ? 'document.drafts.one' : 'document.drafts.several', { names })}
    </p>
  );
}
