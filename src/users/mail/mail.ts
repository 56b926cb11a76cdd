import type { Config } from '../../config/config.ts';

/** An address, with the name of whoever has it. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** A file that is sent along. */
export interface MailAttachment {
  readonly content: Uint8Array;
  readonly filename?: string;
  readonly contentType?: string;
  /** What the text of the mail calls it by. */
  readonly cid?: string;
  readonly contentDisposition?: 'inline';
}

export interface MailHeader {
  readonly key: string;
  readonly value: string;
}

/** A mail, ready to be sent. */
export interface Mail {
  readonly to: readonly MailAddress[];
  readonly cc?: readonly MailAddress[];
  readonly bcc?: readonly MailAddress[];
  /** Undefined: the configured sender. */
  readonly from: MailAddress | undefined;
  /** Undefined: the configured one. */
  readonly replyTo: string | readonly MailAddress[] | undefined;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly attachments?: readonly MailAttachment[];
  /** Beside those that the server makes; several may have one key. */
  readonly headers?: readonly MailHeader[];
}

/** A text on one line, as headers of mails and logs need it: no control character makes another line of it. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** The configured address of the server. It is never taken from a request: its sender could choose where a mail leads. */
export function serverUrl({ host, port, users }: Pick<Config, 'host' | 'port' | 'users'>): string {
  if (users.publicUrl !== undefined) return users.publicUrl;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
