/** The history of a document: its versions, and the comparison of one with another. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import { Missing } from '../../app/not-found.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { RefusedError } from '../../data/client.ts';
import { defaultLocale, schemaFor } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { ArrowLeft, Clock } from '../../ui/icons.ts';
import { documentQuery, SINGLE } from '../document/document-query.ts';
import { versionsQuery } from './data.ts';
import styles from './history.module.css';
import { sharedMinutes } from './texts.ts';
import { Timeline } from './timeline.tsx';
import { VersionView } from './version-view.tsx';

const FROM = '/inside/content/$uid/$documentId/history';

export function HistoryPage(): ReactNode {
  const { uid } = useParams({ from: FROM });
  const { locale } = useSearch({ from: FROM });
  const { data: whole } = useQuery(schemaQuery);
  const { rights } = useSession();
  const model = whole?.contentTypes.find((type) => type.uid === uid);
  const schema = useMemo(() => whole && model && schemaFor(whole, model, rights), [whole, model, rights]);
  if (!whole) return <Skeleton height="34px" />;
  if (!model || !schema) return <Missing />;
  const code = model.localized ? (locale ?? defaultLocale(schema) ?? null) : null;
  return <Opened schema={schema} model={model} locale={code} />;
}

interface OpenedProps {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly locale: string | null;
}

function Opened({ schema, model, locale }: OpenedProps): ReactNode {
  const t = useText();
  const params = useParams({ from: FROM });
  const { version: chosen, against } = useSearch({ from: FROM });
  const isSingle = model.kind === 'singleType';
  const documentId = isSingle ? SINGLE : params.documentId;
  const { uid } = model;
  const { data: server, error } = useQuery(documentQuery(uid, documentId, locale));
  const list = useInfiniteQuery(versionsQuery(uid, documentId, locale));
  const { mainField } = model.layout;
  const named = isSingle ? model.displayName : String(server?.draft?.[mainField] ?? '') || t('document.untitled');
  const localeName = schema.locales.find(({ code }) => code === locale)?.name;
  const name = localeName === undefined ? named : `${named} · ${localeName}`;
  useTitle(server && t('history.of', { name }));
  const failure = error ?? list.error;
  if (failure instanceof RefusedError && [403, 404].includes(failure.status)) return <Missing />;
  if (failure && !(server && list.data)) throw failure;
  if (!server) return <Skeleton height="34px" />;
  const versions = list.data?.pages.flatMap(({ data }) => data);
  const minutes = sharedMinutes(versions ?? []);
  return (
    <>
      <Link
        to="/content/$uid/$documentId"
        params={{ uid, documentId }}
        search={locale === null ? {} : { locale }}
        className={styles['back']}
      >
        <ArrowLeft size={15} />
        <span dir="auto">{name}</span>
      </Link>
      <PageHead title={t('history.title')} />
      <div className={styles['page']} data-chosen={chosen !== undefined || undefined}>
        <Timeline
          model={model}
          server={server}
          versions={versions}
          minutes={minutes}
          chosen={chosen}
          onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
          isLoadingMore={list.isFetchingNextPage}
        />
        <section className={styles['version']} aria-label={t('history.comparison')}>
          {chosen === undefined ? (
            <EmptyState icon={Clock} title={t('history.choose')} text={t('history.choose.text')} />
          ) : (
            <>
              <Link
                from="/content/$uid/$documentId/history"
                to="."
                search={(before) => ({ ...before, version: undefined, against: undefined })}
                className={styles['all']}
              >
                <ArrowLeft size={15} />
                {t('history.all')}
              </Link>
              <VersionView
                key={chosen}
                schema={schema}
                model={model}
                server={server}
                documentId={documentId}
                versions={versions ?? []}
                minutes={minutes}
                chosen={chosen}
                against={against}
              />
            </>
          )}
        </section>
      </div>
    </>
  );
}
