/** The list of webhooks, with their state and their deliveries. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Webhook } from '../../../contract/webhooks.ts';
import { useChange } from '../../app/changes.ts';
import { Missing } from '../../app/not-found.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { request } from '../../data/client.ts';
import { permits, useSession } from '../../data/session.ts';
import { Moment, useText } from '../../language/language.tsx';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Plus, Zap } from '../../ui/icons.ts';
import { Switch } from '../../ui/toggle.tsx';
import { webhooksQuery } from './data.ts';
import { DeliveryStateMark } from './state.tsx';
import styles from './webhooks.module.css';

export function Webhooks(): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const may = permits(rights, 'admin::webhooks.read');
  const { data, isError } = useQuery({ ...webhooksQuery, enabled: may });
  const isMissing = !may || (isError && !data);
  useTitle(isMissing ? undefined : t('webhooks.title'));
  if (isMissing) return <Missing />;
  const make = permits(rights, 'admin::webhooks.create') && (
    <ButtonLink look="primary" icon={Plus} to="/webhooks/$webhookId" params={{ webhookId: 'new' }}>
      {t('webhooks.new')}
    </ButtonLink>
  );
  const isEmpty = data?.length === 0;
  return (
    <>
      <PageHead title={t('webhooks.title')} {...(data?.length ? { count: data.length } : {})}>
        {!isEmpty && make}
      </PageHead>
      {isEmpty ? (
        <EmptyState icon={Zap} title={t('webhooks.empty')} text={t('webhooks.empty.text')} action={make} />
      ) : (
        <ul className={classes(shared['rows'], styles['webhooks'])} aria-label={t('webhooks.list')}>
          {data === undefined ? (
            <li className={shared['row']}>
              <Skeleton width="40%" />
            </li>
          ) : (
            data.map((webhook) => <Row key={webhook.id} webhook={webhook} />)
          )}
        </ul>
      )}
    </>
  );
}

function Row({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const { id, name, url, events, enabled, last, waiting, failed } = webhook;
  const turn = useChange<boolean, readonly Webhook[]>({
    queryKey: webhooksQuery.queryKey,
    apply: (all, on) => all.map((one) => (one.id === id ? { ...one, enabled: on } : one)),
    send: async (on) => {
      await request('PUT webhooks/:id', { params: { id: String(id) }, body: { enabled: on } });
      return undefined;
    },
    reverse: (before) => before.find((one) => one.id === id)?.enabled,
    done: t('saved'),
  });
  const state = t(enabled ? 'webhooks.on' : 'webhooks.off');
  return (
    <li className={shared['row']}>
      <div className={shared['main']}>
        <Link to="/webhooks/$webhookId" params={{ webhookId: String(id) }} className={shared['name']}>
          {name}
        </Link>
        <span className={shared['quiet']}>{url}</span>
      </div>
      <span className={classes(shared['wide'], styles['events'])}>
        {t('webhooks.events', { count: events.length })}
      </span>
      <div className={classes(shared['main'], shared['below'])}>
        {last ? (
          <>
            <DeliveryStateMark of={last} />
            <span className={shared['quiet']}>
              <Moment at={last.at} />
              {waiting > 0 && ` · ${t('webhooks.waiting', { count: waiting })}`}
              {failed > 0 && ` · ${t('webhooks.failed', { count: failed })}`}
            </span>
          </>
        ) : (
          <span className={shared['quiet']}>{t('webhooks.never')}</span>
        )}
      </div>
      <Switch
        label={state}
        aria-label={`${state}: ${name}`}
        checked={enabled}
        disabled={!permits(rights, 'admin::webhooks.update')}
        onValue={(on) => void turn(on).catch(() => undefined)}
      />
    </li>
  );
}
