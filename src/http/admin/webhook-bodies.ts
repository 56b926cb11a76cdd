/** Checks bodies of requests for webhooks, and reports all mistakes at once. */
import type { WebhooksConfig } from '../../config/config.ts';
import { validation } from '../../errors.ts';
import type { NewWebhook, Webhook } from '../../events/webhooks/webhook.ts';
import {
  MOST_CHARACTERS,
  MOST_HEADERS,
  requireHeader,
  shownUrl,
  WebhookMistake,
  webhookEvents,
  webhookUrl,
} from '../../events/webhooks/webhook-input.ts';
import { at, Failures, type Place } from '../../failures.ts';
import { isObject } from '../../plain-values.ts';
import { reason } from '../../reasons.ts';

/** The values of a webhook; missing ones stay unchanged. */
export type WebhookChange = Partial<NewWebhook & Pick<Webhook, 'enabled'>>;

/** The replacement of a password in a shown address. */
const HIDDEN_PASSWORD = encodeURIComponent('…');

/**
 * Checks a new webhook.
 *
 * @throws ContentError 400 with the paths of all mistakes.
 */
export function newWebhookBody(raw: unknown, config: WebhooksConfig): NewWebhook & { readonly enabled: boolean } {
  const body = objectOf(raw);
  const required = { name: body['name'] ?? '', url: body['url'] ?? '', events: body['events'] ?? [] };
  const { name, url, events, headers = {}, enabled = true } = webhookBody({ ...body, ...required }, config, undefined);
  return { name: name!, url: url!, events: events!, headers, enabled };
}

/**
 * Checks a changed webhook. A header that is null keeps its value, unless the address changes to another host: an
 * administrator who may not see a value may not have it sent elsewhere.
 *
 * @param stored the stored webhook; undefined for a new one.
 * @throws ContentError 400 with the paths of all mistakes.
 */
export function webhookBody(raw: unknown, config: WebhooksConfig, stored: Webhook | undefined): WebhookChange {
  const { name, url, headers, events, enabled } = objectOf(raw);
  const checks = new Checks();
  const change: { -readonly [K in keyof WebhookChange]: WebhookChange[K] } = {};
  if (name !== undefined) change.name = checks.of(at('name'), '', () => nameOf(name));
  if (url !== undefined) change.url = checks.of(at('url'), '', () => addressOf(url, config, stored));
  if (events !== undefined) change.events = checks.of(at('events'), [], () => eventsOf(events));
  if (enabled !== undefined) change.enabled = checks.of(at('enabled'), false, () => flagOf(enabled));
  // an invalid address has no host
  const isElsewhere = stored !== undefined && !!change.url && originOf(change.url) !== originOf(stored.url);
  const wanted = headers ?? (isElsewhere ? keptHeaders(stored) : undefined);
  if (wanted !== undefined) {
    const headerValues = checks.of(at('headers'), {}, () => headersOf(wanted));
    const known = new Map(Object.entries(stored?.headers ?? {}).map(([key, value]) => [key.toLowerCase(), value]));
    const headerValue = (key: string, value: unknown): string => {
      if (value === null && isElsewhere) {
        throw new WebhookMistake('give the value again: the address leads to another host');
      }
      const header = value === null ? known.get(key.toLowerCase()) : value;
      if (typeof header !== 'string' || header === '') throw new WebhookMistake('a header needs a value');
      // a stored header may come from the reference's panel
      if (value !== null) requireHeader(key, header);
      return header;
    };
    change.headers = Object.fromEntries(
      Object.entries(headerValues).map(([key, value]) => [
        key,
        checks.of(at('headers', key), '', () => headerValue(key, value)),
      ]),
    );
  }
  checks.finish();
  return change;
}

/** Collects mistakes in values. Messages do not contain the values: they may be secret. */
class Checks {
  readonly #failures = new Failures();

  /** The result of `work`, or `otherwise` where it finds a mistake. */
  of<T>(place: Place, otherwise: T, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof WebhookMistake)) throw error;
      this.#failures.add(place, error.why ? { said: error.message, why: error.why } : error.message);
      return otherwise;
    }
  }

  finish(): void {
    this.#failures.throwAny();
  }
}

function nameOf(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new WebhookMistake('name is a required field', reason('required'));
  if (value.length > MOST_CHARACTERS || /\p{Cc}/u.test(value) || !value.isWellFormed()) {
    throw new WebhookMistake(`name must be at most ${MOST_CHARACTERS} characters, without control characters`);
  }
  return value.trim();
}

function eventsOf(value: unknown): string[] {
  const isList =
    Array.isArray(value) && value.length <= MOST_CHARACTERS && value.every((word) => typeof word === 'string');
  if (!isList || value.length === 0) throw new WebhookMistake('events must name at least one event');
  return [...new Set((value as string[]).flatMap(webhookEvents))];
}

function flagOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new WebhookMistake('enabled must be true or false');
}

function headersOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value) && Object.keys(value).length <= MOST_HEADERS) return value;
  throw new WebhookMistake(`headers must be an object of at most ${MOST_HEADERS} headers`);
}

const keptHeaders = ({ headers }: Webhook) => Object.fromEntries(Object.keys(headers).map((key) => [key, null]));

/** @throws WebhookMistake for an invalid address, and for an unknown password. */
function addressOf(value: unknown, config: WebhooksConfig, stored: Webhook | undefined): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new WebhookMistake('url is a required field', reason('required'));
  const text = value.trim();
  if (stored && text === shownUrl(stored.url)) return stored.url;
  const url = webhookUrl(text, config);
  if (url.password === HIDDEN_PASSWORD) throw new WebhookMistake('give the password again, or leave it out');
  return url.href;
}

const originOf = (url: string): string | undefined => URL.parse(url)?.origin;

function objectOf(raw: unknown): Readonly<Record<string, unknown>> {
  if (isObject(raw)) return raw;
  throw validation('The request needs a JSON object as its body');
}
