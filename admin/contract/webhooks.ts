/** Webhooks, what they were sent, and jobs. */
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
  /** Without the password that it may have: `https://user:…@example.com/`. */
  url: text,
  events: list(text),
  enabled: flag,
  /** Names: values are not told. */
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
  /** When it is attempted next; null where it is not, and behind another one of its document. */
  nextAt: nullable(moment),
  /** Of the last answer; null where there was none. */
  status: nullable(number),
  /** The beginning of an answer that is no success, to those who may update webhooks, or why there is none. */
  answer: nullable(text),
  milliseconds: nullable(number),
});

export const job = object({
  name: text,
  origin: oneOf('galley', 'config', 'code'),
  /** A cron expression, or the time of its one run. */
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

/** What is null keeps the value that it has. */
const headers = recordOf(nullable(text));

const inData = <T>(shape: Shape<T>) => ({ answer: object({ data: shape }) });

export const WEBHOOK_REQUESTS = {
  'GET webhooks': inData(list(webhook)),
  /** The secret is told this once. */
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
  /** A new secret. */
  'POST webhooks/:id/secret': inData(object({ secret: text })),
  'POST webhooks/:id/test': inData(object({ ok: flag, status: nullable(number), answer: text, milliseconds: number })),
  /** The newest first; takes `state`, and `cursor`, the `next` of the page before. */
  'GET webhooks/:id/deliveries': {
    answer: object({ data: list(delivery), meta: object({ next: nullable(text) }) }),
  },
  /** All that have failed, or wait for another attempt. */
  'POST webhooks/:id/deliveries/retry': inData(object({ count: number })),
  'POST webhooks/:id/deliveries/:delivery/retry': {},
  'GET jobs': inData(list(job)),
  /** Begins a run. */
  'POST jobs/run': { body: object({ name: text, origin: text }) },
} as const;

export type Webhook = Infer<typeof webhook>;
export type WebhookDelivery = Infer<typeof delivery>;
export type Job = Infer<typeof job>;
