/** Requests for webhooks and deliveries. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery } from '../../../contract/webhooks.ts';
import { request } from '../../data/client.ts';
import type { PlainKey } from '../../language/messages.ts';

/** The events by subject. */
export const EVENTS = {
  entry: ['create', 'update', 'delete', 'publish', 'unpublish', 'draft-discard'],
  media: ['create', 'update', 'delete'],
  schedule: ['failed'],
  'review-workflows': ['updateEntryStage', 'updateEntryAssignee'],
} as const;
export type EventGroup = keyof typeof EVENTS;
export const GROUPS = Object.keys(EVENTS) as EventGroup[];

/** The milliseconds between refetches of running deliveries. */
const LOOK = 3000;

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async ({ signal }) => (await request('GET webhooks', { signal })).data,
  refetchInterval: LOOK,
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: async ({ signal }) => (await request('GET webhooks/:id', { params: { id }, signal })).data,
    refetchInterval: LOOK,
    retry: false,
  });

export type DeliveryState = WebhookDelivery['state'];

export const deliveriesQuery = (id: string, state: DeliveryState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', id, 'deliveries', state ?? 'any'],
    queryFn: ({ pageParam: cursor, signal }) =>
      request('GET webhooks/:id/deliveries', { params: { id }, query: { state, cursor }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
    // Only the first page changes.
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 1) === 1 ? LOOK : false),
  });

/** The text of a state. A waiting delivery may have been attempted. */
export function stateKey({ state, attempts }: Pick<NonNullable<Webhook['last']>, 'state' | 'attempts'>): PlainKey {
  return state === 'waiting' && attempts > 0 ? 'webhooks.state.again' : `webhooks.state.${state}`;
}
