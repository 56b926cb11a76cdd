/** A list of documents of one type. All that it shows is in its address. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate, useLocation, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Cohort, ListPage as Page } from '../../../contract/lists.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import { Missing } from '../../app/missing.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { comeFrom } from '../../data/came-from.ts';
import { addFilters, COHORTS, type ListSearch } from '../../data/list-search.ts';
import { cohortsQuery } from '../../data/lists.ts';
import { wordsOf } from '../../data/query-client.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useKeys } from '../../keys/keys.ts';
import { useLanguage, useText } from '../../language/language.tsx';
import { EmptyState } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { CloudOff, FileText, Plus, Search } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { documentQuery } from '../document/document-query.ts';
import { BulkBar } from './bulk.tsx';
import { addColumns, columnsOf, type Row } from './columns.tsx';
import { fieldsOf, nameOf } from './fields.ts';
import { Filters } from './filters.tsx';
import styles from './list.module.css';
import { useRows } from './use-rows.ts';
import { ColumnsMenu, useChosen, ViewsMenu } from './views.tsx';

export function ListPage(): ReactNode {
  const { uid } = useParams({ strict: false }) as { uid: string };
  const { data: schema } = useQuery(schemaQuery);
  const type = schema?.contentTypes.find((one) => one.uid === uid);
  if (!schema) return null;
  if (!type) return <Missing />;
  if (type.kind === 'singleType') return <Navigate {...documentAt(uid, 'single')} replace />;
  return <List key={uid} schema={schema} type={type} />;
}

/** Milliseconds after the last letter before the server is asked. */
const RESTED = 120;
/** Milliseconds of pointing at a row before its document is fetched. */
const STAYED = 60;
/** Documents that are noted for whoever goes from one to the next. */
const NEIGHBOURS = 1000;

const documentAt = (uid: string, documentId: string, locale?: string) =>
  ({
    to: '/content/$uid/$documentId',
    params: { uid, documentId },
    search: locale === undefined ? {} : { locale },
  }) as unknown as { readonly to: '/' };

