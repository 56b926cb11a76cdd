/** A list of documents of a type. Its state is in its address. */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate, useLocation, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ListPage as Page } from '../../../contract/lists.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import { Missing } from '../../app/not-found.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { BASE } from '../../data/base.ts';
import { RefusedError } from '../../data/failures.ts';
import { addFilters, type ListSearch } from '../../data/list-search.ts';
import { defaultLocale, mayInLocale, schemaFor } from '../../data/locales.ts';
import { setOriginList } from '../../data/origin-list.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useSession } from '../../data/session.ts';
import { useKeys } from '../../keys/keys.ts';
import { useLocale, useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { typeTitle } from '../../language/type-name.ts';
import { EmptyState } from '../../ui/bits.tsx';
import { Button, ButtonLink, IconButton } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-column.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { CloudOff, Columns3, LayoutGrid, Plus } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { useOnlyThere } from '../../ui/list-selection.ts';
import { Pagination } from '../../ui/pagination.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { ToldLater } from '../bulk-failures/unseen-failures.tsx';
import { documentQuery } from '../document/document-query.ts';
import { Begun } from '../unsaved/unsaved-documents.tsx';
import { BulkBar } from './bulk-later.tsx';
import { addColumns, columnsOf, type Row } from './columns.tsx';
import { fieldsOf, nameOf } from './fields.ts';
import { Filters } from './filters.tsx';
import styles from './list.module.css';
import { CohortTabs, Nothing } from './list-parts.tsx';
import { problemOf } from './operators.ts';
import { PlannedProvider } from './planned.tsx';
import { useRows } from './use-rows.ts';
import { useWritten } from './use-search-text.ts';
import { useChoice } from './use-selection.ts';
import { ColumnsMenu, useChosen, ViewsMenu } from './views.tsx';

export function ListPage(): ReactNode {
  const { uid } = useParams({ strict: false }) as { uid: string };
  const { data: whole } = useQuery(schemaQuery);
  const { rights } = useSession();
  const type = whole?.contentTypes.find((one) => one.uid === uid);
  const schema = useMemo(() => whole && type && schemaFor(whole, type, rights), [whole, type, rights]);
  if (!whole) return null;
  if (!type || !schema) return <Missing />;
  if (type.kind === 'singleType') return <Navigate {...documentAt(uid, 'single')} replace />;
  return <List key={uid} schema={schema} type={type} />;
}

/** The permission to edit the layout of collection types. */
const CONFIGURE = 'plugin::content-manager.collection-types.configure-view';
/** The milliseconds for which a row is hovered before its document is loaded. */
const STAYED = 60;
/** The number of documents that are recorded for previous and next. */
const NEIGHBOURS = 1000;

const documentAt = (uid: string, documentId: string, locale?: string) =>
  ({
    to: '/content/$uid/$documentId',
    params: { uid, documentId },
    search: locale === undefined ? {} : { locale },
  }) as unknown as { readonly to: '/' };

function List({ schema, type }: { readonly schema: Schema; readonly type: ContentType }): ReactNode {
  const t = useText();
  const region = useLocale();
  const router = useRouter();
  const client = useQueryClient();
  const search = useSearch({ strict: false }) as ListSearch;
  const { rights, user } = useSession();
  const { href } = useLocation();
  const { uid, layout, actions } = type;
  const heading = typeTitle(t, schema, type);
  useTitle(heading);

  const usual = defaultLocale(schema);
  const locale = type.localized ? (search.locale ?? usual ?? '') : '';
  const conditions = search.where ?? [];
  const sort = search.sort ?? layout.defaultSort;
  const change = useCallback(
    (next: ListSearch, replace = false) => {
      // Another list starts on its first page.
      const search = (before: ListSearch): ListSearch => ({ ...before, page: undefined, ...next });
      void router.navigate({ to: '.', search: search as never, replace });
    },
    [router],
  );
  const [written, write] = useWritten(search.q ?? '', (q) =>
    // Going back skips the intermediate states of a search text.
    change({ q: q === '' ? undefined : q }, search.q !== undefined),
  );

  const fields = useMemo(() => fieldsOf(schema, type, t), [schema, type, t]);
  const chosenView = useChosen(schema, type);
  const columns = chosenView.columns;
  const asked = useMemo(() => {
    const query = new URLSearchParams();
    if (search.cohort !== undefined) query.set('cohort', search.cohort);
    if (type.localized && locale !== '') query.set('locale', locale);
    if (search.q?.trim()) query.set('_q', search.q.trim());
    query.set('sort', sort);
    // Invalid filters are marked at their chips and not sent.
    addFilters(query, search.where?.filter((condition) => problemOf(fields, condition) === undefined) ?? [], user.id);
    addColumns(query, columns, { type, fields });
    return query.toString();
  }, [type, fields, locale, search.cohort, search.q, search.where, sort, columns, user.id]);
  const drawn = useMemo(() => {
    const place = type.localized && locale !== '' ? `?locale=${encodeURIComponent(locale)}` : '';
    const hrefOf = (documentId: string): string => `${BASE}content/${encodeURIComponent(uid)}/${documentId}${place}`;
    return columnsOf(columns, { schema, type, fields, locale, region, t, hrefOf });
  }, [columns, schema, type, uid, fields, locale, region, t]);
  const { size } = chosenView;
  const page = size === undefined ? 0 : (search.page ?? 1) - 1;
  const rows = useRows({ uid, asked, written, cohort: search.cohort, locale, size, page });
  const pageCount = size === undefined ? 1 : Math.ceil((rows.total ?? 0) / size);
  // The documents of the last page may have been deleted.
  const isBeyond = !rows.isStale && page > 0 && page >= pageCount;
  useEffect(() => {
    if (isBeyond) change({ page: pageCount > 1 ? pageCount : undefined }, true);
  }, [isBeyond, pageCount, change]);

  const seen = `${uid} ${asked} ${page}`;
  const choice = useChoice(uid, asked, seen);
  useOnlyThere({
    isComing: rows.isStale,
    chosen: choice.chosen,
    onChoose: choice.choose,
    there: () => Array.from({ length: rows.count ?? 0 }, (_, index) => rows.rowAt(index)?.document.documentId ?? ''),
  });
  const [adding, setAdding] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const canCreate = actions.create && mayInLocale(rights, 'create', type, locale || null);
  const create = (): void => void router.navigate(documentAt(uid, 'new', type.localized ? locale : undefined));
  const canArrange = rights.some(({ action }) => action === CONFIGURE);
  const arrange = (): void => void router.navigate({ to: '/layout/$uid', params: { uid } });
  const ownLocale = type.localized ? locale : undefined;
  const memory = `${uid} ${JSON.stringify(search)}`;
  const open = ({ document }: Row, index: number): void => {
    setOriginList({
      uid,
      href,
      positionKey: memory,
      query: size === undefined ? asked : undefined,
      ...idsAround(rows, index),
    });
    void router.navigate(documentAt(uid, document.documentId, ownLocale));
  };
  const pointing = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(pointing.current), []);
  /** Loads a document that is likely to be opened. */
  const point = (documentId: string): void => {
    clearTimeout(pointing.current);
    pointing.current = setTimeout(() => {
      void router.preloadRoute(documentAt(uid, documentId, ownLocale));
      void client.prefetchQuery(documentQuery(uid, documentId, ownLocale ?? null));
    }, STAYED);
  };
  const group = heading;
  const focusRow = (): void => document.querySelector<HTMLElement>('[role=grid] [role=row][tabindex="0"]')?.focus();
  useKeys([
    ...(canCreate ? [{ keys: 'c', label: t('lists.key.new'), group, run: create }] : []),
    { keys: '/', label: t('lists.key.search'), group, run: () => field.current?.focus() },
    { keys: 'f', label: t('lists.key.filter'), group, run: () => setAdding(true) },
    { keys: 'j', label: t('lists.key.next'), group, run: focusRow },
    { keys: 'k', label: t('lists.key.previous'), group, run: focusRow },
    { keys: 'x', label: t('lists.key.choose'), group, run: focusRow },
    { keys: 'enter', label: t('lists.key.open'), group, run: focusRow },
    { keys: 'shift+x', label: t('lists.key.chooseBetween'), group, run: focusRow },
    ...(choice.chosen.size > 0
      ? [{ keys: 'Escape', label: t('lists.chooseNone'), group, run: () => choice.choose(new Set()) }]
      : []),
  ]);

  // The count is unknown while a search is pending.
  const isSettled = !rows.isStale && written.trim() === (search.q ?? '').trim();
  // The highlighted search remains until its results are replaced.
  const isSearched = written.trim() !== '' || (search.q ?? '') !== '';
  const isNarrowed = conditions.length > 0 || isSearched || (search.cohort ?? 'all') !== 'all';
  const isEmpty = rows.total === 0 && !rows.isStale && !isNarrowed;
  const [column, order] = sort.split(':') as [string, string];
  const title = titlesOf(t, client, uid, type);
  return (
    <div className={styles['page']}>
      <PageHead title={heading} {...(isSettled && rows.total ? { count: rows.total } : {})}>
        {type.localized && schema.locales.length > 1 && (
          <Select
            aria-label={t('lists.locale')}
            value={locale}
            options={schema.locales.map(({ code, name }) => ({ value: code, label: name }))}
            onValue={(code) => change({ locale: code === usual ? undefined : code })}
          />
        )}
        {schema.reviewed.includes(uid) && (
          <ButtonLink
            icon={Columns3}
            to="/board/$uid"
            params={{ uid }}
            search={ownLocale === undefined ? {} : { locale: ownLocale }}
          >
            {t('board.name')}
          </ButtonLink>
        )}
        {canArrange && (
          <span className={isEmpty ? undefined : styles['arranges']}>
            <IconButton icon={LayoutGrid} label={t('layout.open')} onClick={arrange} />
          </span>
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
          isNarrowed={conditions.length > 0 || written.trim() !== ''}
          value={search.cohort ?? 'all'}
          onValue={(cohort) => change({ cohort })}
        />
      )}
      {!isEmpty && (
        <div className={styles['bar']}>
          <SearchField
            inputRef={field}
            label={t('lists.search')}
            value={written}
            onValue={write}
            clearLabel={t('lists.none.clear')}
            onLeave={focusRow}
          />
          <Filters
            schema={schema}
            fields={fields}
            conditions={conditions}
            onConditions={(where) => change({ where })}
            adding={adding}
            onAdding={setAdding}
          />
          <span className={styles['grow']} />
          <span className={styles['sort']}>
            <Select
              aria-label={t('lists.sort')}
              value={sort}
              options={sortsOf(drawn, sort)}
              onValue={(next) => change({ sort: next === layout.defaultSort ? undefined : next })}
            />
          </span>
          <ViewsMenu
            views={chosenView.views}
            search={search}
            columns={columns}
            onViews={chosenView.setViews}
            onArrange={canArrange ? arrange : undefined}
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
              size={size}
              onSize={chosenView.setSize}
            />
          </span>
        </div>
      )}
      <Begun schema={schema} uid={uid} />
      <p className={styles['told']} role="status">
        {isNarrowed && rows.total !== undefined && isSettled ? t('lists.found', { count: rows.total }) : ''}
      </p>
      <div className={styles['table']}>
        {rows.isOffline ? (
          <EmptyState
            icon={CloudOff}
            title={t('lists.offline.title')}
            text={t('lists.offline.text')}
            action={<Button onClick={rows.retry}>{t('retry')}</Button>}
          />
        ) : rows.error !== undefined && rows.error !== null ? (
          <EmptyState
            icon={CloudOff}
            title={t('lists.failed')}
            text={rows.error instanceof RefusedError ? failureText(t, rows.error) : t('error.unreachable.text')}
            action={<Button onClick={rows.retry}>{t('retry')}</Button>}
          />
        ) : rows.total === 0 && !rows.isStale ? (
          <Nothing
            type={type}
            heading={heading}
            isNarrowed={isNarrowed}
            q={(search.q ?? '').trim()}
            onClear={() => {
              write('');
              change({ q: undefined, cohort: undefined, where: undefined });
            }}
            onCreate={canCreate ? create : undefined}
          />
        ) : (
          <PlannedProvider type={type} locale={ownLocale} pages={rows.pages}>
            <DataTable<Row>
              label={heading}
              memory={memory}
              columns={drawn}
              count={rows.count ?? EXPECTED}
              isComing={rows.isStale}
              rowAt={rows.rowAt}
              onRange={rows.onRange}
              keyOf={({ document }) => document.documentId}
              nameOf={({ document }) => nameOf(t, type, document)}
              isLeaving={({ intent }) => intent === 'delete'}
              onOpen={open}
              onPoint={({ document }) => point(document.documentId)}
              sorting={{ column, descending: order === 'desc' }}
              onSort={(next) => {
                const chosenSort = `${next.column}:${next.descending ? 'desc' : 'asc'}`;
                change({ sort: chosenSort === layout.defaultSort ? undefined : chosenSort });
              }}
              {...(actions.delete || actions.publish
                ? { chosen: choice.chosen, onChoose: choice.choose, keysBetween: choice.idsBetween }
                : {})}
            />
          </PlannedProvider>
        )}
      </div>
      {pageCount > 1 && (
        <div className={styles['pages']}>
          <Pagination
            page={page + 1}
            pageCount={pageCount}
            onPage={(next) => change({ page: next > 1 ? next : undefined })}
          />
        </div>
      )}
      <ToldLater />
      <BulkBar
        schema={schema}
        type={type}
        locale={ownLocale}
        choice={choice}
        total={rows.isStale ? undefined : rows.total}
        nameOf={title}
      />
    </div>
  );
}

