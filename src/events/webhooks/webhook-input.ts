/** Checks the values of a webhook from the command line and the administration. */
import { unescape as decoded } from 'node:querystring';
import type { WebhooksConfig } from '../../config/config.ts';
import { cut } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { Reason } from '../../reasons.ts';
import { credentialTexts, withoutTexts } from '../../secret-texts.ts';
import { PrivateAddress, requirePublic } from './addresses.ts';
import { WEBHOOK_EVENTS, type Webhook } from './webhook.ts';

/** Limits: characters of names, characters of addresses, number of headers, characters of a header. */
export const MOST_CHARACTERS = 255;
const LONGEST_URL = 2000;
export const MOST_HEADERS = 50;
const LONGEST_HEADER = 4000;

/** What is wrong with a value, in a line without secrets. */
export class WebhookMistake extends Error {
  /** For the administration's app. */
  readonly why: Reason | undefined;

  constructor(message: string, why?: Reason) {
    super(message);
    this.why = why;
  }
}

/**
 * The address of a webhook. It must not be in a private network unless these are allowed; host names are checked when a
 * request is sent.
 *
 * @throws WebhookMistake for an address that is not http or https, or that no request would be sent to.
 */
export function webhookUrl(text: string, { allowPrivateNetworks }: WebhooksConfig): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new WebhookMistake(`${cut(text, 100)} is not an address: it must begin with https:// or http://`);
  }
  if (url.href.length > LONGEST_URL) throw new WebhookMistake(`an address has at most ${LONGEST_URL} characters`);
  if (allowPrivateNetworks) return url;
  try {
    requirePublic(url.hostname);
  } catch (error) {
    throw error instanceof PrivateAddress ? new WebhookMistake(error.message) : error;
  }
  return url;
}

/** The events of a word: one event, or all of `entry.*`, `media.*` or `review-workflows.*`. @throws WebhookMistake for another word. */
export function webhookEvents(word: string): readonly string[] {
  const group = /^(entry|media|review-workflows)\.\*$/.exec(word)?.[1];
  if (group !== undefined) return WEBHOOK_EVENTS.filter((event) => event.startsWith(`${group}.`));
  if ((WEBHOOK_EVENTS as readonly string[]).includes(word)) return [word];
  const hint = nearest(word, [...WEBHOOK_EVENTS, 'entry.*', 'media.*', 'review-workflows.*']);
  const advice = hint ? `did you mean ${hint}?` : `use ${WEBHOOK_EVENTS.join(', ')}`;
  throw new WebhookMistake(`unknown event ${cut(word, 100)}: ${advice}`);
}

/** @throws WebhookMistake for an invalid name or value of a header. */
export function requireHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~\w-]{1,255}$/.test(name) || !/^[\x20-\x7e]*$/.test(value)) {
    throw new WebhookMistake("a header must be such as 'Authorization: Bearer …'");
  }
  if (value.length > LONGEST_HEADER) throw new WebhookMistake(`a header has at most ${LONGEST_HEADER} characters`);
}

/** An address without its password. */
export const shownUrl = (url: string): string => url.replace(/(:\/\/[^/?#@:]*):[^/?#]*@/, '$1:…@');

/**
 * The answer of a webhook without the secrets that its request contained.
 *
 * @param config whose default headers are sent to every webhook.
 */
export function withoutSecrets(
  answer: string,
  { url, headers, secret }: Pick<Webhook, 'url' | 'headers' | 'secret'>,
  { defaultHeaders }: Pick<WebhooksConfig, 'defaultHeaders'>,
): string {
  const sent = [...Object.values(headers), ...Object.values(defaultHeaders)];
  const values = sent.flatMap((value) => [value, ...value.split(' ').slice(1)]);
  return withoutTexts(answer, [...values, secret ?? '', ...credentialsOf(url)]);
}

/** The query values and the password of an address, as written and as sent. */
function credentialsOf(url: string): readonly string[] {
  const { search = '' } = URL.parse(url) ?? {};
  const values = search.split(/[?&]/).map((part) => part.slice(part.indexOf('=') + 1));
  const secrets = values.flatMap((value) => [value, decoded(value.replaceAll('+', ' '))]);
  return [...secrets, ...credentialTexts(url)];
}