function List({ schema, type }: { readonly schema: Schema; readonly type: ContentType }): ReactNode {
  const t = useText();
  const language = useLanguage();
  const router = useRouter();
  const client = useQueryClient();
  const search = useSearch({ strict: false }) as ListSearch;
  const { href } = useLocation();
  const { uid, layout, actions } = type;
  useTitle(type.displayName);

  const usualLocale = schema.locales.find(({ isDefault }) => isDefault)?.code;
  const locale = type.localized ? (search.locale ?? usualLocale ?? '') : '';
  const conditions = search.where ?? [];
  const sort = search.sort ?? layout.defaultSort;
  const change = useCallback(
    (next: ListSearch) => {
      const search = (before: ListSearch): ListSearch => ({ ...before, ...next });
      void router.navigate({ to: '.', search: search as never, replace: true });
    },
    [router],
  );
  const [written, write] = useWritten(search.q ?? '', (q) => change({ q: q === '' ? undefined : q }));

  const fields = useMemo(() => fieldsOf(schema, type, t), [schema, type, t]);
  const chosenView = useChosen(schema, type);
  const columns = chosenView.columns;
  const asked = useMemo(() => {
    const query = new URLSearchParams();
    if (search.cohort !== undefined) query.set('cohort', search.cohort);
    if (type.localized && locale !== '') query.set('locale', locale);
    if (search.q?.trim()) query.set('_q', search.q.trim());
    query.set('sort', sort);
    addFilters(query, search.where ?? []);
    addColumns(query, columns, { schema, type, fields, locale, language, t });
    return query.toString();
  }, [schema, type, fields, locale, language, t, search.cohort, search.q, search.where, sort, columns]);
  const drawn = useMemo(
    () => columnsOf(columns, { schema, type, fields, locale, language, t }),
    [columns, schema, type, fields, locale, language, t],
  );
  const rows = useRows({ uid, asked, written, cohort: search.cohort, locale });

  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // what is chosen is seen: another list begins with nothing chosen
  const [chosenOf, setChosenOf] = useState(asked);
  if (chosenOf !== asked) {
    setChosenOf(asked);
    setChosen(new Set());
  }
  const [adding, setAdding] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const canCreate = actions.create;
  const create = (): void => void router.navigate(documentAt(uid, 'new', type.localized ? locale : undefined));
  const ownLocale = type.localized ? locale : undefined;
  const open = ({ document }: Row): void => {
    comeFrom({ uid, href, locale: ownLocale, documentIds: idsOf(rows) });
    void router.navigate(documentAt(uid, document.documentId, ownLocale));
  };
  const pointing = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(pointing.current), []);
  /** Fetches what is likely to be opened: whoever only passes by does not stay that long. */
  const point = (documentId: string): void => {
    clearTimeout(pointing.current);
    pointing.current = setTimeout(() => {
      void router.preloadRoute(documentAt(uid, documentId, ownLocale));
      void client.prefetchQuery(documentQuery(uid, documentId, ownLocale ?? null));
    }, STAYED);
  };
  const group = type.displayName;
  const focusRow = (): void => document.querySelector<HTMLElement>('[role=grid] [role=row][tabindex="0"]')?.focus();
  useKeys([
    ...(canCreate ? [{ keys: 'c', label: t('lists.key.new'), group, run: create }] : []),
    { keys: '/', label: t('lists.key.search'), group, run: () => field.current?.focus() },
    { keys: 'f', label: t('lists.key.filter'), group, run: () => setAdding(true) },
    { keys: 'j', label: t('lists.key.next'), group, run: focusRow },
    { keys: 'k', label: t('lists.key.previous'), group, run: focusRow },
    { keys: 'x', label: t('lists.key.choose'), group, run: focusRow },
    { keys: 'enter', label: t('lists.key.open'), group, run: focusRow },
  ]);

  const isNarrowed = conditions.length > 0 || written.trim() !== '' || (search.cohort ?? 'all') !== 'all';
  const isEmpty = rows.count === 0 && !rows.isStale && !isNarrowed;
  const [column, order] = sort.split(':') as [string, string];
  const title = titlesOf(client, uid, type);
  return (
    <div className={styles['page']}>
      <PageHead title={type.displayName} {...(isNarrowed || !rows.count ? {} : { count: rows.count })}>
        {type.localized && schema.locales.length > 1 && (
          <Select
            aria-label={t('lists.locale')}
            value={locale}
            options={schema.locales.map(({ code, name }) => ({ value: code, label: name }))}
            onValue={(code) => change({ locale: code === usualLocale ? undefined : code })}
          />
        )}
        {canCreate && !isEmpty && (
          <Button look="primary" icon={Plus} onClick={create}>
            {t('lists.new')}
          </Button>
        )}
      </PageHead>
      {type.draftAndPublish && (
        <CohortTabs
          uid={uid}
          locale={ownLocale}
          value={search.cohort ?? 'all'}
          onValue={(cohort) => change({ cohort })}
        />
      )}
      {!isEmpty && (
        <div className={styles['bar']}>
          <label className={styles['search']}>
            <Search size={15} />
            <input
              ref={field}
              type="search"
              aria-label={t('lists.search')}
              placeholder={t('lists.search')}
              value={written}
              onChange={(event) => write(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' || event.key === 'ArrowDown') focusRow();
                else if (event.key === 'Escape' && written !== '') write('');
                else return;
                event.preventDefault();
              }}
            />
          </label>
          <Filters
            schema={schema}
            fields={fields}
            conditions={conditions}
            onConditions={(where) => change({ where })}
            adding={adding}
            onAdding={setAdding}
          />
          <span className={styles['grow']} />
          <ViewsMenu
            views={chosenView.views}
            search={search}
            columns={columns}
            onViews={chosenView.setViews}
            onShow={(view) => {
              chosenView.show(view);
              change({
                q: undefined,
                cohort: undefined,
                locale: undefined,
                sort: undefined,
                where: undefined,
                ...view.search,
              });
              write(view.search.q ?? '');
            }}
          />
          <span className={styles['choosesColumns']}>
            <ColumnsMenu
              type={type}
              schema={schema}
              fields={fields}
              columns={columns}
              isUsual={chosenView.isUsual}
              onColumns={chosenView.setColumns}
            />
          </span>
        </div>
      )}
      <p className={styles['told']} role="status">
        {isNarrowed && rows.count !== undefined && !rows.isStale ? t('lists.found', { count: rows.count }) : ''}
      </p>
      <div className={styles['table']}>
        {rows.error !== undefined && rows.error !== null ? (
          <EmptyState
            icon={CloudOff}
            title={t('lists.failed')}
            text={wordsOf(rows.error) ?? t('error.unreachable.text')}
            action={<Button onClick={rows.retry}>{t('retry')}</Button>}
          />
        ) : rows.count === 0 && !rows.isStale ? (
          <Nothing
            type={type}
            isNarrowed={isNarrowed}
            onClear={() => {
              write('');
              change({ q: undefined, cohort: undefined, where: undefined });
            }}
            onCreate={canCreate ? create : undefined}
          />
        ) : (
          <DataTable<Row>
            label={type.displayName}
            memory={`${uid} ${asked}`}
            columns={drawn}
            count={rows.count ?? EXPECTED}
            rowAt={rows.rowAt}
            onRange={rows.onRange}
            keyOf={({ document }) => document.documentId}
            nameOf={({ document }) => nameOf(type, document)}
            isLeaving={({ intent }) => intent === 'delete'}
            onOpen={open}
            onPoint={({ document }) => point(document.documentId)}
            sorting={{ column, descending: order === 'desc' }}
            onSort={(next) => {
              const chosenSort = `${next.column}:${next.descending ? 'desc' : 'asc'}`;
              change({ sort: chosenSort === layout.defaultSort ? undefined : chosenSort });
            }}
            {...(actions.delete || actions.publish ? { chosen, onChoose: setChosen } : {})}
          />
        )}
      </div>
      <BulkBar type={type} locale={ownLocale} chosen={chosen} onChoose={setChosen} nameOf={title} />
    </div>
  );
}

