/** The deliveries of a webhook, newest first, and resending them. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { Around, Moment, useText } from '../../language/language.tsx';
import type { PlainKey } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { RefreshCw } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Section } from '../account/section.tsx';
import { type DeliveryState, deliveriesQuery, webhookQuery } from './data.ts';
import { DeliveryStateMark } from './state.tsx';
import styles from './webhooks.module.css';

const STATES = ['waiting', 'sent', 'failed'] as const;

export function Deliveries({
  webhook: { id, waiting, failed },
  mayRetry,
}: {
  readonly webhook: Webhook;
  readonly mayRetry: boolean;
}): ReactNode {
  const t = useText();
  const [state, setState] = useState<DeliveryState>();
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(deliveriesQuery(String(id), state));
  const retryAll = useRetry(id);
  const deliveries = data?.pages.flatMap((page) => page.data);
  return (
    <Section title={t('webhook.deliveries')}>
      <div className={styles['tools']}>
        <Select
          aria-label={t('webhook.deliveries.state')}
          value={state ?? ''}
          onValue={(value) => setState(STATES.find((known) => known === value))}
          options={[
            { value: '', label: t('webhook.deliveries.any') },
            ...STATES.map((value) => ({ value, label: t(`webhooks.state.${value}`) })),
          ]}
        />
        {mayRetry && failed + waiting > 0 && (
          <Button icon={RefreshCw} busy={retryAll.isPending} onClick={() => retryAll.mutate(undefined)}>
            {t('webhook.deliveries.retryAll')}
          </Button>
        )}
      </div>
      {deliveries?.length === 0 && <p className={shared['quiet']}>{t('webhook.deliveries.none')}</p>}
      <ul className={styles['deliveries']}>
        {deliveries?.map((delivery) => (
          <Row key={delivery.id} webhook={id} delivery={delivery} mayRetry={mayRetry} />
        ))}
      </ul>
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('webhook.deliveries.more')}
        </Button>
      )}
    </Section>
  );
}

interface RowProps {
  readonly webhook: number;
  readonly delivery: WebhookDelivery;
  readonly mayRetry: boolean;
}

function Row({ webhook, delivery, mayRetry }: RowProps): ReactNode {
  const t = useText();
  const retry = useRetry(webhook);
  const { id, event, uid, documentId, locale, state, attempts, happenedAt, nextAt, status, answer } = delivery;
  const isEntry = event.startsWith('entry.') && uid.startsWith('api::');
  const type = uid.split('.').at(-1) ?? uid;
  const name = locale === null ? type : `${type} (${locale})`;
  const eventText = t(`webhook.event.${event}` as PlainKey);
  return (
    <li className={styles['delivery']}>
      <div className={shared['main']}>
        <span>
          {isEntry ? (
            <Link
              to="/content/$uid/$documentId"
              params={{ uid, documentId }}
              search={{ locale: locale ?? undefined, beside: undefined }}
            >
              {name}
            </Link>
          ) : (
            name
          )}{' '}
          · {eventText}
        </span>
        <span className={shared['quiet']}>
          <Moment at={happenedAt} />
          {attempts > 0 && ` · ${t('webhook.delivery.attempts', { count: attempts })}`}
          {status !== null && ` · ${status}`}
          {state === 'waiting' && attempts > 0 && nextAt !== null && (
            <>
              {' · '}
              <Around text={t('webhook.delivery.next', { when: '\0' })} at={nextAt} isAhead />
            </>
          )}
          {state === 'waiting' && nextAt === null && ` · ${t('webhook.delivery.behind')}`}
        </span>
        {answer !== null && answer !== '' && <span className={styles['failure']}>{answer}</span>}
      </div>
      <DeliveryStateMark of={{ state, attempts, at: happenedAt }} />
      {mayRetry && (state !== 'waiting' || attempts > 0) && (
        <Button
          look="quiet"
          aria-label={t('webhook.delivery.retryOf', { event: eventText, document: name })}
          busy={retry.isPending}
          onClick={() => retry.mutate(id)}
        >
          {t('webhook.delivery.retry')}
        </Button>
      )}
    </li>
  );
}

/** Resends a delivery, or all that have not arrived. */
function useRetry(webhook: number) {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const id = String(webhook);
  const retry = useMutation({
    mutationFn: async (delivery: number | undefined) => {
      if (delivery === undefined) {
        return (await request('POST webhooks/:id/deliveries/retry', { params: { id } })).data.count;
      }
      await request('POST webhooks/:id/deliveries/:delivery/retry', { params: { id, delivery: String(delivery) } });
      return 1;
    },
    onSuccess: (count) => show({ text: t('webhook.deliveries.retried', { count }) }),
    onError: (error, delivery) =>
      show({ text: failureText(t, error), tone: 'danger', retry: () => retry.mutate(delivery) }),
    onSettled: () => client.invalidateQueries({ queryKey: webhookQuery(id).queryKey }),
  });
  return retry;
}
