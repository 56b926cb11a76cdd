/**
 * Renders mails from templates: `<%= NAME %>` is replaced by a value, and no code is evaluated. Values are escaped in
 * HTML.
 */
import type { MailTemplate, TemplateName } from '../accounts/account-settings.ts';
import { type Mail, oneLine } from './mail.ts';

/** Values by name, `USER.username` among them. */
export type MailValues = ReadonlyMap<string, string>;

/** Templates for projects with none, or an empty one. */
export const DEFAULT_TEMPLATES: Readonly<Record<TemplateName, { subject: string; message: string }>> = {
  reset_password: {
    subject: 'Reset password',
    message: `<p>A password reset was requested for your account.</p>
<p>If it was you, choose one here within an hour:</p>
<p><%= URL %>?code=<%= TOKEN %></p>
<p>If not, you need not do anything.</p>`,
  },
  email_confirmation: {
    subject: 'Account confirmation',
    message: `<p>Thank you for registering!</p>
<p>Please confirm your e-mail address with this link:</p>
<p><%= URL %>?confirmation=<%= CODE %></p>`,
  },
};

/** The sender in the reference's templates, which no server may use. */
export const PLACEHOLDER_SENDER = 'no-reply@strapi.io';

const ICONS: Readonly<Record<TemplateName, string>> = { reset_password: 'sync', email_confirmation: 'check-square' };

/** The entry `plugin_users-permissions_email` of the core store in a project without one, in the reference's form. */
export function defaultEntry(): Record<TemplateName, object> {
  const template = (name: TemplateName) => ({
    display: `Email.template.${name}`,
    icon: ICONS[name],
    options: {
      from: { name: 'Administration Panel', email: PLACEHOLDER_SENDER },
      response_email: '',
      object: DEFAULT_TEMPLATES[name].subject,
      message: DEFAULT_TEMPLATES[name].message,
    },
  });
  return { reset_password: template('reset_password'), email_confirmation: template('email_confirmation') };
}

/** Renders a template with values. */
export function renderMail(name: TemplateName, template: MailTemplate, values: MailValues, to: string): Mail {
  const message = template.message ?? DEFAULT_TEMPLATES[name].message;
  const { fromName, fromAddress, replyTo } = template;
  return {
    to: [{ name: '', address: to }],
    from:
      fromAddress === undefined || fromAddress === PLACEHOLDER_SENDER
        ? undefined
        : { name: fromName ?? '', address: fromAddress },
    replyTo,
    subject: oneLine(substitute(template.subject ?? DEFAULT_TEMPLATES[name].subject, values)),
    html: substitute(message, values, escapeHtml),
    text: substitute(plainText(message), values),
  };
}

function substitute(text: string, values: MailValues, convert = (value: string) => value): string {
  return text.replaceAll(/<%[=-]\s*([\w.]+)\s*%>/g, (_, name: string) => convert(values.get(name) ?? ''));
}

/** HTML as plain text: tags are removed, and paragraphs end with line breaks. Placeholders stay. */
function plainText(html: string): string {
  return html
    .replaceAll(/<br\s*\/?>|<\/(?:p|div|h\d|li|tr)\s*>/gi, '\n')
    .replaceAll(/<(?!%)[^<>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name]!)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
};

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
