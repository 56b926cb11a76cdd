/** The main navigation, and the menu of the administrator. On a phone it slides up from the bottom. */
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { schemaQuery } from '../data/schema.ts';
import { nameOf, useSession } from '../data/session.ts';
import { useText } from '../language/language.tsx';
import { KeyCaps } from '../ui/kbd.tsx';
import { MeMenu } from './me-menu.tsx';
import { GROUPS, type Place } from './places.ts';
import styles from './rail.module.css';

interface Props {
  readonly places: readonly Place[];
  readonly onFind: () => void;
  readonly onKeys: () => void;
}

export function Rail({ places, onFind, onKeys }: Props): ReactNode {
  const t = useText();
  const { user } = useSession();
  const list = useRef<HTMLDivElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  // A long list of places scrolls to the current one, also when another page has led there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current place depends on the address
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [pathname, places.length]);
  return (
    <nav aria-label={t('rail.label')} className={styles['rail']}>
      <div className={styles['brand']}>
        <Mark />
        <SiteName />
      </div>
      <button type="button" className={styles['find']} onClick={onFind}>
        {t('palette.open')}
        <KeyCaps keys="mod+k" />
      </button>
      <div ref={list} className={styles['places']}>
        {GROUPS.map((group) => {
          const own = places.filter((place) => place.group === group);
          if (own.length === 0) return null;
          return (
            <div key={group}>
              {group !== 'start' && <h2 className={styles['heading']}>{t(`rail.${group}`)}</h2>}
              <ul>
                {own.map(({ id, label, link, icon: Icon }) => (
                  <li key={id}>
                    <Link {...link} className={styles['place']} activeOptions={{ exact: link.to === '/' }}>
                      {group !== 'content' && group !== 'pages' && <Icon />}
                      <span dir="auto">{label}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
      <div className={styles['me']}>
        <MeMenu name={nameOf(user)} onKeys={onKeys} />
      </div>
    </nav>
  );
}

/** The name of the site, or else of the app. */
export function SiteName(): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  return (
    <span dir="auto" className={styles['siteName']}>
      {schema?.site.name ?? t('app.name')}
    </span>
  );
}

/** The logo: three lines of type, the last of which differs. */
export function Mark(): ReactNode {
  return <i className={styles['mark']} aria-hidden="true" />;
}
