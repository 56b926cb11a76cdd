/** The list of releases: those that wait, and those that have run. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Release } from '../../../contract/releases.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { permits, useSession } from '../../data/session.ts';
import { Around, Moment, useText } from '../../language/language.tsx';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Plus, Send } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { type ReleaseState, releasesQuery } from './data.ts';
import { PlanDialog } from './plan-dialog.tsx';
import styles from './releases.module.css';
import { ReleaseStatus } from './status.tsx';

export function Releases(): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const may = permits(rights, 'plugin::content-releases.read');
  const [state, setState] = useState<ReleaseState>('pending');
  const [isCreating, setCreating] = useState(false);
  const { data, isError, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...releasesQuery(state),
    enabled: may,
  });
  const isMissing = !may || (isError && !data);
  useTitle(isMissing ? undefined : t('releases.title'));
  if (isMissing) return <Missing />;
  const releases = data?.pages.flatMap((page) => page.data);
  const create = permits(rights, 'plugin::content-releases.create') && (
    <Button look="primary" icon={Plus} onClick={() => setCreating(true)}>
      {t('releases.new')}
    </Button>
  );
  const isEmpty = releases?.length === 0;
  return (
    <>
      <PageHead title={t('releases.title')}>
        <Select
          aria-label={t('releases.state')}
          value={state}
          onValue={(value) => setState(value === 'done' ? 'done' : 'pending')}
          options={(['pending', 'done'] as const).map((value) => ({ value, label: t(`releases.state.${value}`) }))}
        />
        {!(isEmpty && state === 'pending') && create}
      </PageHead>
      {isEmpty ? (
        <EmptyState
          icon={Send}
          title={t(state === 'pending' ? 'releases.empty' : 'releases.empty.done')}
          text={t('releases.empty.text')}
          action={state === 'pending' && create}
        />
      ) : (
        <ul className={styles['rows']} aria-label={t('releases.title')}>
          {releases === undefined ? (
            <li className={styles['row']}>
              <Skeleton width="40%" />
            </li>
          ) : (
            releases.map((release) => <Row key={release.id} release={release} />)
          )}
        </ul>
      )}
      {hasNextPage && (
        <div className={styles['more']}>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('releases.more')}
          </Button>
        </div>
      )}
      {isCreating && <PlanDialog onClose={() => setCreating(false)} />}
    </>
  );
}

function Row({ release }: { readonly release: Release }): ReactNode {
  const t = useText();
  const { id, name, status, actionCount, createdBy, createdAt, releasedAt, scheduledAt } = release;
  const at = releasedAt ?? createdAt;
  return (
    <li className={styles['row']}>
      <div className={shared['main']}>
        <Link to="/releases/$releaseId" params={{ releaseId: String(id) }} className={shared['name']} dir="auto">
          {name}
        </Link>
        <span className={shared['quiet']}>
          {createdBy && `${createdBy.name} · `}
          {releasedAt === null && scheduledAt !== null ? (
            <Around text={t('releases.planned', { time: '\0' })} at={scheduledAt} isAhead />
          ) : (
            at !== null && <Moment at={at} />
          )}
        </span>
      </div>
      <span className={shared['quiet']}>{t('releases.documents', { count: actionCount })}</span>
      <ReleaseStatus status={status} />
    </li>
  );
}
