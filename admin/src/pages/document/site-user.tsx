/** The access of a site user: blocking, confirming, and the sessions. */
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { SiteUserSession } from '../../../contract/sessions.ts';
import { SessionList } from '../../app/session-list.tsx';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { SITE_USERS } from '../../language/type-name.ts';
import { Button } from '../../ui/button.tsx';
import { CircleAlert, CircleCheck, Clock } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import panelStyles from './side.module.css';

const SESSIONS = 'site-user-sessions';

/** The sessions of an account. Blocking it ends them. */
const sessionsQuery = (id: string, isBlocked: boolean) =>
  queryOptions({
    queryKey: [SESSIONS, id, isBlocked],
    queryFn: ({ signal }) => request('GET site-users/:id/sessions', { params: { id }, signal }),
  });

interface Props {
  readonly model: ContentType;
  readonly server: DocumentAnswer;
  readonly mayWrite: boolean;
  /** Changes a field and saves. */
  readonly onSet: (field: 'blocked' | 'confirmed', value: boolean) => void;
}

export function SiteUser({ model, server, mayWrite, onSet }: Props): ReactNode {
  const t = useText();
  const { draft, documentId } = server;
  if (model.uid !== SITE_USERS || !draft || documentId === null) return null;
  const fieldOf = (name: string) => model.attributes.find((attribute) => attribute.name === name && attribute.readable);
  const [blocked, confirmed] = [fieldOf('blocked'), fieldOf('confirmed')];
  const isBlocked = blocked !== undefined && draft['blocked'] === true;
  const isOpen = confirmed !== undefined && draft['confirmed'] !== true;
  const state = isBlocked ? 'blocked' : isOpen ? 'unconfirmed' : 'active';
  const Icon = STATES[state];
  return (
    <>
      {blocked && (
        <section aria-labelledby="site-user-access">
          <h2 id="site-user-access" className={panelStyles['sideHead']}>
            {t('siteUser.access')}
          </h2>
          <p className={panelStyles['access']} data-state={state}>
            <Icon size={15} />
            {t(`siteUser.${state}`)}
          </p>
          {mayWrite && (
            <div className={panelStyles['accessActions']}>
              {blocked.writable && (
                <Button onClick={() => onSet('blocked', !isBlocked)}>
                  {t(isBlocked ? 'siteUser.unblock' : 'siteUser.block')}
                </Button>
              )}
              {isOpen && confirmed.writable && (
                <Button onClick={() => onSet('confirmed', true)}>{t('siteUser.confirm')}</Button>
              )}
            </div>
          )}
        </section>
      )}
      <Sessions id={documentId} mayEnd={mayWrite} isBlocked={isBlocked} />
    </>
  );
}

const STATES = { active: CircleCheck, blocked: CircleAlert, unconfirmed: Clock } as const;

interface SessionsProps {
  readonly id: string;
  readonly mayEnd: boolean;
  readonly isBlocked: boolean;
}

function Sessions({ id, mayEnd, isBlocked }: SessionsProps): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { data } = useQuery(sessionsQuery(id, isBlocked));
  const end = useMutation({
    mutationFn: (one: SiteUserSession | undefined) =>
      one
        ? request('DELETE site-users/:id/sessions/:session', { params: { id, session: one.id } })
        : request('DELETE site-users/:id/sessions', { params: { id } }),
    onSuccess: () => show({ text: t('siteUser.ended') }),
    onError: (error, one) => show({ text: failureText(t, error), tone: 'danger', retry: () => end.mutate(one) }),
    onSettled: () => client.invalidateQueries({ queryKey: [SESSIONS, id] }),
  });
  const total = data?.meta.total ?? 0;
  return (
    <section aria-labelledby="site-user-sessions">
      <h2 id="site-user-sessions" className={panelStyles['sideHead']}>
        {t('siteUser.sessions')}
      </h2>
      {data && total === 0 && <p className={panelStyles['quiet']}>{t('siteUser.sessions.none')}</p>}
      {data && (
        <div className={panelStyles['sessions']}>
          <SessionList sessions={data.data} onEnd={mayEnd ? (one) => end.mutate(one) : undefined} />
        </div>
      )}
      {data && total > data.data.length && (
        <p className={panelStyles['quiet']}>{t('siteUser.sessions.more', { count: total - data.data.length })}</p>
      )}
      {mayEnd && total > 0 && (
        <Button busy={end.isPending} onClick={() => end.mutate(undefined)}>
          {t('siteUser.endAll')}
        </Button>
      )}
    </section>
  );
}
