/** What `npm pack` makes works where it is installed, `npx galley start` included, and what it needs is not large. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { contentType } from '../../support/servers/project.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The test's environment without what npm and the test runner put there, so that nothing points back here. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_(registry|cache|userconfig))|NODE_TEST|INIT_CWD)/i.test(name),
  ),
);
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
 */
const MOST_INSTALLED = 104e6;
const BLOCK = 4096;

describe('the packages of an installation for production', () => {
  it(`take less than ${MOST_INSTALLED / 1e6} MB on disk, those for other systems left out`, async () => {
    // the app is a workspace, of which a package has the built files alone
    const list = ['ls', '--omit=dev', '--all', '--parseable', '--workspaces=false'];
    const { stdout } = await run('npm', list, { cwd: ROOT, env: environment, maxBuffer: 1 << 24 });
    const folders = stdout.split('\n').filter((folder) => folder.includes(`${path.sep}node_modules${path.sep}`));
    ok(folders.length > 50);
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

describe('the package', () => {
  let scratch = '';
  let project = '';
  let packed: { filename: string; files: { path: string }[] };

  before(async () => {
    scratch = await mkdtemp(path.join(tmpdir(), 'galley-package-'));
    project = path.join(scratch, 'project');
    await mkdir(project);
    const pack = ['pack', '--json', '--pack-destination', scratch];
    const { stdout } = await run('npm', pack, { cwd: ROOT, env: environment, maxBuffer: 1 << 24 });
    // The build that npm runs first may print before the JSON.
    packed = JSON.parse(stdout.slice(stdout.search(/^\[/m)))[0];
    await writeFile(path.join(project, 'package.json'), '{"name": "fresh", "private": true}');
    const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', path.join(scratch, packed.filename)];
    await run('npm', install, { cwd: project, env: environment });
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it('holds compiled code with types and source maps and the built app, and no tests', () => {
    const files = packed.files.map((file) => file.path);
    for (const wanted of ['dist/main.js', 'dist/app.js', 'dist/app.d.ts', 'dist/app.js.map', 'README.md', 'LICENSE']) {
      ok(files.includes(wanted), `${wanted} is packed`);
    }
    ok(files.includes('admin/dist/index.html'), 'the administration app is packed');
    deepStrictEqual(
      files.filter((file) => /^(test|bench|admin\/(?!dist\/|README))|\.env$|\.db$|\.png$/.test(file)),
      [],
    );
  });

  it('imports compiled files only', async () => {
    const dist = path.join(project, 'node_modules/galley/dist');
    const scripts = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.js'));
    ok(scripts.length > 10);
    for (const script of scripts) {
      const text = await readFile(path.join(dist, script), 'utf8');
      ok(!/from ['"]\.[^'"]*\.ts['"]/.test(text), `${script} imports no .ts file`);
    }
  });

  it('serves a project of one schema file with npx galley start', async () => {
    const folder = path.join(project, 'src/api/note/content-types/note');
    await mkdir(folder, { recursive: true });
    const schema = contentType('note', { text: { type: 'string' } });
    await writeFile(path.join(folder, 'schema.json'), JSON.stringify(schema));
    // A process group of its own: npx does not pass every signal on to what it starts.
    const server = spawn('npx', ['galley', 'start', '--port', '0', '--host', '127.0.0.1'], {
      cwd: project,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Closed with the last process that writes to it: npx may exit before the server, which still keeps compiled code.
    const ended = once(server, 'close');
    try {
      const url = await urlOf(server);
      const health = await fetch(`${url}/_health`);
      strictEqual(health.status, 204);
      const closed = await fetch(`${url}/api/notes`);
      strictEqual(closed.status, 403);
      const { error } = (await closed.json()) as { error: { name: string } };
      strictEqual(error.name, 'ForbiddenError');
      ok(existsSync(path.join(project, 'database/content.db')));
      match(await readFile(path.join(project, '.env'), 'utf8'), /=\S{16,}/);
    } finally {
      if (server.exitCode === null) process.kill(-server.pid!, 'SIGTERM');
      await ended;
    }
  });
});
