/** The preview of a document on the site, beside the form. */

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ExternalLink, RefreshCw, X } from '../../ui/icons.ts';
import unseen from '../../ui/unseen.module.css';
import styles from './document.module.css';
import { useInSight } from './scrolling.ts';

interface Props {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  /** The saved version. The preview reloads when it changes. */
  readonly version: string | null;
  readonly onClose: () => void;
}

export function Preview({ uid, documentId, locale, version, onClose }: Props): ReactNode {
  const t = useText();
  const place = useInSight();
  const [again, setAgain] = useState(0);
  const { data, error } = useQuery({
    queryKey: ['preview', uid, documentId, locale, version],
    queryFn: async ({ signal }) =>
      (
        await request('GET content/:uid/:documentId/preview', {
          params: { uid, documentId },
          query: { locale: locale ?? undefined },
          signal,
        })
      ).data,
    placeholderData: (before) => before,
  });
  const url = data?.url ?? undefined;
  return (
    <section ref={place} className={styles['beside']} aria-label={t('document.preview')}>
      <header className={styles['besideHead']}>
        <h2>{t('document.preview')}</h2>
        <IconButton icon={RefreshCw} label={t('document.preview.again')} onClick={() => setAgain(again + 1)} />
        {url !== undefined && (
          <a href={url} target="_blank" rel="noreferrer" className={styles['external']}>
            <ExternalLink size={15} />
            <span className={unseen['unseen']}>{t('document.preview.open')}</span>
          </a>
        )}
        <IconButton icon={X} label={t('close')} onClick={onClose} />
      </header>
      {url !== undefined ? (
        <iframe
          key={`${version} ${again}`}
          src={url}
          title={t('document.preview')}
          className={styles['frame']}
          sandbox="allow-scripts allow-same-origin allow-forms allow-popups"
        />
      ) : error ? (
        <p className={styles['quiet']}>{failureText(t, error)}</p>
      ) : data ? (
        <p className={styles['quiet']}>{t('document.preview.none')}</p>
      ) : (
        <Skeleton height="60%" />
      )}
    </section>
  );
}
