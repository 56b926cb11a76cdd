/** Which code files a project has: docs/reference/project-code.md. */
import { deepStrictEqual } from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { asAskedFor, findSources } from '../../../src/runtime/source-files.ts';

describe('the files of a project', () => {
  it('are read under each path that leads to them, and no folder is read within itself', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'galley-code-'));
    try {
      const api = path.join(dir, 'src/api');
      await mkdir(path.join(api, 'a/routes'), { recursive: true });
      await writeFile(path.join(api, 'a/routes/a.js'), 'module.exports = {};');
      await symlink(path.join(api, 'a'), path.join(api, 'b'));
      await symlink(api, path.join(api, 'a/loop'));
      const found = findSources({ dir, plugins: [] });
      deepStrictEqual(
        found.map(({ path: file }) => file),
        ['src/api/a/routes/a.js', 'src/api/b/routes/a.js'],
      );
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('paths in capital letters', () => {
  const paths = [
    'API/Shop/Policies/isOwner.js',
    'Policies/Index.js',
    'Index.js',
    'api/a/routes/Routes.js',
    'other/API.js',
  ];

  it('are found under other letter case if the file system permits it', () => {
    deepStrictEqual(
      asAskedFor(paths, () => true),
      ['api/Shop/policies/isOwner.js', 'policies/Index.js', 'index.js', 'api/a/routes/Routes.js', 'other/API.js'],
    );
    deepStrictEqual(
      asAskedFor(paths, () => false),
      paths,
    );
    const both = ['Policies/a.js', 'policies/a.js'];
    deepStrictEqual(
      asAskedFor(both, () => true),
      both,
    );
  });
});

describe('files of a project that differ in their endings alone', () => {
  const PLACES = [
    'src/extensions/upload/strapi-server',
    'src/index',
    'src/api/a/routes/a',
    'src/policies/b',
    'config/c',
  ];

  it('count once: TypeScript where it is compiled, else JavaScript, and JSON before both', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'galley-code-'));
    const put = async (name: string) => {
      await mkdir(path.join(dir, path.dirname(name)), { recursive: true });
      await writeFile(path.join(dir, name), 'module.exports = {};');
    };
    const read = () =>
      findSources({ dir, plugins: [] })
        .map((file) => file.path)
        .sort();
    try {
      for (const place of PLACES) for (const ending of ['js', 'ts', 'mjs']) await put(`${place}.${ending}`);
      await put('src/policies/only.ts');
      const all = (ending: string) => [...PLACES.map((place) => `${place}.${ending}`), 'src/policies/only.ts'].sort();
      deepStrictEqual(read(), all('js'));
      await writeFile(path.join(dir, 'tsconfig.json'), '{}');
      deepStrictEqual(read(), all('ts'));
      await put('src/api/a/routes/a.json');
      deepStrictEqual(
        read().filter((file) => file.includes('routes')),
        ['src/api/a/routes/a.json'],
      );
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('the compiled files of a project', () => {
  const found = async (files: Readonly<Record<string, string>>) => {
    const dir = await mkdtemp(path.join(tmpdir(), 'galley-code-'));
    try {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(path.join(dir, path.dirname(name)), { recursive: true });
        await writeFile(path.join(dir, name), text);
      }
      return findSources({ dir, plugins: [] }).map((file) => file.path);
    } finally {
      await rm(dir, { recursive: true });
    }
  };

  it('count if their source is missing', async () => {
    deepStrictEqual(
      await found({
        'tsconfig.json': '{ "compilerOptions": { /* here */ "outDir": "./build/" } }',
        'src/api/a/routes/a.ts': '',
        'build/src/api/a/routes/a.js': '',
        'build/src/api/a/controllers/a.js': '',
        'dist/src/index.js': '',
      }),
      ['src/api/a/routes/a.ts', 'build/src/api/a/controllers/a.js'],
    );
    deepStrictEqual(
      await found({
        'base.json': '{ "compilerOptions": { "outDir": "made" } }',
        'tsconfig.json': '{ // "outDir": "./build",\n "extends": "./base.json" }',
        'made/src/api/a/controllers/a.js': '',
        'build/src/api/a/controllers/b.js': '',
      }),
      ['made/src/api/a/controllers/a.js'],
    );
  });

  it('do not count in a project of JavaScript', async () => {
    deepStrictEqual(await found({ 'src/api/a/routes/a.js': '', 'dist/src/index.js': '' }), ['src/api/a/routes/a.js']);
  });
});
