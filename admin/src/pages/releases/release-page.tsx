/** A release: its documents in order, what prevents it, the drafts that it links, and running it. */
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import type { Release, ReleaseItem } from '../../../contract/releases.ts';
import { Confirmation, DeleteButton } from '../../app/confirmation.tsx';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { request } from '../../data/client.ts';
import { isSuper, permits, useSession } from '../../data/session.ts';
import { Around, Moment, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Eye, Pencil, Send } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from '../account/section.tsx';
import { itemsQuery, missingQuery, problemsQuery, refreshReleases, releaseQuery } from './data.ts';
import { ReleaseItems } from './items.tsx';
import { MissingDrafts } from './missing-drafts.tsx';
import { PlanDialog } from './plan-dialog.tsx';
import styles from './releases.module.css';
import { RevertButton } from './revert-button.tsx';
import { ReleaseStatus } from './status.tsx';

export function ReleasePage(): ReactNode {
  const { releaseId } = useParams({ strict: false }) as { releaseId: string };
  const { rights } = useSession();
  if (!permits(rights, 'plugin::content-releases.read')) return <Missing />;
  return <Stored key={releaseId} id={releaseId} />;
}

function Stored({ id }: { readonly id: string }): ReactNode {
  const t = useText();
  const { data: release, isError } = useQuery(releaseQuery(id));
  useTitle(isError ? undefined : (release?.name ?? t('releases.title')));
  if (isError) return <Missing />;
  if (!release) {
    return (
      <>
        <PageHead title={t('releases.title')} />
        <div className={styles['sections']}>
          <Skeleton width="40%" />
        </div>
      </>
    );
  }
  return <Shown release={release} />;
}

function Shown({ release }: { readonly release: Release }): ReactNode {
  const t = useText();
  const id = String(release.id);
  const session = useSession();
  const { rights } = session;
  const isPending = release.releasedAt === null;
  const items = useInfiniteQuery(itemsQuery(id));
  const examined = useQuery({ ...problemsQuery(id), enabled: isPending && release.actionCount > 0 });
  const { data: problems } = examined;
  const { data: missing } = useQuery({ ...missingQuery(id), enabled: isPending && release.actionCount > 0 });
  const all = items.data?.pages.flatMap((page) => page.data);
  const mayAdd = isPending && permits(rights, 'plugin::content-releases.create-action');
  const mayRevert = release.status !== 'reverted' && permits(rights, 'plugin::content-releases.publish');
  return (
    <>
      <PageHead title={release.name}>
        {isPending && isSuper(session) && items.data && <PreviewLink release={release} items={all ?? []} />}
        {isPending ? (
          <Actions release={release} problems={problems?.count ?? 0} isExamining={examined.isLoading} />
        ) : (
          mayRevert && <RevertButton release={release} />
        )}
      </PageHead>
      <div className={styles['sections']}>
        <p className={styles['facts']}>
          <ReleaseStatus status={release.status} />
          <span className={shared['quiet']}>
            {t('releases.documents', { count: release.actionCount })}
            {release.createdBy && ` · ${release.createdBy.name}`}
            {release.releasedAt !== null && (
              <>
                {' · '}
                <Moment at={release.releasedAt} />
              </>
            )}
            {isPending && release.scheduledAt !== null && (
              <>
                {' · '}
                <Around text={t('releases.planned', { time: '\0' })} at={release.scheduledAt} isAhead />
              </>
            )}
          </span>
        </p>
        {mayAdd && missing && missing.meta.count > 0 && <MissingDrafts id={id} missing={missing} />}
        <Section title={t('releases.items')}>
          {all?.length === 0 && <p className={shared['quiet']}>{t('releases.items.none')}</p>}
          {all && all.length > 0 && (
            <ReleaseItems release={release} items={all} problems={problems?.problems ?? []} isPending={isPending} />
          )}
          {items.hasNextPage && (
            <Button busy={items.isFetchingNextPage} onClick={() => void items.fetchNextPage()}>
              {t('releases.more')}
            </Button>
          )}
        </Section>
      </div>
    </>
  );
}

interface ActionsProps {
  readonly release: Release;
  /** The number of documents that prevent it. */
  readonly problems: number;
  /** Whether these are still being counted. */
  readonly isExamining: boolean;
}

/** Leads to the API as it will answer once a release has run, in a list of the type of its first document. */
function PreviewLink({ release, items }: { readonly release: Release; readonly items: readonly ReleaseItem[] }) {
  const t = useText();
  const uid = items[0]?.contentType;
  if (uid === undefined) return null;
  const query = `release=${encodeURIComponent(release.name)}`;
  return (
    <ButtonLink icon={Eye} to="/explore" search={{ uid, action: 'find', query }}>
      {t('releases.preview')}
    </ButtonLink>
  );
}

/** Renaming, deleting and running a release that waits. */
function Actions({ release, problems, isExamining }: ActionsProps): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const { rights } = useSession();
  const [above, setAbove] = useState<'change' | 'run'>();
  const params = { id: String(release.id) };
  const { name, actionCount } = release;
  const remove = useMutation({
    mutationFn: () => request('DELETE releases/:id', { params }),
    onSuccess: async () => {
      show({ text: t('releases.deleted', { name }) });
      await navigate({ to: '/releases', replace: true });
      await refreshReleases(client);
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
  });
  const run = useMutation({
    mutationFn: () => request('POST releases/:id/run', { params }),
    onSuccess: () => {
      show({ text: t('releases.ran', { name }) });
      return client.invalidateQueries();
    },
    onError: (error) => {
      show({ text: failureText(t, error), tone: 'danger' });
      return refreshReleases(client);
    },
    onSettled: () => setAbove(undefined),
  });
  const reason = useId();
  return (
    <>
      {problems > 0 && (
        <p id={reason} role="status" className={styles['problems']}>
          {t('releases.problems', { count: problems })}
        </p>
      )}
      {permits(rights, 'plugin::content-releases.delete') && (
        <DeleteButton
          label={t('releases.delete')}
          title={t('releases.delete.title', { name })}
          text={t('releases.delete.text')}
          remove={{ isPending: remove.isPending, mutate: () => remove.mutate() }}
        />
      )}
      {permits(rights, 'plugin::content-releases.update') && (
        <Button icon={Pencil} onClick={() => setAbove('change')}>
          {t('releases.change')}
        </Button>
      )}
      {permits(rights, 'plugin::content-releases.publish') && (
        <Button
          look="primary"
          icon={Send}
          disabled={actionCount === 0 || problems > 0 || isExamining}
          aria-describedby={problems > 0 ? reason : undefined}
          onClick={() => setAbove('run')}
        >
          {t('releases.run')}
        </Button>
      )}
      {above === 'change' && <PlanDialog release={release} onClose={() => setAbove(undefined)} />}
      {above === 'run' && (
        <Confirmation
          title={t('releases.run.title', { name })}
          text={t('releases.run.text', { count: actionCount })}
          button={t('releases.run')}
          look="primary"
          busy={run.isPending}
          onClose={() => setAbove(undefined)}
          onConfirm={() => run.mutate()}
        />
      )}
    </>
  );
}
