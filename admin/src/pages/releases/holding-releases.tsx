/** The releases with a document that have not run. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schema } from '../../../contract/schema.ts';
import { localeName } from '../../data/locales.ts';
import { permits, useSession } from '../../data/session.ts';
import { useLocale, useText } from '../../language/language.tsx';
import { Send } from '../../ui/icons.ts';
import styles from '../schedule/schedule.module.css';
import { momentText } from '../schedule/when-text.ts';
import { holdingQuery } from './data.ts';

interface Props {
  readonly schema: Schema;
  readonly uid: string;
  readonly documentId: string;
}

export function HoldingReleases({ schema, uid, documentId }: Props): ReactNode {
  const t = useText();
  const region = useLocale();
  const { rights } = useSession();
  const enabled = permits(rights, 'plugin::content-releases.read');
  const { data = [] } = useQuery({ ...holdingQuery(uid, documentId), enabled });
  if (data.length === 0) return null;
  return (
    <ul className={styles['items']} aria-label={t('releases.title')}>
      {data.map(({ id, name, scheduledAt, action: { id: action, type, locale } }) => {
        const about = [
          t(`releases.item.${type}`),
          locale !== null && schema.locales.length > 1 && localeName(schema, locale),
          scheduledAt !== null && t('releases.plannedAt', { moment: momentText(t, scheduledAt, region) }),
        ];
        return (
          <li key={action} className={styles['item']}>
            <Send size={15} />
            <div>
              <Link to="/releases/$releaseId" params={{ releaseId: String(id) }} className={styles['what']} dir="auto">
                {name}
              </Link>
              <p className={styles['about']}>{about.filter(Boolean).join(' · ')}</p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
