/** The home page: recent work, unpublished documents, recent changes and shortcuts. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Recent, Home as Shown } from '../../../contract/lists.ts';
import type { Schema } from '../../../contract/schema.ts';
import { type Place, usePlaces } from '../../app/places.ts';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { homeQuery } from '../../data/lists.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useSession } from '../../data/session.ts';
import { Moment, useText } from '../../language/language.tsx';
import { typeLabel } from '../../language/type-name.ts';
import { DocumentName, EmptyState, Skeleton, StateMark } from '../../ui/bits.tsx';
import { FileText } from '../../ui/icons.ts';
import { ToldLater } from '../bulk-failures/unseen-failures.tsx';
import { Begun } from '../unsaved/unsaved-documents.tsx';
import styles from './home.module.css';
import { Mentions } from './mentions.tsx';
import { ScheduledFailures } from './scheduled-failures.tsx';
import { Weeks } from './weeks.tsx';

/** The number of placeholder rows. */
const EXPECTED = 4;

export function Home(): ReactNode {
  const t = useText();
  const { firstname } = useSession().user;
  const { data: schema, isPending } = useQuery(schemaQuery);
  const { data: shown } = useQuery(homeQuery);
  const all = usePlaces();
  const hasContent = all.some(isContent);
  // Other places are in the main navigation; they are shown here if the user has no content.
  const places = all.filter((place) => isContent(place) || place.group === 'media' || (!hasContent && isMore(place)));
  useTitle(t('place.home'));
  const isQuiet = shown !== undefined && shown.changed.length === 0;
  return (
    <>
      <ToldLater />
      <PageHead title={firstname ? t('home.title', { name: firstname }) : t('home.titleNobody')} />
      <Begun schema={schema} />
      <ScheduledFailures />
      <Mentions schema={schema} />
      {!isPending && places.length === 0 ? (
        <EmptyState icon={FileText} title={t('home.empty.title')} text={t('home.empty.text')} />
      ) : (
        <>
          {isQuiet && hasContent && (
            <EmptyState icon={FileText} title={t('home.start.title')} text={t('home.start.text')} />
          )}
          {!isQuiet && <Work schema={schema} shown={shown} />}
          <section className={styles['section']} aria-labelledby="home-content">
            <h2 id="home-content" className={styles['heading']}>
              {t(isPending || hasContent ? 'home.content' : 'home.places')}
            </h2>
            <ul className={styles['places']}>
              {isPending &&
                Array.from({ length: EXPECTED }, (_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
                  <li key={index} className={styles['place']}>
                    <Skeleton width="40%" />
                  </li>
                ))}
              {(isPending ? [] : places).map((place) => (
                <li key={place.id}>
                  <Link {...place.link} className={styles['place']}>
                    {!isContent(place) && <place.icon size={16} />}
                    <span>{place.label}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        </>
      )}
    </>
  );
}

const isContent = ({ group }: Place): boolean => group === 'content' || group === 'pages';
const isMore = ({ group }: Place): boolean => group === 'project';

interface WorkProps {
  readonly schema: Schema | undefined;
  readonly shown: Shown | undefined;
}

function Work({ schema, shown }: WorkProps): ReactNode {
  const t = useText();
  return (
    <div className={styles['work']}>
      <div>
        {(shown === undefined || shown.mine.length > 0) && (
          <Documents id="mine" title={t('home.mine')} schema={schema} documents={shown?.mine} />
        )}
        {(shown === undefined || shown.waiting.length > 0) && (
          <Documents id="waiting" title={t('home.waiting')} schema={schema} documents={shown?.waiting} />
        )}
      </div>
      <div>
        {shown && <Weeks weeks={shown.weeks} />}
        <Documents id="changed" title={t('home.changed')} schema={schema} documents={shown?.changed} tellsWho />
      </div>
    </div>
  );
}

interface DocumentsProps {
  readonly id: string;
  readonly title: string;
  readonly schema: Schema | undefined;
  /** Undefined while they are loading. */
  readonly documents: readonly Recent[] | undefined;
  readonly tellsWho?: boolean;
}

function Documents({ id, title, schema, documents, tellsWho = false }: DocumentsProps): ReactNode {
  const t = useText();
  const tellsLocale = (schema?.locales.length ?? 0) > 1;
  return (
    <section className={styles['section']} aria-labelledby={`home-${id}`}>
      <h2 id={`home-${id}`} className={styles['heading']}>
        {title}
      </h2>
      <ul className={styles['documents']}>
        {documents === undefined &&
          Array.from({ length: EXPECTED }, (_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
            <li key={index} className={styles['document']}>
              <Skeleton width="60%" />
            </li>
          ))}
        {documents?.map(({ type, documentId, locale, label, state, updatedAt, by, isThroughApi }) => {
          const known = schema?.contentTypes.find(({ uid }) => uid === type);
          const isSingle = known?.kind === 'singleType';
          const params = { uid: type, documentId: isSingle ? 'single' : documentId };
          const link = { to: '/content/$uid/$documentId', params, search: locale === null ? {} : { locale } };
          const notes = [
            known && typeLabel(t, known),
            tellsLocale ? locale : null,
            tellsWho && by ? t('home.by', { name: by.name }) : null,
            tellsWho && isThroughApi ? t('throughApi') : null,
          ];
          return (
            <li key={`${documentId} ${locale}`}>
              <Link {...(link as unknown as { to: '/' })} className={styles['document']}>
                {known?.draftAndPublish === false ? <span aria-hidden="true" /> : <StateMark state={state} />}
                <span dir="auto" className={styles['label']}>
                  <DocumentName documentId={documentId} label={label ?? (isSingle ? known.displayName : null)} />
                </span>
                <span className={styles['note']}>{notes.filter(Boolean).join(' · ')}</span>
                <span className={styles['when']}>
                  <Moment at={updatedAt} />
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
