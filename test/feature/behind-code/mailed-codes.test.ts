/** Codes that code mails to accounts, and mails that an extension sends: docs/reference/project-code.md. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SUPPORTED } from '../../../src/runtime/guarded.ts';
import { type Mailbox, openMailbox } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

/** Bodies of functions that are given `strapi` and `body`, by the name of the path that calls them. */
const ACTIONS: Readonly<Record<string, string>> = {
  set: "return strapi.db.query('plugin::users-permissions.user').update({ where: { username: body.username }, data: body.data });",
  edit: "const { id } = await strapi.db.query('plugin::users-permissions.user').findOne({ where: { username: body.username } }); const made = await strapi.plugin('users-permissions').service('user').edit(id, body.data); return { keys: Object.keys(made) };",
  find: "const found = await strapi.db.query('plugin::users-permissions.user').findMany({ where: body.where, orderBy: 'id' }); return found.map(({ username }) => username);",
  documents:
    "const found = await strapi.documents('plugin::users-permissions.user').findMany({ filters: body.where }); return found.map(({ username }) => username);",
  add: "const made = await strapi.plugin('users-permissions').service('user').add(body.data); return { username: made.username };",
  keep: "const data = await strapi.plugin('users-permissions').service('user').ensureHashedPasswords(body.data); await strapi.db.query('plugin::users-permissions.user').update({ where: { username: body.username }, data }); return { kept: true };",
  hashed:
    "const service = strapi.plugin('users-permissions').service('user'); const values = await service.ensureHashedPasswords(body.data); return { right: await service.validatePassword('Secret12', values.password), kept: values.kept };",
  send: `const { Readable } = require('node:stream');
    const mails = strapi.plugin('email').service('email');
    const told = [];
    const attempt = (options) => mails.send({ subject: 'Sent by code', text: 'the text', ...options }).then(() => told.push('sent'), ({ message }) => told.push(message));
    await attempt({
      to: '"Doe, Ann" <ann@list.example>, bob@list.example', cc: ['eve@list.example'], bcc: { name: 'Zoe', address: 'zoe@list.example' }, from: 'Shop <shop@list.example>', replyTo: { name: 'Desk', address: 'reply@list.example' }, headers: [{ key: 'X-Order', value: 7 }, { key: 'X-Item', value: 'a' }, { key: 'X-Item', value: 'b' }],
      attachments: [{ filename: 'a.txt', content: 'first' }, { filename: 'b.txt', content: Buffer.from('second') }, { path: 'src/index.js' }, { filename: 'c.txt', content: Readable.from(['thi', 'rd']), contentType: 'text/x-own', cid: 'own' }, { filename: 'd.txt', content: 'Zm91cnRo', encoding: 'base64' }],
    });
    for (const wrong of [{ to: '' }, { to: 'x'.repeat(100_001) }, { to: 'x@list.example', from: 'a@list.example, b@list.example' }, { to: 'x@list.example', templateId: 'd-1' }, { to: 'x@list.example', headers: 'X-A: 1' }, { to: 'x@list.example', headers: [['X-A', '1']] }, { to: 'x@list.example', headers: { 'X-A': { prepared: true, value: '1' } } }, { to: 'x@list.example', attachments: [{ content: 'x', headers: { a: 1 } }] }, { to: 'x@list.example', attachments: [{ content: 'x', contentDisposition: 'form-data' }] }, { to: 'x@list.example', attachments: [{ filename: 'x' }] }, { to: 'x@list.example', attachments: [{ path: 'http://127.0.0.1/x' }] }, { to: 'x@list.example', attachments: [{ path: 'none.txt' }] }]) await attempt(wrong);
    return { told };`,
  mail: "const user = await strapi.db.query('plugin::users-permissions.user').findOne({ where: { username: body.username } }); await strapi.plugin('users-permissions').service('user').sendConfirmationEmail(user); return { sent: true };",
};

const project = (extension?: string): ProjectFiles => ({
  contentTypes: { note: contentType('note', { text: { type: 'string' } }) },
  files: {
    'src/index.js':
      "module.exports = { async bootstrap({ strapi }) { const advanced = strapi.store({ type: 'plugin', name: 'users-permissions', key: 'advanced' }); await advanced.set({ value: { ...(await advanced.get()), email_confirmation: true } }); } };",
    'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(Object.keys(ACTIONS))}.map((name) => ({ method: 'POST', path: '/' + name, handler: 'note.' + name, config: { auth: false } })) };`,
    'src/api/note/controllers/note.js': `module.exports = {\n${Object.entries(ACTIONS)
      .map(([name, body]) => `async ${name}(ctx) { const { body } = ctx.request; ${body} }`)
      .join(',\n')}\n};`,
    ...(extension === undefined ? {} : { 'src/extensions/users-permissions/strapi-server.js': extension }),
  },
});

