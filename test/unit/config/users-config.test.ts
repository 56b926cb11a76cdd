/** The accounts' configuration: accepted and refused values. */
import { deepStrictEqual, doesNotMatch, match, rejects, strictEqual } from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import type { UsageError } from '../../../src/errors.ts';

describe('the configuration of accounts', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'galley-users-config-'));
    await mkdir(path.join(dir, 'config'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  const SECRETS = { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret' };
  const load = async (plugins: object, env: Record<string, string> = {}, server: object = {}) => {
    await writeFile(path.join(dir, 'config/plugins.json'), JSON.stringify(plugins));
    await writeFile(path.join(dir, 'config/server.json'), JSON.stringify(server));
    return loadConfig(dir, { env: { ...SECRETS, ...env } });
  };
  const users = async (config: object) => (await load({ 'users-permissions': { config } })).users;
  const refusal = async (work: Promise<unknown>): Promise<string> => {
    let message = '';
    await rejects(work, (error: UsageError) => {
      message = error.message;
      return true;
    });
    return message;
  };

  it('has the defaults of the reference', async () => {
    const { jwtLifespan, jwtManagement, rateLimit, registerFields, sessions, email } = await users({});
    deepStrictEqual(
      [jwtLifespan, jwtManagement, rateLimit, registerFields, email.transport],
      [30 * 24 * 3600, 'legacy-support', { max: 10, windowMs: 60_000 }, [], 'log'],
    );
    const { accessTokenLifespan, maxRefreshTokenLifespan, idleRefreshTokenLifespan, httpOnly, cookie } = sessions;
    deepStrictEqual(
      [accessTokenLifespan, maxRefreshTokenLifespan, idleRefreshTokenLifespan, httpOnly, cookie.name],
      [600, 30 * 24 * 3600, 14 * 24 * 3600, false, 'strapi_up_refresh'],
    );
  });

  it('reads lifespans in seconds and in words', async () => {
    const cases: [unknown, number][] = [
      [3600, 3600],
      ['7d', 7 * 24 * 3600],
      ['12 hours', 12 * 3600],
      ['90m', 5400],
      ['1.5h', 5400],
      ['2 weeks', 14 * 24 * 3600],
      ['60000', 60],
    ];
    for (const [expiresIn, seconds] of cases) {
      strictEqual((await users({ jwt: { expiresIn } })).jwtLifespan, seconds, String(expiresIn));
    }
    for (const expiresIn of [0, -1, 'soon', '7 moons', '-7d', {}, true]) {
      match(await refusal(users({ jwt: { expiresIn } })), /plugins\.json: users-permissions\.config\.jwt\.expiresIn/);
    }
  });

  it('reads the limit of requests in each of its forms', async () => {
    const limit = async (ratelimit: object) => (await users({ ratelimit })).rateLimit;
    strictEqual(await limit({ enabled: false }), null);
    deepStrictEqual(await limit({ max: 3, interval: 1000 }), { max: 3, windowMs: 1000 });
    deepStrictEqual(await limit({ interval: { min: 5 } }), { max: 10, windowMs: 300_000 });
    deepStrictEqual(await limit({ interval: { hour: 1, sec: 5 } }), { max: 10, windowMs: 3_605_000 });
    for (const ratelimit of [{ max: 0 }, { interval: 'x' }, { interval: { eon: 1 } }, { interval: {} }]) {
      match(await refusal(limit(ratelimit)), /ratelimit\.(?:max|interval)/);
    }
  });

  it('refuses other words and shapes, naming the key', async () => {
    const cases: [object, RegExp][] = [
      [{ jwtManagement: 'refreshing' }, /jwtManagement must be/],
      [{ sessions: { accessTokenLifespan: 0 } }, /sessions\.accessTokenLifespan/],
      [{ sessions: { cookie: { name: 'a b' } } }, /cookie\.name/],
      [{ sessions: { cookie: { path: '/;x' } } }, /cookie\.path/],
      [{ sessions: { cookie: { sameSite: 'some' } } }, /cookie\.sameSite/],
      [{ register: { allowedFields: 'a' } }, /register\.allowedFields/],
      [{ validationRules: { validatePassword: 'x' } }, /validatePassword must be a function/],
    ];
    for (const [config, message] of cases) match(await refusal(users(config)), message);
  });

  it('takes the SMTP server of the environment before that of the file, and shows no password', async () => {
    const options = { host: 'smtp.example.com', port: 587, auth: { user: 'u', pass: 'p' }, jsonTransport: true };
    const plugins = {
      email: {
        config: { provider: 'nodemailer', providerOptions: options, settings: { defaultFrom: 'a@example.com' } },
      },
    };
    const { jsonTransport: _, ...kept } = options;
    deepStrictEqual((await load(plugins)).users.email.transport, kept);
    const env = { SMTP_URL: 'smtps://u:p@mail.example.com', EMAIL_FROM: 'b@example.com' };
    const { email } = (await load(plugins, env)).users;
    deepStrictEqual([email.transport, email.defaultFrom], [env.SMTP_URL, 'b@example.com']);
    const message = await refusal(load(plugins, { SMTP_URL: 'http://u:hidden@mail.example.com' }));
    match(message, /^SMTP_URL must be/);
    doesNotMatch(message, /hidden/);
  });

  it('warns in production that no mail is sent, and only there', async () => {
    const production = await load({}, { NODE_ENV: 'production' });
    strictEqual(production.users.email.transport, 'none');
    strictEqual(production.warnings.filter((warning) => warning.startsWith('No mail is sent')).length, 1);
    deepStrictEqual((await load({})).warnings, []);
    deepStrictEqual((await load({}, { NODE_ENV: 'production', SMTP_URL: 'smtp://localhost' })).warnings, []);
  });

  it('names an unknown provider of mail, with the alternative', async () => {
    const by = (provider: string) => ({ email: { config: { provider } } });
    const production = (await load(by('amazon-ses'), { NODE_ENV: 'production' })).warnings;
    match(production[0]!, /mail with amazon-ses, which .* SMTP_URL .*smtps:\/\/\S+@email-smtp\.REGION\.amazonaws\.com/);
    match(production[1]!, /^No mail is sent\. Until then/);
    const [other] = (await load(by('strapi-provider-email-pigeon'))).warnings;
    match(other!, /with strapi-provider-email-pigeon, which Galley does not have: set SMTP_URL to its SMTP server\.$/);
    deepStrictEqual((await load(by('amazon-ses'), { SMTP_URL: 'smtp://localhost' })).warnings, []);
    deepStrictEqual((await load(by('nodemailer'))).warnings, []);
  });

  it('warns of a cookie that every site may send where every site is answered', async () => {
    const config = { jwtManagement: 'refresh', sessions: { cookie: { sameSite: 'none' } } };
    const warned = async (of: object) =>
      (await load({ 'users-permissions': { config: of } })).warnings.filter((text) => text.includes('sameSite')).length;
    strictEqual(await warned(config), 1);
    strictEqual(await warned({ ...config, jwtManagement: 'legacy-support' }), 0);
    strictEqual(await warned({ ...config, sessions: { cookie: { sameSite: 'lax' } } }), 0);
    await writeFile(
      path.join(dir, 'config/middlewares.json'),
      JSON.stringify([{ name: 'strapi::cors', config: { origin: ['https://front.example'] } }]),
    );
    strictEqual(await warned(config), 0);
    await rm(path.join(dir, 'config/middlewares.json'));
  });

  it('takes absolute addresses of the server alone', async () => {
    strictEqual((await load({}, {}, { url: 'https://api.example.com/' })).users.publicUrl, 'https://api.example.com');
    strictEqual((await load({}, {}, { url: '/cms' })).users.publicUrl, undefined);
    strictEqual(
      (await load({}, { PUBLIC_URL: 'http://a.test/x' }, { url: '/cms' })).users.publicUrl,
      'http://a.test/x',
    );
    match(await refusal(load({}, { PUBLIC_URL: 'ftp://a.test' })), /^PUBLIC_URL must be/);
  });
});
