/** Published vulnerabilities of the reference's accounts, files and HTTP surface, tried here. */
import { deepStrictEqual, doesNotMatch, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Mailbox, openMailbox, type ReceivedMail } from '../../support/accounts/accounts.ts';
import { engines } from '../../support/databases/databases.ts';
import { type Answer, contentType, makeProject, type RequestOptions } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const auth = (...names: string[]) => names.map((name) => `plugin::users-permissions.auth.${name}`);
const FIXTURE = {
  tokens: [{ name: 'full', type: 'full-access' }],
  roles: {
    public: auth('callback', 'register', 'forgotPassword', 'resetPassword', 'refresh'),
    authenticated: [...auth('changePassword', 'logout'), 'plugin::users-permissions.user.me'],
  },
};
const PASSWORD = 'correct horse';
/** Attributes that a project adds to accounts, one of them private. */
const USER = contentType(
  'user',
  { nickname: { type: 'string' }, rank: { type: 'string', private: true } },
  { collectionName: 'up_users', options: { draftAndPublish: false } },
);

/** A server on a project whose plugins are configured so. */
async function serveAccounts(
  engine: (typeof engines)[number],
  plugins: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
): Promise<SeededServer> {
  const folder = await makeProject({
    contentTypes: { note: contentType('note', { title: { type: 'string' } }) },
    files: {
      'config/plugins.json': plugins,
      'config/admin.json': { apiToken: { salt: 'salt' } },
      'config/middlewares.json': [],
      'src/extensions/users-permissions/content-types/user/schema.json': USER,
    },
  });
  return serveSeeded(engine, folder, FIXTURE, env);
}

/** Calls of the account endpoints. */
function callsOf(server: SeededServer) {
  const post = (path: string, body: unknown, options: RequestOptions = {}): Promise<Answer> =>
    server.request('POST', `/api/auth/${path}`, { ...options, body });
  const login = (identifier: string, password: string) => post('local', { identifier, password });
  const register = (username: string, password = PASSWORD, more: object = {}) =>
    post('local/register', { username, email: `${username}@example.com`, password, ...more });
  const me = (jwt: string) => server.get('/api/users/me', jwt);
  return { post, login, register, me };
}

const unlimited = { 'users-permissions': { config: { ratelimit: { enabled: false } } } };

