/** Webhooks as the reference stores them in `strapi_webhooks`, and the secrets for their signatures. */
import { randomBytes } from 'node:crypto';
import { recordRowChange } from '../../content/rows/changes.ts';
import type { Queryable, Row } from '../../db/interface/queryable.ts';
import { deleteRows, execute, insertRow, query, selectRows, updateRows } from '../../db/interface/statements.ts';
import type { Transaction } from '../../db/interface/transaction.ts';
import { isObject } from '../../plain-values.ts';
import {
  compileSetWebhookSecret,
  compileWebhooks,
  DELIVERIES_TABLE,
  SECRETS_TABLE,
  WEBHOOKS_TABLE,
} from '../../sql/events/webhooks.ts';

/** The uid of webhooks in changes, as in the reference. */
export const WEBHOOK_UID = 'strapi::webhook';

/** Events of documents and files, with the reference's names. */
export const CONTENT_EVENTS = [
  'entry.create',
  'entry.update',
  'entry.delete',
  'entry.publish',
  'entry.unpublish',
  'entry.draft-discard',
  'media.create',
  'media.update',
  'media.delete',
] as const;
/** Events of review: a document was moved to another stage (the reference's name), or assigned. */
const REVIEW_EVENTS = ['review-workflows.updateEntryStage', 'review-workflows.updateEntryAssignee'] as const;

/** All events that a webhook can subscribe to. */
export const WEBHOOK_EVENTS = [...CONTENT_EVENTS, ...REVIEW_EVENTS, 'schedule.failed'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Webhooks that are read; further ones receive nothing. */
export const MOST_WEBHOOKS = 1000;

export interface NewWebhook {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: readonly string[];
}

export interface Webhook extends NewWebhook {
  readonly id: number;
  readonly enabled: boolean;
  /** The key of its signatures; undefined: its requests are not signed. */
  readonly secret: string | undefined;
}

/** All webhooks, in the order of their ids. */
export async function listWebhooks(db: Queryable): Promise<Webhook[]> {
  return (await query(db, compileWebhooks(MOST_WEBHOOKS))).map(webhookOf);
}

/** Creates an enabled webhook. Returns its id and secret. */
export async function addWebhook(tx: Transaction, webhook: NewWebhook): Promise<{ id: number; secret: string }> {
  const { dialect } = tx;
  const id = await insertRow(tx, WEBHOOKS_TABLE, {
    name: webhook.name,
    url: webhook.url,
    headers: dialect.encode(JSON.stringify(webhook.headers), 'json'),
    events: dialect.encode(JSON.stringify(webhook.events), 'json'),
    enabled: dialect.encode(true, 'boolean'),
  });
  const secret = await storeNewSecret(tx, id);
  recordRowChange(tx, WEBHOOK_UID, String(id), 'created', id, { name: webhook.name });
  return { id, secret };
}

/** Replaces the secret of a webhook. */
export async function setWebhookSecret(tx: Transaction, id: number): Promise<string> {
  const secret = await storeNewSecret(tx, id);
  const details = { name: await nameOf(tx, id), fields: ['secret'] };
  recordRowChange(tx, WEBHOOK_UID, String(id), 'updated', id, details);
  return secret;
}

async function storeNewSecret(tx: Transaction, id: number): Promise<string> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await execute(tx, compileSetWebhookSecret(), [id, secret]);
  return secret;
}

async function nameOf(tx: Transaction, id: number): Promise<string> {
  const [row] = await selectRows(tx, WEBHOOKS_TABLE, ['name'], { id });
  return String(row?.[0] ?? '');
}

/** Changes a webhook; undefined values stay as they are. */
export async function updateWebhook(
  tx: Transaction,
  id: number,
  { name, url, headers, events, enabled }: Partial<NewWebhook & Pick<Webhook, 'enabled'>>,
): Promise<void> {
  const { dialect } = tx;
  const values = {
    ...(name === undefined ? {} : { name }),
    ...(url === undefined ? {} : { url }),
    ...(headers === undefined ? {} : { headers: dialect.encode(JSON.stringify(headers), 'json') }),
    ...(events === undefined ? {} : { events: dialect.encode(JSON.stringify(events), 'json') }),
    ...(enabled === undefined ? {} : { enabled: dialect.encode(enabled, 'boolean') }),
  };
  if (Object.keys(values).length === 0) return;
  await updateRows(tx, WEBHOOKS_TABLE, values, { id });
  const details = { name: await nameOf(tx, id), fields: Object.keys(values) };
  recordRowChange(tx, WEBHOOK_UID, String(id), 'updated', id, details);
}

/** Enables or disables a webhook. */
export const switchWebhook = (tx: Transaction, id: number, enabled: boolean): Promise<void> =>
  updateWebhook(tx, id, { enabled });

/** Deletes a webhook and its deliveries. */
export async function removeWebhook(tx: Transaction, id: number): Promise<void> {
  const name = await nameOf(tx, id);
  await deleteRows(tx, DELIVERIES_TABLE, { webhook_id: id });
  await deleteRows(tx, SECRETS_TABLE, { webhook_id: id });
  await deleteRows(tx, WEBHOOKS_TABLE, { id });
  recordRowChange(tx, WEBHOOK_UID, String(id), 'deleted', id, { name });
}

function webhookOf([id, name, url, headers, events, enabled, secret]: Row): Webhook {
  return {
    id: Number(id),
    name: String(name ?? ''),
    url: String(url ?? ''),
    headers: headersOf(jsonOf(headers)),
    events: eventsOf(jsonOf(events)),
    enabled: enabled === true || enabled === 1,
    secret: secret === null ? undefined : String(secret),
  };
}

/** The value of a JSON column, which some engines return as text; undefined for invalid JSON. */
function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function headersOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, header]) => [name, String(header)]));
}

function eventsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((event) => typeof event === 'string') : [];
}
