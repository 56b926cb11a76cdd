/** Parts that the pages of permissions and tokens share: requests, warnings, and names of subjects. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ActionSubject, SiteAction } from '../../../contract/permissions.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useText } from '../../language/language.tsx';
import { TriangleAlert } from '../../ui/icons.ts';
import styles from './permissions.module.css';
import { requestTexts, subjectName } from './words.ts';

/** Returns the function that names subjects. */
export function useSubjectName(): (subject: ActionSubject) => string {
  const t = useText();
  const { data } = useQuery(schemaQuery);
  const defaultLocale = data?.locales.find(({ isDefault }) => isDefault)?.code;
  return (subject) => subjectName(t, subject, defaultLocale);
}

/** The requests of an action. */
export function ActionRequests({ action }: { readonly action: SiteAction }): ReactNode {
  const t = useText();
  const texts = requestTexts(action);
  return (
    <span className={styles['requests']}>
      {texts.length === 0 ? t('perms.noRequest') : texts.map((text) => <code key={text}>{text}</code>)}
    </span>
  );
}

export function Warnings({ texts }: { readonly texts: readonly string[] }): ReactNode {
  return texts.map((text) => (
    <span key={text} className={styles['warning']}>
      <TriangleAlert size={14} />
      {text}
    </span>
  ));
}
