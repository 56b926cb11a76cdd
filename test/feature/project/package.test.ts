/** What `npm pack` makes works where it is installed, `npx galley start` included, and what it needs is not large. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ENTRIES } from '../../../src/own-files.ts';
import { INHERITED } from '../../support/servers/process.ts';
import { type CompilerName, expectedMistakes, mistakesOf, proposals } from '../../support/typing.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The test's environment without what npm and the test runner put there, so that nothing points back here. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_(registry|cache|userconfig))|NODE_TEST|INIT_CWD)/i.test(name),
  ),
);
Object.assign(environment, INHERITED);
// the machine's own Node may be too old; npx takes the first on the path
environment['PATH'] = `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH'] ?? ''}`;

/** Waits for the first URL on a process's output. */
async function urlOf(server: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error(`galley did not start:\n${output}`));
    const timer = setTimeout(fail, 30_000);
    const read = (text: string): void => {
      output += text;
      const found = /https?:\/\/127\.0\.0\.1:\d+/.exec(output);
      if (!found) return;
      clearTimeout(timer);
      resolve(found[0]);
    };
    server.stdout?.setEncoding('utf8').on('data', read);
    server.stderr?.setEncoding('utf8').on('data', read);
    server.once('exit', fail);
  });
}

/**
 * What an installation for production may take on disk, in bytes: a file takes whole blocks. What transforms TypeScript
 * is a program of 11 MB, under two names where its installation script has run. Nothing smaller does what projects need:
 * sucrase leaves namespaces out, oxc-transform and Node's own (swc) make no CommonJS, and the latter keeps decorators.
 * Knex, which migrations of projects are written for, takes 9 MB with what it needs, lodash being five of them.
 */
const MOST_INSTALLED = 75e6;
const BLOCK = 4096;

describe('the packages of an installation for production', () => {
  it(`take less than ${MOST_INSTALLED / 1e6} MB on disk, without those for other systems`, async () => {
    // the app is a workspace, of which a package has the built files alone
    const list = ['ls', '--omit=dev', '--all', '--parseable', '--workspaces=false'];
    const { stdout } = await run('npm', list, { cwd: ROOT, env: environment, maxBuffer: 1 << 24 });
    const folders = stdout.split('\n').filter((folder) => folder.includes(`${path.sep}node_modules${path.sep}`));
    ok(folders.length > 20);
    const sizes = await Promise.all(folders.map(async (folder) => [folder, await diskSize(folder)] as const));
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    const heaviest = sizes.sort(([, a], [, b]) => b - a).slice(0, 10);
    const lines = heaviest.map(([folder, size]) => `${path.relative(ROOT, folder)}: ${(size / 1e6).toFixed(1)} MB`);
    ok(total < MOST_INSTALLED, [`${(total / 1e6).toFixed(1)} MB`, ...lines].join('\n'));
  });
});

/** Bytes of a package and its folders; those of packages inside of it are counted by themselves. */
async function diskSize(folder: string): Promise<number> {
  let total = BLOCK;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') total += await diskSize(file);
    else if (entry.isFile()) total += Math.ceil((await stat(file)).size / BLOCK) * BLOCK;
  }
  return total;
}