/** Rows that hold the place of a list that is on its way for the first time. */
const EXPECTED = 12;

/** What is written, at once, and what is asked for, shortly after. */
function useWritten(asked: string, ask: (q: string) => void): readonly [string, (q: string) => void] {
  const [written, setWritten] = useState(asked);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const latest = useRef(ask);
  latest.current = ask;
  // an address that is gone to by another way says what is written
  const sent = useRef(asked);
  useEffect(() => {
    if (sent.current === asked) return;
    sent.current = asked;
    clearTimeout(timer.current);
    setWritten(asked);
  }, [asked]);
  const write = (next: string): void => {
    setWritten(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = next;
      latest.current(next);
    }, RESTED);
  };
  return [written, write];
}

/** The documents that are loaded, in their order. */
function idsOf({ count = 0, rowAt }: ReturnType<typeof useRows>): readonly string[] {
  const ids: string[] = [];
  for (let index = 0; index < count && ids.length < NEIGHBOURS; index += 1) {
    const row = rowAt(index);
    if (row) ids.push(row.document.documentId);
  }
  return ids;
}

/** How documents that have been listed are called. */
function titlesOf(client: ReturnType<typeof useQueryClient>, uid: string, type: ContentType) {
  return (documentId: string): string => {
    for (const [, page] of client.getQueriesData<Page>({ queryKey: ['list', uid] })) {
      const found = page?.data.find((document) => document.documentId === documentId);
      if (found) return nameOf(type, found);
    }
    return documentId;
  };
}

interface CohortTabsProps {
  readonly uid: string;
  readonly locale: string | undefined;
  readonly value: Cohort;
  readonly onValue: (cohort: Cohort | undefined) => void;
}

function CohortTabs({ uid, locale, value, onValue }: CohortTabsProps): ReactNode {
  const t = useText();
  const { data: sizes } = useQuery(cohortsQuery(uid, locale));
  const tabs = COHORTS.map((cohort) => {
    const count = cohort === 'all' ? undefined : (sizes?.[cohort] ?? undefined);
    return { value: cohort, label: t(`lists.cohort.${cohort}`), ...(count === undefined ? {} : { count }) };
  });
  return (
    <div className={styles['tabs']}>
      <Tabs
        label={t('lists.cohorts')}
        tabs={tabs}
        value={value}
        onValue={(cohort) => onValue(cohort === 'all' ? undefined : cohort)}
      />
    </div>
  );
}

interface NothingProps {
  readonly type: ContentType;
  readonly isNarrowed: boolean;
  readonly onClear: () => void;
  readonly onCreate: (() => void) | undefined;
}

/** What is said where a list is empty: how it comes to be filled, or what narrows it. */
function Nothing({ type, isNarrowed, onClear, onCreate }: NothingProps): ReactNode {
  const t = useText();
  if (isNarrowed) {
    return (
      <EmptyState
        icon={Search}
        title={t('lists.none.title')}
        text={t('lists.none.text')}
        action={<Button onClick={onClear}>{t('lists.none.clear')}</Button>}
      />
    );
  }
  const action = onCreate && (
    <Button look="primary" icon={Plus} onClick={onCreate}>
      {t('lists.new')}
    </Button>
  );
  return (
    <EmptyState
      icon={FileText}
      title={t('lists.empty.title', { name: type.displayName })}
      text={t(
        onCreate ? (type.draftAndPublish ? 'lists.empty.text' : 'lists.empty.textPlain') : 'lists.empty.textReader',
      )}
      {...(action === undefined ? {} : { action })}
    />
  );
}