for (const engine of engines) {
  describe(`advisories on ${engine.name}: accounts`, () => {
    let server: SeededServer;
    let calls: ReturnType<typeof callsOf>;
    let n = 0;
    /** A fresh account with its token. */
    const account = async (): Promise<{ name: string; jwt: string; id: number }> => {
      n += 1;
      const name = `person${n}`;
      const { status, body, text } = await calls.register(name);
      strictEqual(status, 200, text);
      return { name, jwt: body.jwt, id: body.user.id };
    };
    const admin = (method: string, path: string, body?: unknown) =>
      server.request(method, `/api${path}`, { token: server.secrets['full'], ...(body ? { body } : {}) });

    before(async () => {
      server = await serveAccounts(engine, unlimited);
      calls = callsOf(server);
    });
    after(() => server?.stop());

    for (const [key, value] of [
      ['rank', 'general'],
      ['nickname', 'boss'],
      ['confirmed', true],
      ['blocked', false],
      ['role', 1],
      ['provider', 'github'],
      ['resetPasswordToken', 'mine'],
      ['confirmationToken', 'mine'],
      ['id', 1],
      ['documentId', 'aaaaaaaaaaaaaaaaaaaaaaaa'],
      ['createdBy', 1],
    ] as const) {
      it(`CVE-2023-39345: registering writes no ${key}`, async () => {
        const { status, body } = await calls.register(`sneak-${key}`, PASSWORD, { [key]: value });
        deepStrictEqual([status, body.error?.message], [400, `Invalid parameters: ${key}`]);
        strictEqual((await admin('GET', `/users?filters[username]=sneak-${key}`)).text, '[]');
      });
    }

    it('CVE-2025-3930: a token dies with its logout', async () => {
      const { name, jwt } = await account();
      const other = (await calls.login(name, PASSWORD)).body.jwt as string;
      strictEqual((await calls.me(jwt)).status, 200);
      strictEqual((await calls.post('logout', {}, { token: jwt })).status, 200);
      strictEqual((await calls.me(jwt)).status, 401);
      strictEqual((await calls.post('logout', {}, { token: jwt })).status, 401);
      // a logout is of one session
      strictEqual((await calls.me(other)).status, 200);
    });

    it('CVE-2025-3930: a token dies with its account, blocked or deleted', async () => {
      const [blocked, deleted] = [await account(), await account()];
      strictEqual((await admin('PUT', `/users/${blocked.id}`, { blocked: true })).status, 200);
      strictEqual((await admin('DELETE', `/users/${deleted.id}`)).status, 200);
      for (const { jwt, name } of [blocked, deleted]) {
        strictEqual((await calls.me(jwt)).status, 401);
        strictEqual((await calls.login(name, PASSWORD)).status, 400);
      }
      // nor does its row come back to life with the next account
      const next = await account();
      notStrictEqual(next.id, deleted.id);
      strictEqual((await calls.me(deleted.jwt)).status, 401);
    });

    it('CVE-2026-22706: a new password ends every other session', async () => {
      const { name, jwt } = await account();
      const elsewhere = (await calls.login(name, PASSWORD)).body.jwt as string;
      const change = { currentPassword: PASSWORD, password: 'another one', passwordConfirmation: 'another one' };
      const changed = await calls.post('change-password', change, { token: jwt });
      strictEqual(changed.status, 200, changed.text);
      deepStrictEqual([(await calls.me(jwt)).status, (await calls.me(elsewhere)).status], [401, 401]);
      strictEqual((await calls.me(changed.body.jwt)).status, 200);
      strictEqual((await calls.login(name, PASSWORD)).status, 400);
    });

    it('CVE-2026-22706: a password set by another account ends every session as well', async () => {
      const { jwt, id } = await account();
      strictEqual((await admin('PUT', `/users/${id}`, { password: 'set by another' })).status, 200);
      strictEqual((await calls.me(jwt)).status, 401);
    });

    it('CVE-2025-25298: no password is longer than its hash sees', async () => {
      const { name, jwt, id } = await account();
      const role = (await admin('GET', '/users-permissions/roles')).body.roles[0].id;
      for (const long of ['x'.repeat(73), 'x'.repeat(500), 'ü'.repeat(37)]) {
        const change = { currentPassword: PASSWORD, password: long, passwordConfirmation: long };
        const reset = { code: 'x', password: long, passwordConfirmation: long };
        const user = { username: 'long-one', email: 'long-one@example.com', password: long };
        for (const answer of [
          await calls.register('long-one', long),
          await calls.post('change-password', change, { token: jwt }),
          await calls.post('reset-password', reset),
          await admin('POST', '/users', { ...user, role }),
          await admin('PUT', `/users/${id}`, { password: long }),
        ]) {
          strictEqual(answer.status, 400, answer.text);
          doesNotMatch(answer.text, /x{73}/);
        }
      }
      strictEqual((await admin('GET', '/users?filters[username]=long-one')).text, '[]');
      strictEqual((await calls.login(name, PASSWORD)).status, 200);
    });

    it('CVE-2025-25298: no longer text passes for a password of 72 bytes', async () => {
      const longest = 'y'.repeat(72);
      strictEqual((await calls.register('longest', longest)).status, 200);
      strictEqual((await calls.login('longest', longest)).status, 200);
      for (const text of [`${longest}y`, `${longest}anything`, longest.slice(1)]) {
        deepStrictEqual((await calls.login('longest', text)).body.error.message, 'Invalid identifier or password');
      }
    });

    it('CVE-2019-18818: nothing but a code that was sent resets a password', async () => {
      const { name } = await account();
      const password = { password: 'taken over', passwordConfirmation: 'taken over' };
      const codes = [
        {},
        [],
        [[]],
        null,
        true,
        0,
        '',
        ' ',
        '%',
        'null',
        'undefined',
        { $ne: null },
        { $null: true },
        [''],
      ];
      for (const code of [...codes, undefined]) {
        const answer = await calls.post('reset-password', { code, ...password });
        strictEqual(answer.status, 400, JSON.stringify(code));
        strictEqual(answer.body.jwt, undefined);
      }
      strictEqual((await calls.login(name, PASSWORD)).status, 200);
      strictEqual((await calls.login(name, 'taken over')).status, 400);
    });

    it('CVE-2021-28128: a password changes only with the current one', async () => {
      const { name, jwt } = await account();
      const password = { password: 'taken over', passwordConfirmation: 'taken over' };
      for (const currentPassword of [undefined, null, '', 'wrong', {}, ['correct horse'], true]) {
        const answer = await calls.post('change-password', { currentPassword, ...password }, { token: jwt });
        strictEqual(answer.status, 400, JSON.stringify(currentPassword));
      }
      strictEqual((await calls.me(jwt)).status, 200);
      strictEqual((await calls.login(name, PASSWORD)).status, 200);
    });

    it('CVE-2023-22893: no token counts whose signature is not the pinned kind', async () => {
      const { jwt } = await account();
      const [, payload, signature] = jwt.split('.') as [string, string, string];
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const { jwtSecret } = server.app.config;
      const signed = (algorithm: string, hash: string, key: string) => {
        const head = `${encode({ alg: algorithm, typ: 'JWT' })}.${payload}`;
        return `${head}.${createHmac(hash, key).update(head).digest('base64url')}`;
      };
      strictEqual((await calls.me(signed('HS256', 'sha256', jwtSecret))).status, 200, 'the probe itself is sound');
      for (const forged of [
        ...['none', 'None', 'NONE', 'nOnE'].flatMap((alg) => [
          `${encode({ alg })}.${payload}.`,
          `${encode({ alg })}.${payload}.${signature}`,
        ]),
        signed('HS512', 'sha512', jwtSecret),
        signed('HS384', 'sha384', jwtSecret),
        signed('none', 'sha256', jwtSecret),
        signed('HS256', 'sha256', ''),
        signed('HS256', 'sha256', 'secret'),
        `${encode({ alg: 'HS256', jwk: { kty: 'oct', k: '' } })}.${payload}.${signature}`,
        `${payload}.${signature}`,
      ]) {
        strictEqual((await calls.me(forged)).status, 401, forged.slice(0, 60));
      }
    });

    it('CVE-2022-29894: an uploaded page or drawing runs no script', async () => {
      const script = '<script>fetch("/api/users")</script>';
      let served = 0;
      for (const [name, type, content] of [
        ['page.html', 'text/html', `<!doctype html>${script}`],
        ['page.xhtml', 'application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml">${script}</html>`],
        ['drawing.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
        ['drawing.xml', 'text/xml', `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`],
        ['script.js', 'text/javascript', 'alert(1)'],
        ['noend', 'text/html', script],
        ['picture.png', 'text/html', `<!doctype html>${script}`],
      ] as const) {
        const form = new FormData();
        form.append('files', new Blob([content], { type }), name);
        const { status, body } = await server.request('POST', '/api/upload', {
          token: server.secrets['full'],
          body: form,
        });
        if (status === 400) continue;
        strictEqual(status, 201);
        served += 1;
        const { headers } = await server.request('GET', body[0].url);
        strictEqual(headers.get('x-content-type-options'), 'nosniff', name);
        match(headers.get('content-security-policy')!, /default-src 'none'.*\bsandbox(?!.*allow-scripts)/, name);
      }
      ok(served >= 6, `${served} were stored`);
    });

    it('CVE-2024-31217: no file name ends the server', async () => {
      for (const name of [
        'a.png\0',
        'a\0.png',
        'a.png%00',
        'a'.repeat(300),
        '../../etc/passwd',
        'a/b',
        'con',
        '.',
        '..',
        '',
      ]) {
        const boundary = 'XXX';
        const body = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: image/png\r\n\r\nnot a picture\r\n--${boundary}--\r\n`;
        const answer = await server.request('POST', '/api/upload', {
          token: server.secrets['full'],
          body,
          headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        });
        ok(answer.status === 201 || answer.status === 400, `${JSON.stringify(name)}: ${answer.status} ${answer.text}`);
        strictEqual((await server.get('/_health')).status, 204);
      }
    });
  });

  describe(`advisories on ${engine.name}: mails and sessions`, () => {
    let mailbox: Mailbox;
    let server: SeededServer;
    let calls: ReturnType<typeof callsOf>;
    const codeIn = (text: string): string => /code=3D([\w-]+)|code=([\w-]+)/.exec(text)!.slice(1).find(Boolean)!;

    const mailTo = (address: string): Promise<ReceivedMail> =>
      until(`a mail to ${address} has come`, () => mailbox.mails.find(({ to }) => to.includes(address)));

    before(async () => {
      mailbox = await openMailbox();
      const config = { ratelimit: { enabled: false }, jwtManagement: 'refresh' };
      server = await serveAccounts(
        engine,
        { 'users-permissions': { config } },
        { SMTP_URL: mailbox.url, EMAIL_FROM: 'galley@example.com' },
      );
      calls = callsOf(server);
    });
    after(async () => {
      await server?.stop();
      await mailbox?.close();
    });

    it('CVE-2026-22706: a new password ends the sessions of every device, without naming one', async () => {
      const first = (await calls.register('devices')).body;
      const second = (await calls.post('local', { identifier: 'devices', password: PASSWORD, deviceId: 'laptop' }))
        .body;
      const change = { currentPassword: PASSWORD, password: 'another one', passwordConfirmation: 'another one' };
      const changed = await calls.post('change-password', change, { token: first.jwt });
      strictEqual(changed.status, 200, changed.text);
      for (const { jwt, refreshToken } of [first, second]) {
        strictEqual((await calls.me(jwt)).status, 401);
        strictEqual((await calls.post('refresh', { refreshToken })).status, 401);
      }
      strictEqual((await calls.post('refresh', { refreshToken: changed.body.refreshToken })).status, 200);
    });

    it('CVE-2026-22706: a password that was reset ends every session', async () => {
      const { jwt, refreshToken } = (await calls.register('forgetful')).body;
      strictEqual((await calls.post('forgot-password', { email: 'forgetful@example.com' })).status, 200);
      const code = codeIn((await mailTo('forgetful@example.com')).text);
      const password = { password: 'another one', passwordConfirmation: 'another one' };
      const reset = await calls.post('reset-password', { code, ...password });
      strictEqual(reset.status, 200, reset.text);
      strictEqual((await calls.me(jwt)).status, 401);
      strictEqual((await calls.post('refresh', { refreshToken })).status, 401);
      strictEqual((await calls.me(reset.body.jwt)).status, 200);
      // and the code is used up
      strictEqual((await calls.post('reset-password', { code, ...password })).status, 400);
    });

    it('CVE-2025-3930: a logout ends the tokens that would make new ones', async () => {
      const { jwt, refreshToken } = (await calls.register('leaver')).body;
      strictEqual((await calls.post('logout', {}, { token: jwt })).status, 200);
      strictEqual((await calls.me(jwt)).status, 401);
      strictEqual((await calls.post('refresh', { refreshToken })).status, 401);
    });

    const ORIGINS = [
      'https://evil.example',
      'null',
      'http://127.0.0.1',
      'http://127.0.0.1:1',
      'https://127.0.0.1.evil',
    ];
    /** Begins a session that is kept in a cookie. */
    const cookieSession = async (username: string) => {
      const { headers, body } = await server.request('POST', '/api/auth/local/register', {
        body: { username, email: `${username}@example.com`, password: PASSWORD },
        headers: { 'x-strapi-refresh-cookie': 'httpOnly' },
      });
      const set = headers.get('set-cookie')!;
      match(set, /HttpOnly; SameSite=(Lax|Strict)/);
      return { jwt: body.jwt as string, cookie: set.split(';')[0]! };
    };

    it('CVE-2025-53092: no page of another origin gets a token for the cookie of a browser', async () => {
      const { jwt, cookie } = await cookieSession('cookie1');
      for (const origin of ORIGINS) {
        for (const asks of [{}, { 'x-strapi-refresh-cookie': 'httpOnly' }]) {
          const answer = await calls.post('refresh', {}, { headers: { ...asks, cookie, origin } });
          deepStrictEqual([answer.status, answer.headers.get('set-cookie')], [400, null], origin);
          strictEqual(answer.body.error.message, 'Missing refresh token');
        }
        const headers = { cookie: `jwt=${jwt}; strapi_jwt=${jwt}; ${cookie}`, origin };
        strictEqual((await server.request('GET', '/api/users/me', { headers })).status, 403);
      }
      // the token was used by none of them
      const own = await calls.post('refresh', {}, { headers: { cookie, origin: new URL(server.url).origin } });
      deepStrictEqual([own.status, Object.keys(own.body)], [200, ['jwt']]);
    });

    it('CVE-2025-53092: no page of another origin ends a session by its cookie', async () => {
      const { jwt, cookie } = await cookieSession('cookie2');
      const other = (await calls.post('local', { identifier: 'cookie2', password: PASSWORD })).body.jwt as string;
      for (const origin of ORIGINS.slice(0, 2)) {
        const mine = (await calls.post('local', { identifier: 'cookie2', password: PASSWORD })).body.jwt as string;
        const out = await calls.post('logout', {}, { token: mine, headers: { cookie, origin } });
        deepStrictEqual([out.status, out.headers.get('set-cookie')], [200, null]);
        deepStrictEqual([(await calls.me(mine)).status, (await calls.me(jwt)).status], [401, 200]);
      }
      const out = await calls.post('logout', {}, { token: other, headers: { cookie } });
      match(out.headers.get('set-cookie')!, /Max-Age=0/);
      deepStrictEqual([(await calls.me(jwt)).status, (await calls.me(other)).status], [401, 200]);
    });

    it('CVE-2023-22621, CVE-2020-13961: no template of a mail is a program', async () => {
      const message = [
        '[<%= 7 * 7 %>]',
        '[<%= process.env.SMTP_URL %>]',
        '[<% global.pwned = true %>]',
        '[<%- constructor.constructor("return 7*7")() %>]',
        `[\${7 * 7}]`,
        '[<%= USER.constructor.constructor("return 7*7")() %>]',
        '[<%= USER.password %>]',
        '[<%= USER.username %>]',
        '<p><%= URL %>?code=<%= TOKEN %></p>',
      ].join('\n');
      const template = { reset_password: { options: { object: '<%= 6 * 7 %>', message } } };
      const { placeholder } = server.app.database.dialect;
      const key = 'plugin_users-permissions_email';
      const [row] = await server.app.database.rows(
        `select count(*) from strapi_core_store_settings where key = ${placeholder(1)}`,
        [key],
      );
      const text =
        Number(row![0]) > 0
          ? `update strapi_core_store_settings set value = ${placeholder(1)} where key = ${placeholder(2)}`
          : `insert into strapi_core_store_settings (value, key, type) values (${placeholder(1)}, ${placeholder(2)}, 'object')`;
      await server.app.database.transaction(async (tx) => tx.rows(text, [JSON.stringify(template), key]));

      const name = '<%= 7*7 %><img src=x onerror=alert(1)>';
      const email = 'template@example.com';
      strictEqual((await calls.post('local/register', { username: name, email, password: PASSWORD })).status, 200);
      strictEqual((await calls.post('forgot-password', { email })).status, 200);
      const mail = await mailTo(email);
      match(mail.text, /code=/);
      doesNotMatch(mail.text, /\[49|^Subject: 42|127\.0\.0\.1:\d+\]|\$2[aby]\$/m);
      // in text a name is what it is, in HTML it is no markup
      const [, html = ''] = mail.text.split('Content-Type: text/html');
      ok(html.includes('onerror') && !html.includes('<img'), html);
      strictEqual(Reflect.get(globalThis, 'pwned'), undefined);
    });
  });

  describe(`advisories on ${engine.name}: limits`, () => {
    let server: SeededServer;
    let calls: ReturnType<typeof callsOf>;

    before(async () => {
      server = await serveAccounts(engine, {});
      calls = callsOf(server);
      await calls.register('target');
    });
    after(() => server?.stop());

    it('CVE-2023-38507: no way of writing the path or the headers begins the count anew', async () => {
      const wrong = { identifier: 'target', password: 'wrong' };
      const right = { identifier: 'target', password: PASSWORD };
      for (let i = 0; i < 10; i++) strictEqual((await calls.post('local', wrong)).status, 400);
      strictEqual((await calls.post('local', right)).status, 429);
      const paths = ['Local', 'LOCAL', 'local/', 'Local/', 'local?x=1', '%6cocal', 'loca%6C', 'local/?'];
      for (const path of paths) strictEqual((await calls.post(path, right)).status, 429, path);
      strictEqual((await server.request('POST', '/API/Auth/Local', { body: right })).status, 429);
      for (const path of ['/api//auth/local', '/api/auth/local//', '/api/./auth/local', '/api/auth/x/../local']) {
        const { status } = await server.request('POST', path, { body: right });
        ok(status === 429 || status === 404, `${path}: ${status}`);
      }
      for (const name of [
        'x-forwarded-for',
        'x-real-ip',
        'forwarded',
        'cf-connecting-ip',
        'true-client-ip',
        'client-ip',
      ]) {
        for (const value of ['203.0.113.7', 'for=203.0.113.7', '127.0.0.1, 203.0.113.7']) {
          strictEqual((await calls.post('local', right, { headers: { [name]: value } })).status, 429, name);
        }
      }
      strictEqual((await calls.post('local', right, { token: server.secrets['full'] })).status, 429);
    });

    it('CVE-2025-64526: an address in the body does not reset the count on routes without one', async () => {
      const password = { password: 'taken over', passwordConfirmation: 'taken over' };
      for (const [path, body] of [
        ['local', { identifier: 'target', password: PASSWORD }],
        ['reset-password', { code: 'guess', ...password }],
      ] as const) {
        const statuses: number[] = [];
        for (let i = 0; i < 12; i++) {
          statuses.push((await calls.post(path, { ...body, email: `fresh${i}@example.com` })).status);
        }
        deepStrictEqual(statuses.slice(-2), [429, 429], path);
      }
      // where one belongs, another way of writing it is no other address
      const spellings = ['one@example.com', 'ONE@example.com', ' one@example.com ', 'One@Example.COM'];
      const statuses: number[] = [];
      for (let i = 0; i < 12; i++) {
        statuses.push((await calls.post('forgot-password', { email: spellings[i % spellings.length] })).status);
      }
      deepStrictEqual(statuses.slice(-2), [429, 429]);
    });

    it('CVE-2025-64526: new addresses in bodies do not take logins their turn', async () => {
      const flooded = await serveAccounts(engine, { 'users-permissions': { config: { ratelimit: { max: 3 } } } });
      try {
        const { post, register, login } = callsOf(flooded);
        strictEqual((await register('resident')).status, 200);
        const flood = Array.from({ length: 60 }, (_, i) => register(`flood${i}`));
        const guest = await login('resident', PASSWORD);
        strictEqual(guest.status, 200, guest.text);
        const statuses = (await Promise.all(flood)).map(({ status }) => status);
        const admitted = statuses.filter((status) => status === 200).length;
        strictEqual(admitted, 3 * 10 - 1);
        deepStrictEqual([...new Set(statuses)].sort(), [200, 429]);
        const forgotten: number[] = [];
        for (let i = 0; i < 31; i++) {
          forgotten.push((await post('forgot-password', { email: `nobody${i}@example.com` })).status);
        }
        deepStrictEqual(forgotten.slice(-2), [200, 429]);
      } finally {
        await flooded.stop();
      }
    });

    it('CVE-2026-22707: a forbidden file type is refused under every name', async () => {
      const strict = await serveAccounts(engine, {
        ...unlimited,
        upload: { config: { security: { deniedTypes: ['text/html', 'image/svg+xml'] } } },
      });
      try {
        const send = (name: string, type: string, content: string, query = '') => {
          const form = new FormData();
          form.append('files', new Blob([content], { type }), name);
          return strict.request('POST', `/api/upload${query}`, { token: strict.secrets['full'], body: form });
        };
        const page = '<!doctype html><script>alert(1)</script>';
        const svg = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>';
        const fine = await send('fine.txt', 'text/plain', 'fine');
        strictEqual(fine.status, 201, fine.text);
        for (const query of ['', `?id=${fine.body[0].id}`]) {
          for (const [name, type, content] of [
            ['page.html', 'text/html', page],
            ['page.html', 'text/plain', page],
            ['page.html', 'application/octet-stream', page],
            ['PAGE.HTML', 'image/png', page],
            ['page.htm', '', page],
            ['drawing.svg', 'image/svg+xml', svg],
            ['drawing.svg', 'text/plain', svg],
          ] as const) {
            const { status, text } = await send(name, type, content, query);
            strictEqual(status, 400, `${name} as ${type}${query}: ${text}`);
          }
        }
        strictEqual((await strict.get('/api/upload/files', strict.secrets['full'])).body.length, 1);
      } finally {
        await strict.stop();
      }
    });
  });
}