/** What `create-strapi` 5 writes into a project in TypeScript. */
const STRAPI = {
  tsconfig: {
    compilerOptions: {
      module: 'CommonJS',
      moduleResolution: 'Node',
      lib: ['ES2020'],
      target: 'ES2019',
      strict: false,
      skipLibCheck: true,
      forceConsistentCasingInFileNames: true,
      incremental: true,
      esModuleInterop: true,
      resolveJsonModule: true,
      noEmitOnError: true,
      noImplicitThis: true,
      outDir: 'dist',
      rootDir: '.',
    },
    include: ['./', './**/*.ts', './**/*.js', 'src/**/*.json'],
    exclude: ['node_modules/', 'build/', 'dist/', '.cache/', '.tmp/', 'src/admin/', '**/*.test.*', 'src/plugins/**'],
  },
};

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('the package', () => {
  let scratch = '';
  let project = '';
  let packed: { filename: string; files: { path: string }[] };

  before(async () => {
    scratch = await mkdtemp(path.join(tmpdir(), 'galley-package-'));
    project = path.join(scratch, 'My project');
    const pack = ['pack', '--json', '--pack-destination', scratch];
    const { stdout } = await run('npm', pack, { cwd: ROOT, env: environment, maxBuffer: 1 << 24 });
    // The build that npm runs first may print before the JSON.
    packed = JSON.parse(stdout.slice(stdout.search(/^\[/m)))[0];
    const init = ['init', project, '--dependency', `file:../${packed.filename}`];
    await run(process.execPath, [path.join(ROOT, 'src/main.ts'), ...init], { env: environment });
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: project, env: environment });
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it('holds compiled code with types and source maps, its licences and the built app, and no tests', () => {
    const files = packed.files.map((file) => file.path);
    for (const wanted of [
      'dist/main.js',
      'dist/app.js',
      'dist/app.d.ts',
      'dist/server.js.map',
      'dist/LICENSES.txt',
      'README.md',
      'LICENSE',
    ]) {
      ok(files.includes(wanted), `${wanted} is packed`);
    }
    ok(files.includes('admin/dist/index.html'), 'the administration app is packed');
    deepStrictEqual(
      files.filter((file) => /sample/i.test(file) && file.startsWith('admin/')),
      [],
      'its samples are not',
    );
    deepStrictEqual(
      files.filter((file) => /^(test|bench|admin\/(?!dist\/|README))|\.env$|\.db$|\.png$/.test(file)),
      [],
    );
  });

  it('loads few files at a start, and imports only existing modules', async () => {
    const dist = path.join(project, 'node_modules/galley/dist');
    const names = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'));
    const scripts = new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(path.join(dist, name), 'utf8')] as const)),
    );
    const large = names.filter((name) => /[^\0-\x7f]/.test(scripts.get(name)!));
    deepStrictEqual(large, [], 'files whose letters take two bytes each in memory');
    const importsOf = (name: string, pattern: RegExp) =>
      [...scripts.get(name)!.matchAll(pattern)].map(([, to]) => path.posix.join(path.posix.dirname(name), to!));
    const STATIC = /(?:^|[;}])(?:import|export)\s?(?:[^'";]*?\bfrom\s?)?["'](\.[^"'\n]*\.js)["']/gm;
    // the names that the bundle gives, and no examples in texts
    const DYNAMIC = /\bimport\(["'](\.[^"'\n]*-[A-Z\d]{8}\.js)["']\)/g;
    for (const name of names) {
      for (const to of [...importsOf(name, STATIC), ...importsOf(name, DYNAMIC)]) {
        ok(scripts.has(to), `${name} imports ${to}`);
      }
    }
    const loaded = new Set(['main.js', 'app.js']);
    for (const name of loaded) for (const to of importsOf(name, STATIC)) loaded.add(to);
    ok(loaded.has('server.js') && loaded.size < 30, `${loaded.size} files`);
    const serverless = names.filter((name) => /^(?:program\.|supervisor-|check-)/.test(name));
    strictEqual(serverless.length, 3);
    for (const first of serverless) {
      const together = new Set([first]);
      for (const name of together) for (const to of importsOf(name, STATIC)) together.add(to);
      ok(!together.has('server.js'), `${first} loads no server`);
    }
    const PACKAGE = /(?:^|[;}])import\s?(?:[^'";]*?\bfrom\s?)?"([@a-z][^":\n]*)"|\bimport\("([@a-z][^":\n]*)"\)/gm;
    const packages = [...scripts.values()].flatMap((text) => [...text.matchAll(PACKAGE)].map(([, a, b]) => a ?? b!));
    const { dependencies } = JSON.parse(await readFile(path.join(dist, '../package.json'), 'utf8'));
    deepStrictEqual(
      [...new Set(packages)].sort(),
      Object.keys(dependencies).sort(),
      'what is not bundled is installed',
    );
    for (const [name, text] of scripts) ok(!name.includes('/') || !text.includes('import.meta.dirname'), name);
    for (const entry of ENTRIES) ok(scripts.has(`${entry}.js`), `${entry} starts by itself`);
  });

  it('states its types without the packages that are part of it', async () => {
    const dist = path.join(project, 'node_modules/galley/dist');
    const { dependencies } = JSON.parse(await readFile(path.join(dist, '../package.json'), 'utf8'));
    const NAMED = /^(?:import|export) type \{[^}]*\} from '([@a-z][^':]*)'/gm;
    const types = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.d.ts'));
    const texts = await Promise.all(types.map((file) => readFile(path.join(dist, file), 'utf8')));
    const packages = texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, name]) => name!));
    deepStrictEqual(
      packages.filter((name) => dependencies[name] === undefined),
      [],
    );
    ok((await readFile(path.join(dist, 'packages.d.ts'), 'utf8')).includes('FastifyReply'));
  });

  describe("types of a project's code", () => {
    const TYPED = path.join(ROOT, 'test/projects/typed');
    const typed = async (name: string, files: Readonly<Record<string, string>> = {}): Promise<string> => {
      const dir = path.join(scratch, name);
      // with what its own installation has given it
      await cp(project, dir, { recursive: true, filter: (file) => !file.includes('node_modules') });
      await cp(TYPED, dir, { recursive: true });
      await mkdir(path.join(dir, 'node_modules'));
      for (const one of ['galley', '@types', 'undici-types']) {
        await symlink(path.join(project, 'node_modules', one), path.join(dir, 'node_modules', one));
      }
      await symlink(path.join(ROOT, 'node_modules/zod'), path.join(dir, 'node_modules/zod'));
      for (const [file, text] of Object.entries(files)) await writeFile(path.join(dir, file), text);
      await run(process.execPath, [path.join(ROOT, 'src/main.ts'), 'types', dir], { env: environment });
      return dir;
    };
    /** Each mistake of `src/mistakes.ts` is told at its line, and nothing else is. */
    const requireMistakes = async (compiler: CompilerName, dir: string): Promise<void> => {
      const told = await mistakesOf(compiler, dir);
      const expected = await expectedMistakes(dir, 'src/mistakes.ts');
      ok(expected.size > 20);
      deepStrictEqual([...told.keys()].sort(), [...expected.keys()].sort(), [...told.values()].join(''));
      for (const [place, wanted] of expected) match(told.get(place)!, wanted);
    };

    it('in a project of galley init, with TypeScript 5 and 7', async () => {
      const dir = await typed('typed');
      for (const compiler of ['typescript', 'typescript-5'] as const) await requireMistakes(compiler, dir);
      // what types let pass is right where it is loaded
      const check = await run(process.execPath, [path.join(ROOT, 'src/main.ts'), 'check', dir], { env: environment });
      match(check.stdout, /no mistakes/);
      // the page has a configuration for other projects, be they of CommonJS
      const page = await readFile(path.join(ROOT, 'docs/extending.md'), 'utf8');
      await writeFile(
        path.join(dir, 'tsconfig.json'),
        /```json\n(\{\n {2}"compilerOptions"[\s\S]*?)```/.exec(page)![1]!,
      );
      await writeFile(path.join(dir, 'package.json'), '{}');
      await requireMistakes('typescript-5', dir);
      // without the types of its content everything goes but what has nothing to do with them
      await rm(path.join(dir, 'galley.d.ts'));
      const open = [...(await mistakesOf('typescript', dir)).keys()];
      deepStrictEqual(
        open.filter((place) => !place.startsWith('src/mistakes.ts')),
        [],
      );
    });

    it('in a project of Strapi, with the compiler options of Strapi', async () => {
      const { tsconfig } = STRAPI;
      const manifest = JSON.stringify({ name: 'site', private: true });
      const dir = await typed('strapi', { 'tsconfig.json': JSON.stringify(tsconfig), 'package.json': manifest });
      await requireMistakes('typescript-5', dir);
    });

    it('and proposes the names of attributes, operators and values of the account', async () => {
      const dir = await typed('proposed');
      const text = `import { defineAccess, defineHooks, definePopulate } from 'galley';
        defineAccess({ 'api::order.order': { find: { | }, update: { buyer: { | } }, delete: { buyer: '|' }, read: ['|'] } });
        definePopulate({ 'api::order.order': { list: ['|'], one: { buyer: { fields: ['|'] } } } });
        defineHooks({ 'plugin::users-permissions.user': { beforeWrite({ data }) { data.| } } });`;
      const [rows, buyer, value, read, list, fields, data] = await proposals(dir, text);
      const has = (given: readonly string[] | undefined, ...names: string[]) => {
        for (const name of names) ok(given!.includes(name), `${name} of ${given}`);
      };
      has(rows, 'margin', 'buyer', '$or');
      has(buyer, 'username', '$in', '$null');
      ok(!buyer!.includes('getTime'), `${buyer}`);
      has(value, '$user.id', '$user.company.name', '$now');
      has(read, 'number', 'address.city');
      deepStrictEqual(list!.toSorted(), ['about', 'address', 'buyer', 'company', 'extras', 'lines', 'papers']);
      has(fields, 'username', 'rebate');
      has(data, 'username', 'password');
    });
  });

  it('names the licence of each package that is bundled', async () => {
    const text = await readFile(path.join(project, 'node_modules/galley/dist/LICENSES.txt'), 'utf8');
    const parts = text.split(`\n\n${'-'.repeat(80)}\n\n`);
    ok(parts.length > 50);
    deepStrictEqual(
      parts.filter((part) => !/mit|copyright|permission/i.test(part.split('\n').slice(2).join('\n'))),
      [],
    );
    ok(/^fastify 5\./m.test(text));
  });

  it('serves a project of galley init by npm start, until a signal to npm ends it', async () => {
    const server = spawn('npm', ['start'], {
      cwd: project,
      env: { ...environment, PORT: '0', HOST: '127.0.0.1' },
      // a group of its own: what a signal to npm leaves running is found and ended below
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(server, 'exit');
    try {
      const url = await urlOf(server);
      strictEqual((await fetch(`${url}/_health`)).status, 204);
      const closed = await fetch(`${url}/api/articles`);
      strictEqual(closed.status, 403);
      const { error } = (await closed.json()) as { error: { name: string } };
      strictEqual(error.name, 'ForbiddenError');
      // as the project's README has it
      const readme = await readFile(path.join(project, 'README.md'), 'utf8');
      const grant = /npx galley (role grant public .*)/.exec(readme)![1]!.split(' ');
      await run('npx', ['galley', ...grant], { cwd: project, env: environment });
      const open = await fetch(`${url}/api/articles?populate=author&sort=title`);
      deepStrictEqual([open.status, ((await open.json()) as { data: unknown }).data], [200, []]);
      ok(existsSync(path.join(project, 'database/content.db')));
      // what threads and processes of their own do, and what is loaded when it is needed
      const account = { username: 'ann', email: 'ann@example.org', password: 'Secret123456' };
      const headers = { 'content-type': 'application/json' };
      const registered = await fetch(`${url}/api/auth/local/register`, {
        method: 'POST',
        headers,
        body: JSON.stringify(account),
      });
      strictEqual(registered.status, 200);
      const create = ['token', 'create', '--name', 'uploads', '--type', 'full-access'];
      const { stdout } = await run('npx', ['galley', ...create], { cwd: project, env: environment });
      const form = new FormData();
      form.set('files', new File([Buffer.from(PIXEL, 'base64')], 'pixel.png'));
      const authorization = `Bearer ${stdout.trim()}`;
      const uploaded = await fetch(`${url}/api/upload`, { method: 'POST', headers: { authorization }, body: form });
      const [file] = (await uploaded.json()) as { url: string; mime: string; width: number }[];
      deepStrictEqual([file!.mime, file!.width], ['image/png', 1]);
      strictEqual((await fetch(url + file!.url)).headers.get('content-type'), 'image/png');
      server.kill('SIGTERM');
      await ended;
      await rejects(fetch(`${url}/_health`));
    } finally {
      try {
        process.kill(-server.pid!, 'SIGKILL');
      } catch {
        // nothing is left of the group
      }
    }
  });

  it('is the dependency in a project of its own galley init', async () => {
    const other = path.join(scratch, 'other');
    await run('npx', ['galley', 'init', other], { cwd: project, env: environment });
    const manifest = JSON.parse(await readFile(path.join(other, 'package.json'), 'utf8'));
    deepStrictEqual([manifest.name, manifest.dependencies], ['other', { galley: `file:../${packed.filename}` }]);
  });
});
