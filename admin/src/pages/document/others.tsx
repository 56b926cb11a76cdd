/** Who else has the document open. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { request } from '../../data/client.ts';
import { useLanguage, useText } from '../../language/language.tsx';
import { Avatar } from '../../ui/bits.tsx';
import styles from './document.module.css';

/** Milliseconds between two words to the server, which forgets those it has not heard of for some more of them. */
const SAID = 20_000;
/** Faces that are shown. */
const SHOWN = 3;

interface Props {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
}

export function Others({ uid, documentId, locale }: Props): ReactNode {
  const t = useText();
  const language = useLanguage();
  const { data: others = [] } = useQuery({
    queryKey: ['presence', uid, documentId, locale],
    queryFn: async ({ signal }) => {
      const body = locale === null ? {} : { locale };
      const params = { uid, documentId };
      return (await request('POST content/:uid/:documentId/presence', { params, body, signal })).data.others;
    },
    refetchInterval: SAID,
    // who was here then says nothing about now
    gcTime: 0,
    staleTime: 0,
  });
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
