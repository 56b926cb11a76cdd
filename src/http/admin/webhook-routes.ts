/** Webhooks and their deliveries, for administrators with the reference's rights. */
import type { WebhooksConfig } from '../../config/config.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { cut, notFound, refusal, validation } from '../../errors.ts';
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryCounts,
  deliveryCounts,
  listDeliveries,
  retryDeliveries,
  retryDelivery,
} from '../../events/webhooks/deliveries.ts';
import { sendTest } from '../../events/webhooks/sender.ts';
import {
  addWebhook,
  listWebhooks,
  MOST_WEBHOOKS,
  removeWebhook,
  setWebhookSecret,
  switchWebhook,
  updateWebhook,
  type Webhook,
} from '../../events/webhooks/webhook.ts';
import { shownUrl, withoutSecrets } from '../../events/webhooks/webhook-input.ts';
import { Semaphore } from '../../semaphore.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, pathParam, rowIdOf } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { mayAct, withRight } from './settings-rights.ts';
import { newWebhookBody, webhookBody } from './webhook-bodies.ts';

/** Deliveries per page, and characters of a shown answer. */
const PAGE = 50;
const SHOWN = 500;
/** Concurrent test requests. */
const TESTS = 4;

type Right = 'create' | 'read' | 'update' | 'delete';

const actionOf = (right: Right): string => `admin::webhooks.${right}`;

const by = (right: Right, handler: AdminHandler): AdminHandler => withRight(actionOf(right), handler);

export function webhookRoutes({ config: { webhooks: config }, database }: HttpContext): AdminRoute[] {
  const tests = new Semaphore(TESTS);
  const described = async (webhooks: readonly Webhook[]) => {
    const counts = await deliveryCounts(
      database,
      webhooks.map(({ id }) => id),
    );
    return webhooks.map((webhook) => toldWebhook(webhook, counts.get(webhook.id)));
  };
  const found = async (call: AdminCall, db: Parameters<typeof listWebhooks>[0] = database): Promise<Webhook> => {
    const id = rowIdOf(pathParam(call.request, 'id'));
    const webhook = (await listWebhooks(db)).find((one) => one.id === id);
    if (!webhook) throw notFound();
    return webhook;
  };
  /** Changes a webhook, under a lock. */
  const changing = <T>(call: AdminCall, work: (tx: Transaction, webhook: Webhook) => Promise<T>): Promise<T> =>
    database.transaction(async (tx) => {
      await tx.lock(() => [{ key: `galley webhook ${pathParam(call.request, 'id')}`, shared: false }]);
      return work(tx, await found(call, tx));
    });

  const list: AdminHandler = async (call) => sendData(call.reply, await described(await listWebhooks(database)));
  const read: AdminHandler = async (call) => sendData(call.reply, (await described([await found(call)]))[0]);
  const create: AdminHandler = async (call) => {
    const { enabled, ...webhook } = newWebhookBody(call.request.body, config);
    const { id, secret } = await database.transaction(async (tx) => {
      if ((await listWebhooks(tx)).length >= MOST_WEBHOOKS)
        throw refusal(`there are ${MOST_WEBHOOKS} webhooks already`);
      const added = await addWebhook(tx, webhook);
      if (!enabled) await switchWebhook(tx, added.id, false);
      return added;
    });
    return sendData(call.reply, { ...toldWebhook({ ...webhook, id, enabled, secret }, undefined), secret }, 201);
  };
  const update: AdminHandler = async (call) => {
    await changing(call, async (tx, webhook) =>
      updateWebhook(tx, webhook.id, webhookBody(call.request.body, config, webhook)),
    );
    return read(call);
  };
  const remove: AdminHandler = async (call) => {
    await changing(call, (tx, { id }) => removeWebhook(tx, id));
    return call.reply.code(204).send();
  };
  const renewSecret: AdminHandler = async (call) =>
    sendData(call.reply, { secret: await changing(call, (tx, { id }) => setWebhookSecret(tx, id)) });
  const test: AdminHandler = async (call) => {
    const webhook = await found(call);
    const { ok, status = null, answer, milliseconds } = await tests.run(() => sendTest(webhook, config));
    return sendData(call.reply, { ok, status, answer: shownAnswer(answer, webhook, config), milliseconds });
  };
  const deliveries: AdminHandler = async (call) => {
    const webhook = await found(call);
    const { state: word, cursor } = paramsOf(call.request);
    const state = DELIVERY_STATES.find((known) => known === word);
    if (word !== undefined && !state) throw validation(`state must be one of ${DELIVERY_STATES.join(', ')}`);
    const before = typeof cursor === 'string' ? rowIdOf(cursor) : undefined;
    if (cursor !== undefined && before === undefined) throw validation('cursor must be the next of another page');
    const asked = await listDeliveries(database, { webhook: webhook.id, state, before, most: PAGE + 1 });
    const page = asked.slice(0, PAGE);
    const next = asked.length > PAGE ? String(page.at(-1)!.id) : null;
    const body = {
      data: page.map((one) => toldDelivery(one, { webhook, config, isShownAnswers: mayAct(call, actionOf('update')) })),
      meta: { next },
    };
    return sendJson(call.reply, JSON.stringify(body));
  };
  const retryAll: AdminHandler = async (call) => {
    const count = await changing(call, (tx, { id }) => retryDeliveries(tx, id, Date.now()));
    return sendData(call.reply, { count });
  };
  const retryOne: AdminHandler = async (call) => {
    const delivery = rowIdOf(pathParam(call.request, 'delivery'));
    const isThere = await changing(
      call,
      async (tx, { id }) => delivery !== undefined && retryDelivery(tx, delivery, Date.now(), id),
    );
    if (!isThere) throw notFound();
    return call.reply.code(204).send();
  };
  return [
    { path: '/webhooks', methods: { GET: by('read', list), POST: by('create', create) } },
    {
      path: '/webhooks/:id',
      methods: { GET: by('read', read), PUT: by('update', update), DELETE: by('delete', remove) },
    },
    { path: '/webhooks/:id/secret', methods: { POST: by('update', renewSecret) } },
    { path: '/webhooks/:id/test', methods: { POST: by('update', test) } },
    { path: '/webhooks/:id/deliveries', methods: { GET: by('read', deliveries) } },
    { path: '/webhooks/:id/deliveries/retry', methods: { POST: by('update', retryAll) } },
    { path: '/webhooks/:id/deliveries/:delivery/retry', methods: { POST: by('update', retryOne) } },
  ];
}

