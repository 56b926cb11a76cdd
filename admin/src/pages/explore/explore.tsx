/** The API as its callers see it: available requests, a form for their parameters, code, answers and explanations. */
import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import type { ExploreSearch } from '../../data/explore-search.ts';
import { isSuper, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Field } from '../../ui/field.tsx';
import { Code, ExternalLink, Link as LinkIcon } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { Answers, type Part, SendBar, useSending } from './answer.tsx';
import { BodyField, PathFields, QueryForm } from './builder.tsx';
import { actionOf, bodyToBeginWith, type Chosen, chosenOf } from './choice.ts';
import { type CallerView, type Overview, overviewQuery, viewQuery } from './data.ts';
import styles from './explore.module.css';
import { Samples } from './sample-tabs.tsx';
import { SavedRequests } from './saved.tsx';
import { useCopy } from './use-copy.ts';

export function Explore(): ReactNode {
  const t = useText();
  const may = isSuper(useSession());
  const { data, isError } = useQuery({ ...overviewQuery, enabled: may });
  const isMissing = !may || (isError && !data);
  useTitle(isMissing ? undefined : t('explore.title'));
  if (isMissing) return <Missing />;
  if (!data) {
    return (
      <>
        <PageHead title={t('explore.title')} />
        <div className={styles['page']}>
          <Skeleton width="40%" />
        </div>
      </>
    );
  }
  return <Loaded overview={data} />;
}

function Loaded({ overview }: { readonly overview: Overview }): ReactNode {
  const t = useText();
  const router = useRouter();
  const copy = useCopy();
  const [search, change] = useExploreSearch();
  const chosen = chosenOf(overview, search);
  // The page before may have been scrolled. Browsers whose scrollTo returns a promise need the braces.
  useEffect(() => {
    document.querySelector('main')?.scrollTo(0, 0);
  }, []);
  const hrefOf = (some: ExploreSearch): string =>
    location.origin + router.buildLocation({ to: '/explore', search: some }).href;
  const head = (
    <PageHead title={t('explore.title')}>
      <div className={styles['tools']}>
        <a className={styles['link']} href={overview.docs} target="_blank" rel="noreferrer">
          {t('explore.docs')}
          <ExternalLink size={14} />
        </a>
        <SavedRequests search={search} hrefOf={hrefOf} onOpen={change} />
        <Button icon={LinkIcon} onClick={() => copy(hrefOf(search), t('explore.linkCopied'))}>
          {t('explore.copyLink')}
        </Button>
      </div>
    </PageHead>
  );
  if (!chosen) {
    return (
      <>
        {head}
        <EmptyState icon={Code} title={t('explore.empty')} text={t('explore.empty.text')} />
      </>
    );
  }
  return (
    <>
      {head}
      <Explorer overview={overview} chosen={chosen} search={search} onChange={change} />
    </>
  );
}

interface ExplorerProps {
  readonly overview: Overview;
  readonly chosen: Chosen;
  readonly search: ExploreSearch;
  readonly onChange: (part: ExploreSearch) => void;
}

function Explorer({ overview, chosen, search, onChange }: ExplorerProps): ReactNode {
  const { data: view } = useQuery(viewQuery(chosen.as));
  const [part, setPart] = useState<Part>('body');
  const hasParameters = chosen.parameters.every(({ value }) => value !== '');
  const sending = useSending(chosen, hasParameters);
  return (
    <div className={styles['page']}>
      <SendBar sending={sending} part={part} isDelete={chosen.request.method === 'DELETE'} />
      <div className={styles['column']}>
        <Choices overview={overview} chosen={chosen} view={view} onChange={onChange} />
        <Parameters chosen={chosen} view={view} search={search} onChange={onChange} />
      </div>
      <div className={styles['column']}>
        <Samples chosen={chosen} origin={overview.origin ?? location.origin} prefix={overview.prefix} />
        <Answers sending={sending} part={part} onPart={setPart} hasParameters={hasParameters} />
      </div>
    </div>
  );
}

/** The pause after which changes appear in the address, in milliseconds. */
const PAUSE = 250;
/** The addresses of this page that may still arrive from the router. */
const REMEMBERED = 20;

/** The state of the page, and a function that changes parts of it. The address follows. */
function useExploreSearch(): readonly [ExploreSearch, (part: ExploreSearch) => void] {
  const router = useRouter();
  const address: ExploreSearch = useSearch({ strict: false });
  const [state, setState] = useState(address);
  const sent = useRef<string[]>([JSON.stringify(address)]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const arrived = JSON.stringify(address);
  useEffect(() => {
    if (sent.current.includes(arrived)) return;
    sent.current = [arrived];
    setState(JSON.parse(arrived) as ExploreSearch);
  }, [arrived]);
  // A page that is being left must not come back.
  useEffect(
    () => router.subscribe('onBeforeNavigate', ({ pathChanged }) => pathChanged && clearTimeout(timer.current)),
    [router],
  );
  const change = (part: ExploreSearch): void => {
    const next = { ...state, ...part };
    setState(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = [...sent.current.slice(1 - REMEMBERED), JSON.stringify(next)];
      void router.navigate({ to: '/explore', search: next, replace: true });
    }, PAUSE);
  };
  return [state, change];
}

