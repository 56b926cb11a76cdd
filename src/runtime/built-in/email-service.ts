/** `strapi.plugin('email').service('email')`. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { AccountMail, type AccountMailContext } from '../../users/mail/account-mail.ts';
import type { Mail, MailAttachment, MailHeader } from '../../users/mail/mail.ts';
import type { Params } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';
import { unsupportedValue } from '../guarded.ts';
import type { ExtendedServices } from '../plugins/extended-services.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Accounts } from '../strapi/accounts.ts';
import type { Settings } from '../strapi/settings.ts';
import { UnitOfWork } from '../unit-of-work.ts';
import { addressesOf, requireFewRecipients } from './mail-addresses.ts';

export function emailService({ mailer, config }: RuntimeContext, settings: Settings): object {
  const send = async (options: Params): Promise<void> => {
    UnitOfWork.currentOrOutside.check();
    // such a provider receives all options
    if (mailer.code) return mailer.code.send(options);
    const { to, cc, bcc, from, replyTo, subject = '', text = '', html, attachments, headers, ...others } = options;
    // an incomplete mail must not be sent
    requireNoMore(others, 'a mail');
    const [sender, ...otherSenders] = addressesOf('from', from);
    if (otherSenders.length > 0) unsupportedValue('a mail of several senders');
    const recipients = { to: addressesOf('to', to), cc: addressesOf('cc', cc), bcc: addressesOf('bcc', bcc) };
    requireFewRecipients(recipients.to, recipients.cc, recipients.bcc);
    if (recipients.to.length === 0) throw new Error('a mail needs a recipient');
    const mail: Mail = {
      ...recipients,
      from: sender,
      replyTo: replyTo ? addressesOf('replyTo', replyTo) : undefined,
      subject: String(subject),
      text: String(text),
      html: String(html ?? text),
      attachments: await Promise.all([attachments ?? []].flat().map((one) => attachmentOf(one, config.dir))),
      headers: headersOf(headers),
    };
    await mailer.send(mail);
  };
  return {
    send,
    sendTemplatedEmail: (options: Params, template: Params = {}, data: Params = {}) => {
      const texts = ['subject', 'text', 'html'].map((name) => [name, filled(template[name], data)]);
      return send({ ...options, ...Object.fromEntries(texts) });
    },
    getProviderSettings: () =>
      mailer.code
        ? settings.get('plugin::email')
        : { provider: 'galley', settings: { defaultFrom: config.users.email.defaultFrom } },
  };
}

/** A text with values in the places of their names. */
const filled = (text: unknown, data: Params): string =>
  String(text ?? '').replaceAll(/<%=\s*([\w.]+)\s*%>|\$\{\s*([\w.]+)\s*\}/g, (_whole, one?: string, two?: string) =>
    String((one ?? two)!.split('.').reduce<unknown>((value, key) => (value as Params | undefined)?.[key], data) ?? ''),
  );

/**
 * Headers of an object by name, or of a list of `{key, value}`.
 *
 * @throws Unsupported for any other form.
 */
function headersOf(headers: unknown): MailHeader[] {
  if (headers === undefined || headers === null) return [];
  const listed = Array.isArray(headers) ? headers.map(keyAndValue) : undefined;
  const pairs =
    listed ?? (isPlain(headers) ? Object.entries(headers) : unsupportedValue('headers of a mail in this form'));
  return pairs.flatMap(([key, value]) => [value].flat().map((one) => ({ key, value: headerText(key, one) })));
}

function keyAndValue(header: unknown): [string, unknown] {
  const { key, value, ...others } = (isPlain(header) ? header : {}) as Params;
  if (typeof key !== 'string' || Object.keys(others).length > 0)
    return unsupportedValue('a header that is not {key, value}');
  return [key, value];
}

function headerText(key: string, value: unknown): string {
  if (!['string', 'number', 'boolean'].includes(typeof value))
    return unsupportedValue(`a header ${key} of a mail that is not a text`);
  return String(value);
}

/**
 * An attached file with its bytes.
 *
 * @throws Unsupported for an attachment by address, and for unknown options; Error if the file cannot be read.
 */
async function attachmentOf(attachment: unknown, dir: string): Promise<MailAttachment> {
  const { filename, content, path, encoding, contentType, cid, contentDisposition, ...others } = (attachment ??
    {}) as Params;
  requireNoMore(others, 'an attachment');
  if (contentDisposition !== undefined && !['inline', 'attachment'].includes(String(contentDisposition)))
    unsupportedValue(`an attachment of contentDisposition ${contentDisposition}`);
  const named = path === undefined ? undefined : String(path);
  if ((content ?? named) === undefined || /^[a-z][a-z\d+.-]+:/i.test(named ?? ''))
    return unsupportedValue('an attachment that has neither content nor the path of a file');
  const bytes = content === undefined ? await readFile(resolve(dir, named!)) : await bytesOf(content, encoding);
  const name = filename ?? named?.split(/[\\/]/).at(-1);
  return {
    content: bytes,
    ...(name === undefined ? {} : { filename: String(name) }),
    ...(contentType === undefined ? {} : { contentType: String(contentType) }),
    ...(cid === undefined ? {} : { cid: String(cid) }),
    ...(contentDisposition === 'inline' ? { contentDisposition } : {}),
  };
}

/** @throws Unsupported for unknown options. */
function requireNoMore(others: Params, of: string): void {
  for (const [name, value] of Object.entries(others)) if (value !== undefined) unsupportedValue(`${name} of ${of}`);
}

async function bytesOf(content: unknown, encoding: unknown): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  if (content instanceof Readable) return buffer(content);
  return Buffer.from(String(content), (encoding as BufferEncoding | undefined) ?? 'utf8');
}

export interface AskedMailParts {
  readonly services: ExtendedServices;
  readonly accounts: Accounts;
}

export class AskedMail extends AccountMail {
  readonly #parts: AskedMailParts;

  constructor(context: AccountMailContext, parts: AskedMailParts) {
    super(context);
    this.#parts = parts;
  }

  /** Calls the extension if the account exists; it creates its own code. */
  override sendConfirmation(id: number | undefined, email: string): void {
    const { services, accounts } = this.#parts;
    const service = services.overriding('users-permissions', 'user', 'sendConfirmationEmail');
    if (!service || id === undefined) {
      super.sendConfirmation(id, email);
      return;
    }
    const send = service['sendConfirmationEmail'] as (account: unknown) => unknown;
    this.inBackground(async () => void (await send.call(service, await accounts.fetch(id))));
  }
}