function toldWebhook({ id, name, url, events, enabled, headers, secret }: Webhook, counts?: DeliveryCounts) {
  const { last, waiting = 0, failed = 0 } = counts ?? {};
  return {
    ...{ id, name, url: shownUrl(url), events, enabled, waiting, failed },
    headers: Object.keys(headers),
    signed: secret !== undefined,
    last: last ? { state: last.state, attempts: last.attempts, at: timeOf(last.triedAt ?? last.changedAt) } : null,
  };
}

/**
 * The content of a delivery is not shown, only its subject. Its answer may contain content, so not every administrator
 * sees it.
 */
function toldDelivery(
  delivery: Delivery,
  { webhook, config, isShownAnswers }: { webhook: Webhook; config: WebhooksConfig; isShownAnswers: boolean },
) {
  const { id, event, uid, documentId, locale, state, attempts, changedAt, triedAt, nextAt, answerStatus } = delivery;
  const isOwnWords = answerStatus === undefined;
  const answer = state === 'sent' || !(isOwnWords || isShownAnswers) ? undefined : delivery.answer;
  return {
    ...{ id, event, uid, documentId, locale, state, attempts },
    happenedAt: timeOf(changedAt),
    triedAt: triedAt === undefined ? null : timeOf(triedAt),
    nextAt: state !== 'waiting' || nextAt === undefined ? null : timeOf(nextAt),
    status: answerStatus ?? null,
    answer: answer === undefined ? null : shownAnswer(answer, webhook, config),
    milliseconds: delivery.milliseconds ?? null,
  };
}

const shownAnswer = (answer: string, webhook: Webhook, config: WebhooksConfig): string =>
  cut(withoutSecrets(answer, webhook, config), SHOWN);
