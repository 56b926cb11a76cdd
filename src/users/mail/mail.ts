import type { Config } from '../../config/config.ts';

/** An address and its owner's name. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** An attached file. */
export interface MailAttachment {
  readonly content: Uint8Array;
  readonly filename?: string;
  readonly contentType?: string;
  /** Its id in the text of the mail. */
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
  /** Undefined: the configured address. */
  readonly replyTo: string | readonly MailAddress[] | undefined;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly attachments?: readonly MailAttachment[];
  /** Besides the server's own; keys may repeat. */
  readonly headers?: readonly MailHeader[];
}

/** A text on one line, for headers of mails and logs; control characters become spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/**
 * The configured address of the server, for links in mails. It is never taken from a request, whose sender could choose
 * where a link leads.
 */
export function serverUrl({ host, port, users }: Pick<Config, 'host' | 'port' | 'users'>): string {
  if (users.publicUrl !== undefined) return users.publicUrl;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** A mail of paragraphs, one of which may be a link. */
export function mailOf(to: string, subject: string, paragraphs: readonly string[]): Mail {
  const escaped = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const html = paragraphs.map((text) => {
    const inner = escaped(text);
    return `<p>${/^https?:/.test(text) ? `<a href="${inner}">${inner}</a>` : inner}</p>`;
  });
  return {
    to: [{ name: '', address: to }],
    from: undefined,
    replyTo: undefined,
    subject,
    text: paragraphs.join('\n\n'),
    html: html.join('\n'),
  };
}
