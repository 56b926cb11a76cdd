/** Files of the project's `public` folder (docs/reference/http.md, "Files of the project"). No engine has a part in it. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import {
  contentType,
  makeProject,
  type ProjectFiles,
  type RunningServer,
  serve,
} from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';

const FILES = {
  'public/robots.txt': 'User-agent: *\n',
  'public/index.html': '<h1>index</h1>',
  'public/guide/index.html': '<h1>guide</h1>',
  'public/guide/next.html': '<script>1</script>',
  'public/ü #1?.txt': 'named',
  'public/.secret': 'secret',
  'public/.hidden/a.txt': 'secret',
  'public/uploads/a.html': 'uploaded',
  'public/uploads/.b': 'secret',
  'public/api/x.txt': 'in the place of the API',
  'public/admin/x.txt': 'in the place of the administration',
  'public/_health': 'in the place of a probe',
  'favicon.png': 'icon',
  'beside.txt': 'secret',
};
const PROJECT: ProjectFiles = {
  contentTypes: { page: contentType('page', { title: { type: 'string' } }) },
  files: FILES,
};

async function serveFiles(files: Record<string, string> = {}): Promise<RunningServer> {
  const folder = await makeProject({ ...PROJECT, files: { ...FILES, ...files } });
  const inside = (name: string) => path.join(folder.dir, 'public', name);
  await mkdir(inside('empty'), { recursive: true });
  await symlink(path.join(folder.dir, 'beside.txt'), inside('outside.txt'));
  await symlink(folder.dir, inside('project'));
  await symlink('robots.txt', inside('inside.txt'));
  await symlink('uploads/a.html', inside('uploaded.html'));
  await symlink('.secret', inside('shown.txt'));
  return serve(folder, await engines[0]!.emptyDatabase());
}

const NOT_FOUND = [404, 'NotFoundError'];

describe('files of the project', () => {
  let server: RunningServer;
  before(async () => {
    server = await serveFiles();
  });
  after(() => server?.stop());

  it('are there where nothing else is, for a minute, and need no token', async () => {
    const { status, text, headers } = await server.get('/robots.txt');
    deepStrictEqual([status, text], [200, 'User-agent: *\n']);
    strictEqual(headers.get('cache-control'), 'max-age=60');
    strictEqual(headers.get('content-type'), 'text/plain; charset=utf-8');
    strictEqual(headers.get('etag'), null);
    strictEqual((await server.get('/robots.txt?v=1', 'nobody')).status, 200);
    const head = await server.request('HEAD', '/robots.txt');
    deepStrictEqual([head.status, head.text, head.headers.get('content-length')], [200, '', '14']);
    const since = await server.request('GET', '/robots.txt', {
      headers: { 'if-modified-since': headers.get('last-modified')! },
    });
    strictEqual(since.status, 304);
    strictEqual((await server.get('/%C3%BC%20%231%3F.txt')).text, 'named');
    strictEqual((await server.get('/inside.txt')).text, 'User-agent: *\n');
  });

  it('are shown of folders by their index', async () => {
    for (const target of ['/guide', '/guide/', '/guide/index.html', '/guide%2findex.html']) {
      const { text, headers } = await server.get(target);
      deepStrictEqual([text, headers.get('content-type')], ['<h1>guide</h1>', 'text/html; charset=utf-8'], target);
    }
    strictEqual((await server.get('/index.html')).text, '<h1>index</h1>');
    for (const target of ['/empty', '/empty/', '/robots.txt/']) {
      const { status, body } = await server.get(target);
      deepStrictEqual([status, body?.error.name], NOT_FOUND, target);
    }
  });

  it("are pages that load the resources of Strapi's policy", async () => {
    const { headers } = await server.get('/guide/next.html');
    const policy = headers.get('content-security-policy')!;
    match(policy, /default-src 'self';.*script-src 'self';/);
    strictEqual(policy.includes('sandbox'), false);
    strictEqual(headers.get('x-content-type-options'), 'nosniff');
  });

  it('take the place of nothing', async () => {
    for (const target of ['/api/x.txt', '/API/x.txt', '/admin/x.txt', '/uploads', '/uploads/.b']) {
      const { text } = await server.get(target);
      strictEqual(/in the place|secret/.test(text), false, target);
    }
    strictEqual((await server.get('/_health')).status, 204);
    match((await server.get('/uploads/a.html')).headers.get('content-security-policy')!, /sandbox/);
    strictEqual((await server.get('/')).body.name, 'galley');
  });

  it('include neither hidden files nor files outside of the folder', async () => {
    const targets = [
      ...['/.secret', '/.hidden/a.txt', '/%2esecret', '/shown.txt', '/guide/.', '/none.txt', '/guide//index.html'],
      ...['/outside.txt', '/project/package.json', '/project/.env', '/uploaded.html', '/%75ploads', '/project'],
      ...['/..%2fbeside.txt', '/%2e%2e/beside.txt', '/guide/..%2f..%2fbeside.txt', '/..%5cbeside.txt', '/a%00b'],
      ...[`/${'a'.repeat(3000)}`, '/etc/passwd', '/%2fetc/passwd'],
    ];
    for (const target of targets) {
      // fetch would resolve the dots itself
      const { status, text } = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const { port } = new URL(server.url);
        get({ host: '127.0.0.1', port, path: target }, async (answer) => {
          resolve({ status: answer.statusCode, text: (await answer.setEncoding('utf8').toArray()).join('') });
        }).on('error', reject);
      });
      deepStrictEqual([status, /secret|root:|dependencies/.test(text)], [404, false], target.slice(0, 40));
    }
  });

  it('are read, and nothing else', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      deepStrictEqual((await server.request(method, '/robots.txt')).status, 404, method);
    }
    const beyond = await server.request('GET', '/robots.txt', { headers: { range: 'bytes=50-60' } });
    deepStrictEqual([beyond.status, beyond.body.error.name], [416, 'RangeNotSatisfiableError']);
    const last = await server.request('GET', '/robots.txt', { headers: { range: 'bytes=-65557' } });
    deepStrictEqual([last.status, last.text], [206, (await server.get('/robots.txt')).text]);
  });

  it('have the icon of the project among them, for a day', async () => {
    const { status, text, headers } = await server.get('/favicon.ico');
    deepStrictEqual([status, text, headers.get('cache-control')], [200, 'icon', 'public, max-age=86400']);
    strictEqual((await server.get('/favicon.png')).status, 404);
  });
});

describe('files of the project with the settings of config/middlewares', () => {
  const answers = async (middlewares: unknown, files: Record<string, string> = {}) => {
    const server = await serveFiles({
      'config/middlewares.js': `module.exports = ${JSON.stringify(middlewares)};`,
      ...files,
    });
    try {
      const [robots, icon] = [await server.get('/robots.txt'), await server.get('/favicon.ico')];
      return { robots, icon };
    } finally {
      await server.stop();
    }
  };

  it('are not there where the lists of a project leave them out', async () => {
    const { robots, icon } = await answers(['strapi::errors', 'strapi::body']);
    deepStrictEqual([robots.status, icon.status], [404, 404]);
  });

  it('are cached for the configured time, with its policy', async () => {
    const directives = { 'script-src': ["'self'", 'https://stats.example'], imgSrc: "'self'", mediaSrc: null };
    const { robots, icon } = await answers(
      [
        { name: 'strapi::security', config: { contentSecurityPolicy: { directives } } },
        { name: 'strapi::public', config: { maxAge: 5500 } },
        { name: 'strapi::favicon', config: { path: 'icons/own.png', maxAge: 1000 } },
      ],
      { 'icons/own.png': 'own' },
    );
    strictEqual(robots.headers.get('cache-control'), 'max-age=5');
    deepStrictEqual([icon.text, icon.headers.get('cache-control')], ['own', 'public, max-age=1']);
    const policy = robots.headers.get('content-security-policy')!.split(';');
    const told = (name: string) => policy.find((one) => one.startsWith(name));
    deepStrictEqual(['script-src ', 'img-src', 'media-src', 'object-src'].map(told), [
      "script-src 'self' https://stats.example",
      "img-src 'self'",
      undefined,
      "object-src 'none'",
    ]);
    const { robots: free } = await answers([
      { name: 'strapi::security', config: { contentSecurityPolicy: false } },
      'strapi::public',
    ]);
    strictEqual(free.headers.get('content-security-policy'), null);
  });

  const GUARD = {
    'src/middlewares/guard.js': `module.exports = () => async (ctx, next) => {
  await next();
  ctx.set('x-seen', String(ctx.status));
};`,
  };
  const list = (names: string) => ({ 'config/middlewares.js': `module.exports = [${names}];` });
  const READ_ONLY = { 'config/galley.js': 'module.exports = { run: false };' };

  it('are seen by code that runs, wherever it stands in the list', async () => {
    for (const names of ["'global::guard', 'strapi::public'", "'strapi::public', 'global::guard'"]) {
      const running = await serveFiles({ ...GUARD, ...list(names) });
      try {
        const { text, headers } = await running.get('/robots.txt');
        deepStrictEqual([text, headers.get('x-seen')], ['User-agent: *\n', '200'], names);
        strictEqual((await running.get('/none.txt')).status, 404);
      } finally {
        await running.stop();
      }
    }
  });

  it('are closed with code that is not run, wherever it stands in the list, and whether they are there or not', async () => {
    const statuses = async (files: Record<string, string>) => {
      const server = await serveSeeded(
        engines[0]!,
        await makeProject({ ...PROJECT, files: { ...FILES, ...GUARD, ...READ_ONLY, ...files } }),
      );
      const targets = ['/robots.txt', '/none.txt', '/.secret', '/favicon.ico', '/uploads/a.html', '/uploads/none'];
      try {
        return await Promise.all(targets.map(async (target) => (await server.get(target)).status));
      } finally {
        await server.stop();
      }
    };
    const closed = [403, 403, 403, 403, 403, 403];
    deepStrictEqual(await statuses(list("'global::guard', 'strapi::public', 'strapi::favicon'")), closed);
    deepStrictEqual(await statuses(list("'strapi::public', 'strapi::favicon', 'global::guard'")), closed);
    // where none are served, nothing is closed
    deepStrictEqual(await statuses(list("'strapi::favicon', 'global::guard'")), [404, 404, 404, 403, 403, 403]);
  });

  it('are open where the plugin of uploads is switched off', async () => {
    const server = await serveFiles({ 'config/plugins.js': 'module.exports = { upload: { enabled: false } };' });
    try {
      const targets = ['/robots.txt', '/none.txt', '/uploads/a.html'];
      const statuses = await Promise.all(targets.map(async (target) => (await server.get(target)).status));
      deepStrictEqual(statuses, [200, 404, 403]);
    } finally {
      await server.stop();
    }
  });

  it('take the place of no route of code, however it is written', async () => {
    const route =
      "{ method: 'GET', path: '/report.html', handler: (ctx) => ctx.forbidden('guard'), config: { auth: false } }";
    const files = {
      'public/report.html': 'in the place of code',
      'public/post.html': 'in the place of code',
      'public/a%b.txt': 'with a percent sign',
      'src/index.js': `module.exports = { register({ strapi }) { strapi.server.routes([${route},
  { method: 'POST', path: '/post.html', handler: (ctx) => { ctx.body = {}; }, config: { auth: false } }]); } };`,
    };
    const targets = ['/report.html', '/report%2Ehtml', '/%72eport.html', '/REPORT%2ehtml', '/report.html%2f'];
    const others = ['/post.html', '/post%2ehtml', '/_%68ealth', '/_health%2f', '/%61pi/x.txt', '/%41dmin/x.txt'];
    const answersOf = async (server: RunningServer, paths: readonly string[]) =>
      Promise.all(paths.map(async (target) => /in the place|secret/.test((await server.get(target)).text)));
    const running = await serveFiles(files);
    try {
      deepStrictEqual(await answersOf(running, [...targets, ...others]), Array(11).fill(false));
      strictEqual((await running.get('/report.html')).status, 403);
      strictEqual((await running.get('/a%25b.txt')).text, 'with a percent sign');
    } finally {
      await running.stop();
    }
  });
});
