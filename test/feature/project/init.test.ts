/** `galley init`: a project that passes its own check and keeps its secrets to itself. */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { dependencyFor } from '../../../src/cli/init.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { engines } from '../../support/databases/databases.ts';
import { startProcess } from '../../support/servers/process.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

let scratch = '';
before(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'galley-init-'));
});
after(() => rm(scratch, { recursive: true, force: true }));

async function galley(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const print = (line: string) => void out.push(line);
  const code = await runCommandLine(args, { env: {}, print, warn: (line) => void err.push(line) });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

describe('galley init', () => {
  it('creates a project without mistakes, lists its files, and prints the next step', async () => {
    const dir = path.join(scratch, 'deep/The Site');
    const { code, out, err } = await galley('init', dir);
    deepStrictEqual([code, err], [0, '']);
    const made = (await readdir(dir, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)));
    const told = out.split('\n').filter((line) => line.startsWith('  '));
    deepStrictEqual(told.map((line) => line.trim()).sort(), made.sort());
    match(out, /\nnext: cd ".*The Site" && npm install && npm start$/);
    const checked = await galley('check', dir);
    deepStrictEqual([checked.code, checked.out, checked.err], [0, '2 content types, 1 component: no mistakes', '']);
    const { name, type, scripts, dependencies } = JSON.parse(await readFile(path.join(dir, 'package.json'), 'utf8'));
    const { start, types } = scripts;
    deepStrictEqual([name, type, start, types], ['the-site', 'module', 'exec galley start', 'galley types']);
    const written = await readFile(path.join(dir, 'galley.d.ts'), 'utf8');
    strictEqual((await galley('types', dir, '--out', '-')).out, written.trimEnd());
    // npm reads it as seen from the project
    strictEqual(path.resolve(dir, dependencies.galley.replace(/^file:/, '')), ROOT);
  });

  it('gives each project its own secrets, which other users cannot read and git ignores', async () => {
    const dirs = [path.join(scratch, 'one'), path.join(scratch, 'two')];
    for (const dir of dirs) await galley('init', dir);
    const [one, two] = await Promise.all(
      dirs.map(async (dir) => parseEnv(await readFile(path.join(dir, '.env'), 'utf8'))),
    );
    deepStrictEqual(Object.keys(one!).sort(), ['API_TOKEN_SALT', 'ENCRYPTION_KEY', 'JWT_SECRET']);
    for (const [key, value] of Object.entries(one!)) {
      ok(value!.length >= 32);
      notStrictEqual(value, two![key]);
    }
    strictEqual((await stat(path.join(dirs[0]!, '.env'))).mode & 0o777, 0o600);
    const ignored = (await readFile(path.join(dirs[0]!, '.gitignore'), 'utf8')).split('\n');
    for (const line of ['.env', '/.cache/', 'node_modules/', '/database/', '/public/uploads/'])
      ok(ignored.includes(line), line);
  });

  it('takes an empty folder and one with nothing but .git, and refuses all others', async () => {
    const dir = path.join(scratch, 'cloned');
    await mkdir(path.join(dir, '.git'), { recursive: true });
    strictEqual((await galley('init', dir)).code, 0);
    const again = await galley('init', dir);
    strictEqual(again.code, 2);
    match(again.err, /^galley: .*cloned is not empty: it contains \.env; use an empty or a new folder$/);
    const file = path.join(scratch, 'file');
    await writeFile(file, '');
    match((await galley('init', file)).err, /^galley: .*file is not a folder$/);
    match((await galley('init', path.join(file, 'below'))).err, /^galley: cannot create a project in .*ENOTDIR$/);
  });

  it('makes the project depend on --dependency, or else on the source of its own installation', async () => {
    const dir = path.join(scratch, 'told');
    await galley('init', dir, '--dependency', 'git+https://git.example.com/galley.git');
    const { dependencies } = JSON.parse(await readFile(path.join(dir, 'package.json'), 'utf8'));
    deepStrictEqual(dependencies, { galley: 'git+https://git.example.com/galley.git' });

    const installed = path.join(scratch, 'cache/node_modules/galley');
    const from = async (resolved: string | undefined) => {
      await mkdir(installed, { recursive: true });
      const packages = { 'node_modules/galley': { version: '9.9.9', resolved } };
      await writeFile(path.join(installed, '../.package-lock.json'), JSON.stringify({ packages }));
      return dependencyFor(path.join(scratch, 'site'), installed);
    };
    const address = 'git+ssh://git@git.example.com/galley.git#0123456';
    strictEqual(await from(address), address);
    strictEqual(await from('file:../packs/galley.tgz'), 'file:../packs/galley.tgz');
    match(await from('https://registry.npmjs.org/galley/-/galley-9.9.9.tgz'), /^\d+\.\d+\.\d+$/);
    match(await from(undefined), /^\d+\.\d+\.\d+$/);
  });
});

for (const engine of engines) {
  describe(`the project of galley init on ${engine.name}`, () => {
    it('starts, and reports once that its database is new', async () => {
      const dir = path.join(scratch, `on-${engine.name}`);
      await galley('init', dir);
      const database = await engine.emptyDatabase();
      try {
        const told: boolean[] = [];
        for (let start = 0; start < 2; start++) {
          const { child, lines, ended } = await startProcess(dir, database.env);
          told.push(/\n {2}(created a new database: \S+|created the tables in an empty database)\n/.test(lines()));
          child.kill('SIGTERM');
          const { code, err } = await ended;
          deepStrictEqual([code, err], [0, '']);
        }
        deepStrictEqual(told, [true, false]);
      } finally {
        await database.drop();
      }
    });
  });
}
