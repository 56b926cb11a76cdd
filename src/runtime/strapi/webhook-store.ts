/**
 * `strapi.get('webhookStore')` and `strapi.get('webhookRunner')`: the webhooks that the server sends changes to
 * (docs/reference/webhooks.md), for code that reads and writes them.
 */
import { randomUUID } from 'node:crypto';
import { validation } from '../../errors.ts';
import { send } from '../../events/webhooks/sender.ts';
import {
  addWebhook,
  CONTENT_EVENTS,
  listWebhooks,
  removeWebhook,
  switchWebhook,
  updateWebhook,
  type Webhook,
} from '../../events/webhooks/webhook.ts';
import { requireHeader, WebhookMistake, webhookUrl } from '../../events/webhooks/webhook-input.ts';
import type { Params } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';
import { rowIdOf, rowIdOrNone } from '../row-id.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import { UnitOfWork } from '../unit-of-work.ts';

/** `entry.draft-discard` under its name in the reference's map: `ENTRY_DRAFT_DISCARD`. */
const keyOf = (event: string): string => event.toUpperCase().replaceAll(/[.-]/g, '_');

/** @throws ContentError 400 from methods that create or change a webhook, for values that `galley webhook` refuses. */
export function webhookStore({ database, config }: RuntimeContext) {
  const one = async (id: unknown): Promise<object | null> => {
    const webhook = (await listWebhooks(database)).find((known) => known.id === rowIdOf(id));
    return webhook ? described(webhook) : null;
  };
  const checked = (data: Params) => {
    const { name, url, headers, events } = data;
    if (headers != null && !isPlain(headers)) throw validation('headers must be an object');
    if (typeof name !== 'string' || name === '') throw validation('name must be a text');
    try {
      webhookUrl(String(url), config.webhooks);
      for (const [key, value] of Object.entries((headers ?? {}) as object)) requireHeader(key, String(value));
    } catch (error) {
      throw error instanceof WebhookMistake ? validation(error.message) : error;
    }
    const names = [events ?? []].flat().map(String);
    for (const event of names) {
      if (!(CONTENT_EVENTS as readonly string[]).includes(event))
        throw validation(`Webhook event ${event} is not supported`);
    }
    return { name, url: String(url), headers: (headers ?? {}) as Record<string, string>, events: names };
  };
  return {
    allowedEvents: new Map<string, string>(CONTENT_EVENTS.map((event) => [keyOf(event), event])),
    listAllowedEvents: () => CONTENT_EVENTS.map(keyOf),
    getAllowedEvent: (key: string) => CONTENT_EVENTS.find((event) => keyOf(event) === key),
    findWebhooks: async () => (await listWebhooks(database)).map(described),
    findWebhook: one,
    /** Makes a webhook, switched on, as the reference does. */
    async createWebhook(data: Params) {
      const webhook = checked(data);
      return one((await database.transaction((tx) => addWebhook(tx, webhook))).id);
    },
    async updateWebhook(id: unknown, data: Params) {
      const stored = await one(id);
      if (!stored) return null;
      const webhook = checked({ ...stored, ...data });
      await database.transaction(async (tx) => {
        await updateWebhook(tx, rowIdOrNone(id), webhook);
        if (data['isEnabled'] !== undefined) await switchWebhook(tx, rowIdOrNone(id), Boolean(data['isEnabled']));
      });
      return one(id);
    },
    async deleteWebhook(id: unknown) {
      const webhook = await one(id);
      if (webhook) await database.transaction((tx) => removeWebhook(tx, rowIdOrNone(id)));
      return webhook;
    },
  };
}

/**
 * `strapi.get('webhookRunner')`. The server sends changes to the webhooks of the table only; code's additions have no
 * effect.
 */
export function webhookRunner({ config }: RuntimeContext) {
  return {
    add: () => {},
    update: () => {},
    remove: () => {},
    /** Sends one event to a webhook by the rules of the server, and returns its answer. */
    async run({ id, url, headers }: Params, event: string, info: object = {}) {
      UnitOfWork.currentOrOutside.check();
      const message = {
        id: `${String(id ?? 'code')}-${randomUUID()}`,
        event,
        body: JSON.stringify({ event, createdAt: new Date(), ...info }),
      };
      const webhook = { url: String(url), headers: (headers ?? {}) as Record<string, string>, secret: undefined };
      const { ok, status, answer } = await send(webhook, message, config.webhooks);
      return ok ? { statusCode: status } : { statusCode: status ?? 500, message: answer };
    },
  };
}

/** A webhook without its secret. */
function described({ id, name, url, headers, events, enabled }: Webhook): object {
  return { id: String(id), name, url, headers, events, isEnabled: enabled };
}
