/** The audit log: who did what, with filters and an export. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { AuditEntry } from '../../../contract/audit.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import type { AuditSearch } from '../../data/audit-search.ts';
import { schemaQuery } from '../../data/schema.ts';
import { permits, useSession } from '../../data/session.ts';
import { documentName } from '../../language/document-name.ts';
import { Moment, useText } from '../../language/language.tsx';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { Button, DownloadLink } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Field } from '../../ui/field.tsx';
import { ListOrdered } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import styles from './audit.module.css';
import { auditFiltersQuery, auditQuery, exportAddress } from './data.ts';
import { actionText, actorOfFilter, actorText, detailTexts, typeText } from './entry-texts.ts';

/** Entries below which further pages are loaded: a page may have few. */
const FEW = 20;

export function AuditPage(): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const search = useSearch({ strict: false }) as AuditSearch;
  const may = permits(rights, 'admin::audit-logs.read');
  const query = useInfiniteQuery({ ...auditQuery(search), enabled: may });
  const { data, isError, hasNextPage, isFetching, fetchNextPage } = query;
  const { data: filters } = useQuery({ ...auditFiltersQuery, enabled: may });
  const entries = data?.pages.flatMap((page) => page.data);
  const isShort = entries !== undefined && entries.length < FEW && hasNextPage && !isFetching;
  useEffect(() => {
    if (isShort) void fetchNextPage();
  }, [isShort, fetchNextPage]);
  const isMissing = !may || (isError && !data);
  useTitle(isMissing ? undefined : t('audit.title'));
  if (isMissing) return <Missing />;
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <>
      <PageHead title={t('audit.title')}>
        {permits(rights, 'admin::audit-logs.export') && (
          <DownloadLink href={exportAddress(search)}>{t('audit.export')}</DownloadLink>
        )}
      </PageHead>
      <div className={styles['page']}>
        {filters?.days === null && <p className={shared['quiet']}>{t('audit.off')}</p>}
        <Filters search={search} />
        {entries?.length === 0 && !hasNextPage ? (
          <EmptyState
            icon={ListOrdered}
            title={t(isFiltered ? 'audit.none' : 'audit.empty')}
            text={t(isFiltered ? 'audit.none.text' : 'audit.empty.text')}
          />
        ) : (
          <ul className={styles['rows']} aria-label={t('audit.list')}>
            {entries === undefined ? (
              <li className={styles['row']}>
                <Skeleton width="40%" />
              </li>
            ) : (
              entries.map((entry) => <Row key={entry.id} entry={entry} />)
            )}
          </ul>
        )}
        {hasNextPage && (
          <Button busy={isFetching} onClick={() => void fetchNextPage()}>
            {t('audit.more')}
          </Button>
        )}
        {filters?.days != null && <p className={shared['quiet']}>{t('audit.days', { count: filters.days })}</p>}
      </div>
    </>
  );
}

function Filters({ search }: { readonly search: AuditSearch }): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  const { data: filters } = useQuery(auditFiltersQuery);
  const { data: schema } = useQuery(schemaQuery);
  const change = (part: AuditSearch) => void navigate({ to: '/audit', search: { ...search, ...part }, replace: true });
  const all = { value: '', label: t('audit.filter.all') };
  const choices = (
    key: 'actor' | 'type' | 'action',
    options: readonly { readonly value: string; readonly label: string }[],
  ) => {
    const sorted = options.toSorted((a, b) => a.label.localeCompare(b.label));
    const value = search[key];
    const isKnown = value === undefined || sorted.some((one) => one.value === value);
    return (
      <Field label={t(`audit.filter.${key}`)}>
        <Combobox
          value={value ?? ''}
          options={[all, ...(isKnown ? sorted : [{ value, label: value }, ...sorted])]}
          onChoose={(option) => change({ [key]: option.value || undefined })}
        />
      </Field>
    );
  };
  const day = (key: 'from' | 'to') => (
    <Field label={t(`audit.filter.${key}`)}>
      <Input
        type="date"
        value={search[key] ?? ''}
        onChange={(event) => change({ [key]: event.target.value || undefined })}
      />
    </Field>
  );
  return (
    <search className={styles['filters']} aria-label={t('audit.filters')}>
      {choices('actor', filters?.actors.map((one) => ({ value: one.value, label: actorOfFilter(t, one) })) ?? [])}
      {choices('action', filters?.actions.map((value) => ({ value, label: actionText(t, value) })) ?? [])}
      {choices(
        'type',
        filters?.types.map((value) => ({ value, label: typeText(t, value, schema?.contentTypes) })) ?? [],
      )}
      {day('from')}
      {day('to')}
    </search>
  );
}

function Row({ entry }: { readonly entry: AuditEntry }): ReactNode {
  const t = useText();
  const { at, action, actor, address } = entry;
  return (
    <li className={styles['row']}>
      <div className={shared['main']}>
        <span className={shared['name']} dir="auto">
          {actorText(t, actor)}
        </span>
        {address !== null && <span className={shared['quiet']}>{address}</span>}
      </div>
      <div className={shared['main']}>
        <span>
          {actionText(t, action)}
          <Subject entry={entry} />
        </span>
        {detailTexts(t, entry).map((text) => (
          <span key={text} className={shared['quiet']} dir="auto">
            {text}
          </span>
        ))}
      </div>
      <span className={shared['quiet']}>
        <Moment at={at} />
      </span>
    </li>
  );
}

/** The subject of an entry, with a link where there is a page for it. */
function Subject({ entry: { action, subject, details } }: { readonly entry: AuditEntry }): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const { data: schema } = useQuery(schemaQuery);
  if (subject === null) return null;
  const { type, id, name } = subject;
  const isContent = schema?.contentTypes.some(({ uid }) => uid === type) ?? false;
  const called = name === '' && id !== null ? documentName(t, { documentId: id, label: null }) : (name ?? id);
  const text = [typeText(t, type, schema?.contentTypes), called].filter((part) => part !== null).join(' · ');
  const isGone = action.endsWith('.delete');
  const locale = Array.isArray(details['locales']) ? String(details['locales'][0]) : undefined;
  const isLinked =
    isContent && !isGone && id !== null && permits(rights, 'plugin::content-manager.explorer.read', type);
  return (
    <>
      {' · '}
      {isLinked ? (
        <Link
          className={shared['name']}
          to="/content/$uid/$documentId"
          params={{ uid: type, documentId: id }}
          search={{ locale, beside: undefined }}
        >
          {text}
        </Link>
      ) : (
        <span dir="auto">{text}</span>
      )}
    </>
  );
}
