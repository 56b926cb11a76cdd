/** The configuration of the administration: its address, and refused values. */
import { deepStrictEqual, match, rejects } from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import type { UsageError } from '../../../src/errors.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the configuration of the administration', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'galley-admin-config-'));
    await mkdir(path.join(dir, 'config'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  const load = async (admin: object, env: Record<string, string> = {}) => {
    await writeFile(path.join(dir, 'config/admin.json'), JSON.stringify(admin));
    return loadConfig(dir, { env: { API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret', ...env } });
  };

  it('is at /admin, on, and limits attempts to sign in', async () => {
    const { admin } = await load({});
    const rateLimit = { max: 10, windowMs: 300_000 };
    const preview = { urls: new Map(), origins: [] };
    const sessions = {
      remembered: { idle: 14 * DAY, whole: 30 * DAY },
      passing: { idle: 2 * HOUR, whole: DAY },
    };
    deepStrictEqual(admin, { enabled: true, path: '/admin', origin: undefined, rateLimit, sessions, preview });
  });

  it('has the session lifespans of the Strapi settings', async () => {
    const sessions = async (auth: object) => (await load({ auth })).admin.sessions;
    const given = { maxRefreshTokenLifespan: 4, idleRefreshTokenLifespan: 3, maxSessionLifespan: 2 };
    deepStrictEqual(await sessions({ sessions: { ...given, idleSessionLifespan: '1' } }), {
      remembered: { idle: 3000, whole: 4000 },
      passing: { idle: 1000, whole: 2000 },
    });
    for (const expiresIn of ['1h', '3600', 3600]) {
      const { remembered, passing } = await sessions({ options: { expiresIn }, sessions: { maxSessionLifespan: 60 } });
      deepStrictEqual([remembered.whole, passing.whole], [HOUR, 60_000], String(expiresIn));
    }
    await rejects(sessions({ options: { expiresIn: 'soon' } }), /auth\.options\.expiresIn must be seconds/);
    await rejects(sessions({ sessions: { idleSessionLifespan: 0 } }), /idleSessionLifespan must be a whole number/);
  });

  it('is at path or url, which may be an address', async () => {
    const place = async (admin: object, env = {}) => {
      const { path: at, origin } = (await load(admin, env)).admin;
      return [at, origin];
    };
    deepStrictEqual(await place({ path: 'desk/' }), ['/desk', undefined]);
    deepStrictEqual(await place({ url: '/dashboard' }), ['/dashboard', undefined]);
    deepStrictEqual(await place({ url: 'https://example.com/dash/' }), ['/dash', 'https://example.com']);
    deepStrictEqual(await place({ url: 'https://example.com/x', path: '/y' }), ['/y', 'https://example.com']);
    deepStrictEqual(await place({}, { PUBLIC_URL: 'https://cms.example.com/base' }), [
      '/admin',
      'https://cms.example.com',
    ]);
  });

  it('has addresses of previews by type, and the origins that a frame may show', async () => {
    const urls = { 'api::post.post': 'https://example.com/{locale}/{slug}', 'api::page.page': 'http://localhost:3000' };
    const preview = { urls, config: { allowedOrigins: ['https://www.example.com/x'], handler: 'code' } };
    const { admin, warnings } = await load({ preview });
    deepStrictEqual([...admin.preview.urls], Object.entries(urls));
    deepStrictEqual(admin.preview.origins, ['https://example.com', 'http://localhost:3000', 'https://www.example.com']);
    const any = await load({ preview: { urls, config: { allowedOrigins: '*' } } });
    deepStrictEqual(any.admin.preview.origins, ['https://example.com', 'http://localhost:3000', '*']);
    match(warnings.join(), /no effect: preview\.config\.handler/);
    const off = (await load({ preview: { ...preview, enabled: false } })).admin.preview;
    deepStrictEqual([off.urls.size, off.origins], [0, []]);
  });

  it('refuses invalid and taken paths, and values of the wrong kind', async () => {
    for (const [admin, message] of [
      [{ path: '/' }, /path must be a path such as \/admin/],
      [{ path: '/a b' }, /path must be a path such as \/admin/],
      [{ path: '/../x' }, /path must be/],
      [{ path: '/api' }, /path must be another path than \/api/],
      [{ preview: { urls: { x: '/relative' } } }, /preview\.urls\.x must be an http or https URL/],
      [{ preview: { urls: { x: 'https://{slug}.example.com' } } }, /preview\.urls\.x must be/],
      [{ preview: { urls: { x: 'https://example.com@{slug}' } } }, /preview\.urls\.x must be/],
      [{ preview: { urls: ['https://example.com'] } }, /preview\.urls must be an object/],
      [{ preview: { config: { allowedOrigins: ['example'] } } }, /allowedOrigins must be a list of origins/],
      [{ path: '/API/admin' }, /another path than \/api/],
      [{ url: '/uploads' }, /url must be another path than \/uploads/],
      [{ url: 'admin' }, /url must be an http or https URL, or a path/],
      [{ enabled: 'no' }, /enabled must be true or false/],
      [{ rateLimit: { max: 0 } }, /rateLimit\.max/],
    ] as const) {
      await rejects(load(admin), (error: UsageError) => {
        match(error.message, message);
        return true;
      });
    }
  });

  it('warns of keys without effect, and not of those that only the panel of Strapi reads', async () => {
    const known = { path: '/desk', url: '/desk', enabled: true };
    const { warnings } = await load({ ...known, auth: { secret: 's' }, serveAdminPanel: false, unknown: 1 });
    deepStrictEqual(warnings, ['config/admin.json: this key has no effect: unknown.']);
  });
});