const EXTENSION = `const crypto = require('node:crypto');
module.exports = (plugin) => {
  const { user } = plugin.services;
  plugin.services.user = (tools) => ({
    ...user(tools),
    async sendConfirmationEmail({ id, email }) {
      const confirmationToken = crypto.randomBytes(20).toString('hex');
      await this.edit(id, { confirmationToken });
      await strapi.plugin('email').service('email').send({ to: email, subject: 'Ours', text: 'code ' + confirmationToken });
    },
  });
  return plugin;
};`;

const password = 'Secret12';

for (const engine of engines) {
  describe(`codes that code mails to accounts on ${engine.name}`, () => {
    let server: SeededServer;
    let mailbox: Mailbox;
    const ask = (name: string, body: object) => server.request('POST', `/api/${name}`, { body });
    const register = (username: string) =>
      server.request('POST', '/api/auth/local/register', {
        body: { username, email: `${username}@example.com`, password },
      });
    const confirm = (code: string) => server.request('GET', `/api/auth/email-confirmation?confirmation=${code}`);
    const reset = (code: string) =>
      server.request('POST', '/api/auth/reset-password', {
        body: { code, password: 'Other1234', passwordConfirmation: 'Other1234' },
      });

    const mailTo = (address: string) =>
      until(`there is a mail to ${address}`, () => mailbox.mails.find(({ to }) => to.includes(address)));

    before(async () => {
      mailbox = await openMailbox();
      const env = { SMTP_URL: mailbox.url, EMAIL_FROM: 'Galley <galley@example.com>' };
      server = await serveSeeded(engine, await makeProject(project(EXTENSION)), undefined, env);
      for (const username of ['ann', 'bob']) strictEqual((await register(username)).status, 200);
    });
    after(async () => {
      await server?.stop();
      await mailbox?.close();
    });

    it('are sent beside mails of its own, to several people, with files', async () => {
      const { body } = await ask('send', {});
      const closed = (what: string) => `${what} is not supported by Galley: ${SUPPORTED}`;
      const [missing] = body.told.splice(-1);
      match(missing, /^ENOENT/);
      deepStrictEqual(body.told, [
        ...['sent', 'a mail needs a recipient', 'to of a mail has at most 100000 characters'],
        ...[closed('a mail of several senders'), closed('templateId of a mail')],
        ...[closed('headers of a mail in this form'), closed('a header that is not {key, value}')],
        ...[closed('a header X-A of a mail that is not a text'), closed('headers of an attachment')],
        closed('an attachment of contentDisposition form-data'),
        ...Array(2).fill(closed('an attachment that has neither content nor the path of a file')),
      ]);
      const { from, to, text } = await mailTo('bob@list.example');
      deepStrictEqual(
        [from, to],
        ['shop@list.example', ['ann', 'bob', 'eve', 'zoe'].map((name) => `${name}@list.example`)],
      );
      match(text, /^To: "Doe, Ann" <ann@list\.example>, bob@list\.example\r?\nCc: eve@list\.example/m);
      strictEqual(/zoe@/.test(text), false, 'of a blind copy nobody is told');
      for (const part of [
        /^Reply-To: Desk <reply@/m,
        /^X-Order: 7/m,
        /^X-Item: a\r?\nX-Item: b/m,
        /the text/,
        /filename=a\.txt/,
        /text\/x-own/,
      ])
        match(text, part);
      for (const one of ['first', 'second', 'third', 'fourth'])
        strictEqual(text.includes(Buffer.from(one).toString('base64').replaceAll('=', '')), true, one);
    });

    it('are found only by the whole code, and never shown', async () => {
      const set = await ask('set', { username: 'ann', data: { resetPasswordToken: '123456' } });
      deepStrictEqual([set.status, 'resetPasswordToken' in set.body], [200, false]);
      const find = async (where: object, path = 'find') => (await ask(path, { where })).body;
      deepStrictEqual(await find({ resetPasswordToken: '123456' }), ['ann']);
      deepStrictEqual(await find({ resetPasswordToken: 123456 }), ['ann']);
      deepStrictEqual(await find({ resetPasswordToken: { $eq: '123456' }, username: 'bob' }), []);
      deepStrictEqual(await find({ $or: [{ resetPasswordToken: '123456' }, { username: 'bob' }] }), ['ann', 'bob']);
      deepStrictEqual(await find({ resetPasswordToken: '123456', id: { $gt: 0 } }), ['ann']);
      deepStrictEqual(await find({ resetPasswordToken: '123456' }, 'documents'), ['ann']);
      deepStrictEqual(await find({ resetPasswordToken: '12345' }), []);
      deepStrictEqual(await find({ resetPasswordToken: '' }), []);
      for (const test of [{ $startsWith: '1' }, { $ne: 'x' }, { $notNull: true }, null]) {
        strictEqual((await ask('find', { where: { resetPasswordToken: test } })).status, 400);
      }
    });

    it('are those that the endpoints of accounts take, once', async () => {
      await ask('set', { username: 'ann', data: { resetPasswordToken: 'first' } });
      await ask('edit', { username: 'ann', data: { resetPasswordToken: 'second' } });
      deepStrictEqual([(await reset('first')).status, (await reset('second')).status], [400, 200]);
      strictEqual((await reset('second')).status, 400);
      await ask('edit', { username: 'ann', data: { resetPasswordToken: 'third' } });
      await ask('edit', { username: 'ann', data: { resetPasswordToken: null } });
      strictEqual((await reset('third')).status, 400);
      const set = await ask('edit', { username: 'bob', data: { confirmationToken: 'bobs', confirmed: false } });
      deepStrictEqual([set.status, set.body.keys.includes('confirmationToken')], [200, false]);
      deepStrictEqual((await ask('find', { where: { confirmationToken: 'bobs' } })).body, ['bob']);
      strictEqual((await confirm('bobs')).status, 302);
      const signedIn = { identifier: 'bob', password };
      strictEqual((await server.request('POST', '/api/auth/local', { body: signedIn })).status, 200);
      strictEqual((await confirm('bobs')).status, 400);
    });

    it('may be set for a new account', async () => {
      const data = { username: 'cleo', email: 'cleo@example.com', password, confirmationToken: 'cleos', role: 1 };
      strictEqual((await ask('add', { data: { ...data, confirmed: false } })).status, 200);
      strictEqual((await confirm('cleos')).status, 302);
    });

    it('are mailed by an extension that has its own way to', async () => {
      strictEqual((await register('dora')).body.jwt, undefined);
      const { text } = await mailTo('dora@example.com');
      match(text, /^subject: ours/im);
      strictEqual((await confirm(/code (\w+)/.exec(text)![1]!)).status, 302);
    });

    it('are mailed by the plugin when code calls it', async () => {
      const plain = await serveSeeded(engine, await makeProject(project()), undefined, { SMTP_URL: mailbox.url });
      try {
        const body = { username: 'emil', email: 'emil@example.com', password, role: 1 };
        await plain.request('POST', '/api/add', { body: { data: { ...body, confirmed: false } } });
        strictEqual((await plain.request('POST', '/api/mail', { body: { username: 'emil' } })).status, 200);
        const { text } = await mailTo('emil@example.com');
        const [, code] = /confirmation=(\w+)/.exec(text)!;
        const target = `/api/auth/email-confirmation?confirmation=${code}`;
        strictEqual((await plain.request('GET', target)).status, 302);
      } finally {
        await plain.stop();
      }
    });

    it('hashes passwords when code calls it', async () => {
      const { body } = await ask('hashed', { data: { password, kept: 1 } });
      deepStrictEqual(body, { right: true, kept: 1 });
    });

    it('stores a hash that code read unchanged', async () => {
      const data = { username: 'fay', email: 'fay@example.com', provider: 'local', password, role: 1, confirmed: true };
      strictEqual((await ask('add', { data })).status, 200);
      strictEqual((await ask('keep', { username: 'fay', data: { password: 'Fresh12345' } })).status, 200);
      const signIn = async (word: string) => {
        const body = { identifier: 'fay', password: word };
        return (await server.request('POST', '/api/auth/local', { body })).status;
      };
      deepStrictEqual([await signIn('Fresh12345'), await signIn(password)], [200, 400]);
    });
  });
}
