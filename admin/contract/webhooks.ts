/** Requests for webhooks, their deliveries, and jobs. */
import {
  flag,
  type Infer,
  list,
  moment,
  nullable,
  number,
  object,
  oneOf,
  optional,
  recordOf,
  type Shape,
  text,
} from './shape.ts';

const state = oneOf('waiting', 'sent', 'failed');

const fields = {
  id: number,
  name: text,
  /** Without the password that it may contain: `https://user:…@example.com/`. */
  url: text,
  events: list(text),
  enabled: flag,
  /** Only names: values are not returned. */
  headers: list(text),
  /** Whether requests are signed. */
  signed: flag,
  waiting: number,
  failed: number,
  last: nullable(object({ state, attempts: number, at: moment })),
};

export const webhook = object(fields);

export const delivery = object({
  id: number,
  event: text,
  uid: text,
  documentId: text,
  locale: nullable(text),
  state,
  attempts: number,
  happenedAt: moment,
  triedAt: nullable(moment),
  /**
   * The time of the next attempt; null if there is none, or if an earlier delivery of the same document has to arrive
   * first.
   */
  nextAt: nullable(moment),
  /** The status of the last response; null if there was none. */
  status: nullable(number),
  /** The beginning of an unsuccessful response, for administrators who may update webhooks; or why there was none. */
  answer: nullable(text),
  milliseconds: nullable(number),
});

export const job = object({
  name: text,
  origin: oneOf('galley', 'config', 'code'),
  /** A cron expression, or the time of a single run. */
  rule: text,
  timezone: nullable(text),
  next: nullable(moment),
  last: nullable(
    object({
      outcome: oneOf('running', 'done', 'failed', 'given up'),
      at: moment,
      milliseconds: nullable(number),
      error: nullable(text),
    }),
  ),
});

/** Null keeps the current value. */
const headers = recordOf(nullable(text));

const inData = <T>(shape: Shape<T>) => ({ answer: object({ data: shape }) });

export const WEBHOOK_REQUESTS = {
  'GET webhooks': inData(list(webhook)),
  /** The only answer that contains the secret. */
  'POST webhooks': {
    body: object({ name: text, url: text, events: list(text), headers: optional(headers), enabled: optional(flag) }),
    ...inData(object({ ...fields, secret: text })),
  },
  'GET webhooks/:id': inData(webhook),
  'PUT webhooks/:id': {
    body: object({
      name: optional(text),
      url: optional(text),
      events: optional(list(text)),
      headers: optional(headers),
      enabled: optional(flag),
    }),
    ...inData(webhook),
  },
  'DELETE webhooks/:id': {},
  /** Replaces the secret. */
  'POST webhooks/:id/secret': inData(object({ secret: text })),
  'POST webhooks/:id/test': inData(object({ ok: flag, status: nullable(number), answer: text, milliseconds: number })),
  /** Newest first. Takes `state`, and `cursor`, the `next` of the previous page. */
  'GET webhooks/:id/deliveries': {
    answer: object({ data: list(delivery), meta: object({ next: nullable(text) }) }),
  },
  /** Resends all deliveries that have failed or wait for another attempt. */
  'POST webhooks/:id/deliveries/retry': inData(object({ count: number })),
  'POST webhooks/:id/deliveries/:delivery/retry': {},
  'GET jobs': inData(list(job)),
  /** Starts a run. */
  'POST jobs/run': { body: object({ name: text, origin: text }) },
} as const;

export type Webhook = Infer<typeof webhook>;
export type WebhookDelivery = Infer<typeof delivery>;
export type Job = Infer<typeof job>;
