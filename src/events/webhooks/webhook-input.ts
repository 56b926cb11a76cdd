/** What somebody may say of a webhook, whether at the command line or in the administration. */
import { unescape as decoded } from 'node:querystring';
import type { WebhooksConfig } from '../../config/config.ts';
import { cut } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { PrivateAddress, requirePublic } from './addresses.ts';
import { WEBHOOK_EVENTS, type Webhook } from './webhook.ts';

/** Characters of names and addresses, headers and characters of one. */
export const MOST_CHARACTERS = 255;
export const LONGEST_URL = 2000;
export const MOST_HEADERS = 50;
export const LONGEST_HEADER = 4000;

/** What is wrong, in a line that contains no secret. */
export class WebhookMistake extends Error {}

/**
 * The address of a webhook. Where nothing is sent to private networks it is not one of these; names are looked up when
 * something is sent.
 *
 * @throws WebhookMistake for what is no address of http or https, and for one that nothing would be sent to.
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

/** The events of a word: one, or all of a kind for `entry.*` and `media.*`. @throws WebhookMistake for another word. */
export function webhookEvents(word: string): readonly string[] {
  const group = /^(entry|media)\.\*$/.exec(word)?.[1];
  if (group !== undefined) return WEBHOOK_EVENTS.filter((event) => event.startsWith(`${group}.`));
  if ((WEBHOOK_EVENTS as readonly string[]).includes(word)) return [word];
  const hint = nearest(word, [...WEBHOOK_EVENTS, 'entry.*', 'media.*']);
  const advice = hint ? `did you mean ${hint}?` : `use ${WEBHOOK_EVENTS.join(', ')}`;
  throw new WebhookMistake(`unknown event ${cut(word, 100)}: ${advice}`);
}

/** @throws WebhookMistake for what cannot be a header of a request. */
export function requireHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~\w-]{1,255}$/.test(name) || !/^[\x20-\x7e]*$/.test(value)) {
    throw new WebhookMistake("a header must be such as 'Authorization: Bearer …'");
  }
  if (value.length > LONGEST_HEADER) throw new WebhookMistake(`a header has at most ${LONGEST_HEADER} characters`);
}

/** An address without the password that it may have. */
export const shownUrl = (url: string): string => url.replace(/(:\/\/[^/?#@:]*):[^/?#]*@/, '$1:…@');

/**
 * What a webhook has answered, without what it was sent to prove who sends.
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
  const secrets = [...values, secret ?? '', ...credentialsOf(url)];
  // short words are no secrets, and everywhere
  return secrets
    .filter((value) => value.length >= 6)
    .sort((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, '…'), answer);
}

/** The values of an address's query, and its password, as they are written and as they are sent. */
function credentialsOf(url: string): readonly string[] {
  const { username = '', password = '', search = '' } = URL.parse(url) ?? {};
  const values = search.split(/[?&]/).map((part) => part.slice(part.indexOf('=') + 1));
  const told = values.flatMap((value) => [value, decoded(value.replaceAll('+', ' '))]);
  if (password === '') return told;
  const known = decoded(password);
  return [...told, password, known, Buffer.from(`${decoded(username)}:${known}`).toString('base64')];
}