/** The number of placeholder rows. */
const EXPECTED = 12;

/** The orders of a list on narrow pages, which have no column heads, including the current one. */
function sortsOf(columns: readonly Column<Row>[], sort: string): readonly { value: string; label: string }[] {
  const orders = columns
    .filter(({ sortable }) => sortable)
    .flatMap(({ id, label }) => [
      { value: `${id}:asc`, label: `${label} ↑` },
      { value: `${id}:desc`, label: `${label} ↓` },
    ]);
  return orders.some(({ value }) => value === sort) ? orders : [{ value: sort, label: sort.split(':')[0]! }, ...orders];
}

/** The consecutive loaded documents around a row, and the index of the first. */
function idsAround({ rowAt }: ReturnType<typeof useRows>, index: number) {
  const idAt = (row: number): string | undefined => rowAt(row)?.document.documentId;
  const documentIds: string[] = [];
  let first = index;
  while (index - first < NEIGHBOURS / 2 && first > 0 && idAt(first - 1) !== undefined) first -= 1;
  for (let id = idAt(first); id !== undefined && documentIds.length < NEIGHBOURS; id = idAt(first + documentIds.length))
    documentIds.push(id);
  return { documentIds, first };
}

/** The names of listed documents; undefined for others. */
function titlesOf(t: Text, client: ReturnType<typeof useQueryClient>, uid: string, type: ContentType) {
  return (documentId: string): string | undefined => {
    for (const [, page] of client.getQueriesData<Page>({ queryKey: ['list', uid] })) {
      const found = page?.data.find((document) => document.documentId === documentId);
      if (found) return nameOf(t, type, found);
    }
    return undefined;
  };
}