interface PartProps {
  readonly chosen: Chosen;
  readonly view: CallerView | undefined;
  readonly onChange: (part: ExploreSearch) => void;
}

/** The type, the caller and the request. */
function Choices({ overview, chosen, view, onChange }: PartProps & { readonly overview: Overview }): ReactNode {
  const t = useText();
  const { type, request, as } = chosen;
  const roles = overview.roles.filter((role) => role.type !== 'public');
  const callers = [
    { value: 'public', label: t('explore.public') },
    ...roles.map(({ id, name }) => ({ value: `role:${id}`, label: t('explore.role', { name }) })),
    ...overview.tokens.map(({ id, name, isExpired }) => ({
      value: `token:${id}`,
      label: t(isExpired ? 'explore.token.expired' : 'explore.token', { name }),
    })),
  ];
  const publicRole = overview.roles.find((role) => role.type === 'public');
  const caller = as === `role:${publicRole?.id}` ? 'public' : as;
  const isKnown = callers.some(({ value }) => value === caller);
  const names = new Map(overview.roles.map(({ id, name }) => [id, name]));
  return (
    <>
      <div className={styles['pair']}>
        <Field label={t('explore.type')}>
          <Select
            value={type.uid}
            options={overview.types.map(({ uid, displayName }) => ({ value: uid, label: displayName }))}
            onValue={(uid) => onChange({ uid, action: undefined, path: undefined, query: undefined, body: undefined })}
          />
        </Field>
        <Field label={t('explore.as')} hint={caller.startsWith('role:') ? t('explore.as.role') : undefined}>
          <Select
            value={isKnown ? caller : ''}
            options={isKnown ? callers : [{ value: '', label: t('explore.as.gone') }, ...callers]}
            onValue={(value) => onChange({ as: value === '' ? undefined : value })}
          />
        </Field>
      </div>
      <section aria-label={t('explore.requests')} className={styles['block']}>
        <h2 className={shared['heading']}>{t('explore.requests')}</h2>
        <ul className={styles['requests']}>
          {type.requests.map((one) => {
            const isClosed = view !== undefined && !view.permitted.includes(one.id);
            const allowed = one.roles.map((id) => names.get(id) ?? '').join(', ');
            return (
              <li key={one.id}>
                <button
                  type="button"
                  aria-pressed={one.id === request.id}
                  className={classes(styles['request'], one.id === request.id && styles['current'])}
                  onClick={() => onChange({ action: actionOf(type, one), query: undefined, body: undefined })}
                >
                  <span className={classes(styles['method'], one.method !== 'GET' && styles['writes'])}>
                    {one.method}
                  </span>
                  <span className={styles['path']}>
                    {one.path.split(/(?=\/)/).map((part, place) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path have no other identity
                      <Fragment key={place}>
                        <wbr />
                        {part}
                      </Fragment>
                    ))}
                  </span>
                  <span className={styles['roles']}>
                    {one.closed ?? (allowed === '' ? t('explore.roles.none') : t('explore.roles', { names: allowed }))}
                    {isClosed && <span className={styles['closed']}>{t('explore.notPermitted')}</span>}
                  </span>
                </button>
              </li>
            );
          })}
        </ul>
      </section>
    </>
  );
}

/** The parameters and the body of the request. */
function Parameters({ chosen, view, search, onChange }: PartProps & { readonly search: ExploreSearch }): ReactNode {
  const t = useText();
  const { type, request, parameters } = chosen;
  const model = view?.models.find(({ uid }) => uid === type.uid);
  const begun = bodyToBeginWith(chosen, model);
  return (
    <section aria-label={t('explore.parameters')} className={styles['block']}>
      <h2 className={shared['heading']}>{t('explore.parameters')}</h2>
      {parameters.length > 0 && (
        <PathFields parameters={parameters} onChange={(path) => onChange({ path: { ...search.path, ...path } })} />
      )}
      {(request.method === 'POST' || request.method === 'PUT') && (
        <BodyField value={search.body ?? ''} begun={begun} onChange={(body) => onChange({ body })} />
      )}
      <QueryForm
        key={`${type.uid} ${request.id}`}
        chosen={chosen}
        model={model}
        models={view?.models ?? []}
        query={search.query ?? ''}
        onChange={(query) => onChange({ query: query === '' ? undefined : query })}
      />
    </section>
  );
}
