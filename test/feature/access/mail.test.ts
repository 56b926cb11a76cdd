/** Mail: content, recipients, and the log without an SMTP server. */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Mail } from '../../../src/users/mail/mail.ts';
import { renderMail } from '../../../src/users/mail/mail-templates.ts';
import { createMailer } from '../../../src/users/mail/mailer.ts';
import { type AccountsServer, serveAccounts } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';

const NO_TEMPLATE = {
  fromName: undefined,
  fromAddress: undefined,
  replyTo: undefined,
  subject: undefined,
  message: undefined,
};

describe('templates of mails', () => {
  const values = new Map([
    ['URL', 'https://front.example.com'],
    ['TOKEN', 'abc'],
    ['USER.username', '<b>Eve</b>\r\nBcc: all@example.com'],
    ['USER.nick', `' onmouseover='alert(1)`],
  ]);

  it('puts values in, escaped in HTML, and evaluates nothing', () => {
    const message = '<p>Hi <%= USER.username %>, <%- TOKEN %> <%= process.exit(1) %><%= constructor %></p>';
    const { html, text } = renderMail('reset_password', { ...NO_TEMPLATE, message }, values, 'a@example.com');
    ok(html.startsWith('<p>Hi &lt;b&gt;Eve&lt;/b&gt;'), html);
    match(html, /abc <%= process\.exit\(1\) %><\/p>$/);
    ok(text.startsWith('Hi <b>Eve</b>'), text);
  });

  it('lets no value leave an attribute, whichever quotes it stands in', () => {
    const message = `<a title='<%= USER.nick %>' href="<%= URL %>">x</a>`;
    const { html } = renderMail('reset_password', { ...NO_TEMPLATE, message }, values, 'a@example.com');
    strictEqual(html, `<a title='&#39; onmouseover=&#39;alert(1)' href="https://front.example.com">x</a>`);
  });

  it('keeps the subject to one line', () => {
    const subject = 'For <%= USER.username %>\nX-Other: 1';
    const mail = renderMail('reset_password', { ...NO_TEMPLATE, subject }, values, 'a@example.com');
    strictEqual(mail.subject, 'For <b>Eve</b> Bcc: all@example.com X-Other: 1');
  });

  it('has words of its own, with the link as text as well', () => {
    const { html, text, subject } = renderMail('reset_password', NO_TEMPLATE, values, 'a@example.com');
    strictEqual(subject, 'Reset password');
    for (const body of [html, text]) match(body, /https:\/\/front\.example\.com\?code=abc/);
    doesNotMatch(text, /<p>/);
  });
});

describe('mail without an SMTP server', () => {
  const mail: Mail = {
    to: [{ name: '', address: 'a@example.com' }],
    from: undefined,
    replyTo: undefined,
    subject: 'Subject',
    html: '<p>abc</p>',
    text: 'abc',
  };
  const sent = async (transport: 'log' | 'none', more: Partial<Mail> = {}) => {
    const lines: string[] = [];
    await createMailer({ transport, defaultFrom: undefined, defaultReplyTo: undefined }, (line) => {
      lines.push(line);
    }).send({ ...mail, ...more });
    return lines.join('\n');
  };

  it('is written out while a project is being built', async () => {
    match(await sent('log'), /mail to a@example\.com.*Subject\n {2}abc/);
  });

  it('adds only its own lines to the log, for any content', async () => {
    const forged = {
      to: [{ name: '', address: 'a@example.com\nerror: x' }],
      subject: 'S\r\nerror: y',
      text: 'abc\nerror: z\r\u001b[2Jerror: w',
    };
    const lines = (await sent('log', forged)).split(/[\n\r]/);
    deepStrictEqual(
      lines.filter((line) => !line.startsWith('  ')),
      ['mail to a@example.com error: x (no SMTP server is configured): S error: y'],
    );
    ok(!lines.join('').includes('\u001b'));
  });

  it('is not sent in production, and no code is logged', async () => {
    await rejects(sent('none'), (error: Error) => {
      match(error.message, /no SMTP server/);
      doesNotMatch(error.message, /abc|example\.com/);
      return true;
    });
  });
});

for (const engine of engines) {
  describe(`mail on ${engine.name}`, () => {
    let server: AccountsServer;
    before(async () => {
      server = await serveAccounts(engine, {
        env: { PUBLIC_URL: 'https://api.example.com/', EMAIL_REPLY_TO: 'help@example.com' },
      });
    });
    after(() => server?.stop());

    const setTemplates = (value: object) =>
      server.app.database.transaction(async (tx) => {
        const slot = server.app.database.dialect.placeholder(1);
        const key = 'plugin_users-permissions_email';
        await tx.rows(`delete from strapi_core_store_settings where "key" = '${key}'`, []);
        await tx.rows(
          `insert into strapi_core_store_settings ("key", "value", "type") values ('${key}', ${slot}, 'object')`,
          [JSON.stringify(value)],
        );
      });

    it('has the configured sender, and links to the configured server for any request', async () => {
      await server.register('sender1');
      const token = server.secrets['full'];
      const id = (await server.get('/api/users?filters[username]=sender1', token)).body[0].id;
      await server.request('PUT', `/api/users/${id}`, { token, body: { confirmed: false } });
      const headers = { 'x-forwarded-host': 'evil.example.com', 'x-forwarded-proto': 'http' };
      await server.post('/auth/send-email-confirmation', { email: 'sender1@example.com' }, undefined, headers);
      const mail = await server.nextMail('sender1@example.com');
      deepStrictEqual([mail.from, mail.to], ['galley@example.com', ['sender1@example.com']]);
      match(mail.text, /^From: Galley <galley@example\.com>\r$/m);
      match(mail.text, /^Reply-To: help@example\.com\r$/m);
      match(mail.text, /https:\/\/api\.example\.com\/api\/auth\/email-confirmation\?confirmation=[0-9a-f]{64}/);
      doesNotMatch(mail.text, /evil/);
    });

    it('takes the templates of the project', async () => {
      await setTemplates({
        reset_password: {
          options: {
            from: { name: 'Desk', email: 'desk@example.com' },
            response_email: 'reply@example.com',
            object: 'New password for <%= USER.username %>',
            message: '<p>Dear <%= USER.username %> <%= USER.password %>.</p><p><%= URL %>?code=<%= TOKEN %></p>',
          },
        },
      });
      await server.register('<i>Ann</i>', { email: 'ann@example.com' });
      await server.post('/auth/forgot-password', { email: 'ann@example.com' });
      const mail = await server.nextMail('ann@example.com');
      strictEqual(mail.from, 'desk@example.com');
      match(mail.text, /^Subject: New password for <i>Ann<\/i>\r$/m);
      match(mail.text, /^Reply-To: reply@example\.com\r$/m);
      match(mail.text, /<p>Dear &lt;i&gt;Ann&lt;\/i&gt; \.<\/p>/);
    });

    it('has one recipient for any address text', async () => {
      const email = 'x+a=b/c@example.com';
      await server.register('plus1', { email });
      await server.post('/auth/forgot-password', { email });
      deepStrictEqual((await server.nextMail(email)).to, [email]);
      for (const wrong of [
        'a@example.com,b@example.com',
        'a@example.com\r\nBcc: b@example.com',
        '<a@example.com>',
        'A <a@example.com>',
      ]) {
        const body = { username: 'wrong1', email: wrong, password: 'secret1' };
        strictEqual((await server.post('/auth/local/register', body)).status, 400, wrong);
      }
    });
  });
}
