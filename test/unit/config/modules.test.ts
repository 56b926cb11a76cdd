/** Code of a project as it is loaded: docs/reference/project-code.md, "How code is loaded". */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { ModuleLoader } from '../../../src/config/modules/loader.ts';
import { UsageError } from '../../../src/errors.ts';
import { makeProject, type ProjectFolder } from '../../support/servers/project.ts';

async function withFiles<T>(
  files: Readonly<Record<string, unknown>>,
  use: (load: (file: string) => unknown, loader: ModuleLoader, folder: ProjectFolder) => T | Promise<T>,
): Promise<T> {
  const folder = await makeProject({ files });
  try {
    const loader = new ModuleLoader({ dir: folder.dir });
    return await use((file) => loader.loadDefault(path.join(folder.dir, file)), loader, folder);
  } finally {
    await folder.remove();
  }
}

describe('code of a project', () => {
  it('has lines of the source files, whichever loader prints it', async () => {
    const text = `type A = {\n  a: string;\n};\nconst one = (a: A): A => a;\n\nexport const fail = () => {\n  throw new Error(one({ a: 'a' }).a);\n};\n`;
    await withFiles({ 'src/fail.ts': text }, (_load, loader, { dir }) => {
      const { fail } = loader.load(path.join(dir, 'src/fail.ts')) as { fail: () => never };
      throws(fail, (error) => {
        const others = new ModuleLoader({ dir });
        deepStrictEqual([loader.placeOf(error), others.placeOf(error)], ['src/fail.ts:7', 'src/fail.ts:7']);
        return true;
      });
    });
  });

  it('may be TypeScript that needs a compiler', async () => {
    await withFiles(
      {
        'src/a.ts': `
          import fs = require('node:path');
          import type { Missing } from './missing';
          import { Kind, type Shape } from './kinds';
          import words from './words.json';
          namespace Numbers { export const one = 1; export namespace Deep { export const two = 2; } }
          abstract class Base { constructor(protected readonly name: string) {} }
          class Own extends Base { declare x: Missing; say() { return this.name; } }
          const shape = { kind: Kind.Long } satisfies Shape;
          export default [shape.kind, Kind[0], Numbers.one + Numbers.Deep.two, new Own('n').say(), words.hello, fs.sep];
        `,
        'src/kinds/index.ts': 'export enum Kind { Short, Long } export interface Shape { kind: Kind }',
        'src/words.json': { hello: 'hi' },
      },
      (load) => deepStrictEqual(load('src/a.ts'), [1, 'Short', 3, 'n', 'hi', path.sep]),
    );
  });

  it('finds modules by paths and baseUrl of a tsconfig with comments, which may extend another', async () => {
    await withFiles(
      {
        'tsconfig.json': '{ /* ours */ "extends": "./base", "compilerOptions": { "strict": true, }, }',
        'base.json':
          '{ "compilerOptions": { "baseUrl": ".", // here\n "paths": { "@/*": ["src/*"], "only": ["src/b"] } } }',
        'src/a.ts': "import b from '@/b'; import only from 'only'; import c from 'src/c'; export default b + only + c;",
        'src/b.ts': "export default 'b';",
        'src/c.js': "module.exports = 'c';",
      },
      (load) => strictEqual(load('src/a.ts'), 'bbc'),
    );
  });

  it('mixes CommonJS and ES modules in both directions, and in circles', async () => {
    await withFiles(
      {
        'src/a.js': "const { named } = require('./b'); exports.say = () => named(); exports.name = 'a';",
        'src/b.mjs':
          "import a from './a.js'; export const named = () => a.name; export const here = import.meta.filename;",
        'src/c.ts':
          "import * as a from './a'; import { here } from './b.mjs'; export default { said: a.say(), here, all: import('./d') };",
        'src/d.cjs': "module.exports = { late: require.resolve('./a') };",
      },
      async (load, _loader, { dir }) => {
        const { said, here, all } = load('src/c.ts') as { said: string; here: string; all: Promise<{ late: string }> };
        deepStrictEqual([said, here], ['a', path.join(dir, 'src/b.mjs')]);
        strictEqual((await all).late, path.join(dir, 'src/a.js'));
      },
    );
  });

  it('finds the place of an error in the lines of the source', async () => {
    const text =
      "interface A {\n  b: string;\n}\n\nenum E { x }\nexport default function fail(a: A) {\n  throw new Error('no ' + E.x);\n}\n";
    await withFiles({ 'src/fail.ts': text }, (load, loader) => {
      let caught: unknown;
      try {
        (load('src/fail.ts') as (a: unknown) => void)({});
      } catch (error) {
        caught = error;
      }
      strictEqual(loader.placeOf(caught), 'src/fail.ts:7');
      match(loader.stackOf(caught), /src\/fail\.ts:7:\d+/);
    });
  });

  it('refuses a mistake with its file and line', async () => {
    const files = { 'src/a.ts': 'const a = 1;\nconst b = ;\n', 'src/b.js': 'const a = 1;\n\nlet a;\n' };
    await withFiles(files, (load) => {
      const isAt = (place: RegExp) => (error: unknown) => error instanceof UsageError && place.test(error.message);
      throws(() => load('src/a.ts'), isAt(/^src\/a\.ts:2:11: /));
      throws(() => load('src/b.js'), isAt(/^src\/b\.js:3: /));
    });
  });

  it('is transformed once, and anew when its text changes', async () => {
    await withFiles({ 'src/a.ts': 'export default 1 as number;' }, async (load, loader, { dir }) => {
      await loader.prepare([path.join(dir, 'src/a.ts')]);
      strictEqual(load('src/a.ts'), 1);
      const kept = path.join(dir, '.cache/galley');
      const [name, ...others] = await readdir(kept);
      deepStrictEqual([others, name?.endsWith('.json')], [[], true]);
      const place = path.join(kept, name!);
      await writeFile(place, (await readFile(place, 'utf8')).replace('= 1', '= 7'));
      strictEqual(new ModuleLoader({ dir }).loadDefault(path.join(dir, 'src/a.ts')), 7);
      await writeFile(path.join(dir, 'src/a.ts'), 'export default 2 as number;');
      strictEqual(new ModuleLoader({ dir }).loadDefault(path.join(dir, 'src/a.ts')), 2);
      strictEqual((await readdir(kept)).length, 1);
    });
  });

  it('may use the name strapi for something of its own', async () => {
    const folder = await makeProject({
      files: {
        'src/a.js': 'module.exports = strapi.name;',
        'src/b.js': "const strapi = { name: 'own' }; module.exports = strapi.name;",
      },
    });
    const loader = new ModuleLoader({ dir: folder.dir, strapi: { name: 'given' } });
    deepStrictEqual(
      ['src/a.js', 'src/b.js'].map((file) => loader.loadDefault(path.join(folder.dir, file))),
      ['given', 'own'],
    );
    await folder.remove();
  });
});

describe('a configuration in TypeScript', () => {
  it('imports without endings, and has enums, JSON and namespaces', async () => {
    const folder = await makeProject({
      files: {
        'config/server.ts':
          "import tasks from './cron-tasks'; import { Port } from './ports'; import local from './local.json';\nexport default ({ env }) => ({ port: env.int('NONE', Port.Usual), host: local.host, cron: { enabled: true, tasks } });",
        'config/cron-tasks.ts':
          "export default { '*/5 * * * *': async ({ strapi }: { strapi: any }) => { strapi.log.info('x'); } };",
        'config/ports.ts': 'export enum Port { Usual = 4321 }',
        'config/local.json': { host: '127.0.0.7' },
      },
    });
    const { port, host } = await loadConfig(folder.dir, { env: {} });
    deepStrictEqual([port, host], [4321, '127.0.0.7']);
    ok((await readdir(path.join(folder.dir, '.cache/galley'))).length >= 3);
    await folder.remove();
  });
});

describe("configuration of features that only Strapi's panel has", () => {
  const opened = (files: Readonly<Record<string, unknown>>) =>
    withFiles(files, (_load, _loader, { dir }) => loadConfig(dir, { env: {} }));

  it('asks what config/database of new projects asks without Strapi, and no more', async () => {
    const file = (client: string, name = 'isDatabaseClientKind') => ({
      'config/database.ts': `import { ${name} } from '@strapi/database';
if (!${name}('${client}')) throw new Error('unsupported');
export default () => ({ connection: { client: '${client}', connection: { filename: 'own.db' } } });`,
    });
    const { database, warnings } = await opened(file('sqlite'));
    deepStrictEqual([database.client, warnings.filter((line) => line.includes('@strapi/database'))], ['sqlite', []]);
    await rejects(opened(file('other')), /unsupported/);
    await rejects(opened(file('sqlite', 'absent')), /not a function/);
  });

  it('reads files without packages that are not installed, with a warning', async () => {
    const config = await opened({
      'config/admin.ts': `import { Cog } from '@strapi/icons';
        import panel from 'some-panel/parts';
        panel.use(Cog('x'));
        export default { url: '/there', apiToken: { salt: 'kept' }, theme: Cog.dark, parts: [panel()] };`,
      'config/plugins.js': `const preview = require('@strapi/preview-button');
        module.exports = { 'users-permissions': { config: { jwtSecret: 'kept too' } }, preview: { enabled: false, config: preview.of('x') } };`,
    });
    deepStrictEqual([config.apiTokenSalt, config.jwtSecret, config.admin.path], ['kept', 'kept too', '/there']);
    const told = config.warnings.filter((line) => line.includes('is read without'));
    deepStrictEqual(
      told.map((line) => /^(\S+) is read without the package (\S+), which is not installed/.exec(line)!.slice(1)),
      [
        ['config/admin.ts', '@strapi/icons'],
        ['config/admin.ts', 'some-panel'],
        ['config/plugins.js', '@strapi/preview-button'],
      ],
    );
  });

  it('does so for compiled files, files of an environment, and their imports', async () => {
    const compiled = (text: string) =>
      `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n${text}`;
    const files = {
      'build/config/admin.js': compiled(`const a = require("absent-a"); exports.default = { x: a.y };`),
      'build/config/env/development/plugins.js': compiled(`require("absent-b"); exports.default = () => ({});`),
      'tsconfig.json': JSON.stringify({ compilerOptions: { outDir: 'build' } }),
    };
    const { warnings } = await opened(files);
    const told = warnings.flatMap(
      (line) => /^(\S+) is read without the package (\S+),/.exec(line)?.slice(1).join(' ') ?? [],
    );
    deepStrictEqual(told, ['build/config/admin.js absent-a', 'build/config/env/development/plugins.js absent-b']);
    const parts = {
      'config/panel/theme.ts': `import dark from './dark'; export default { dark };`,
      'config/panel/dark.ts': `import { dark } from 'absent-c'; export default dark;`,
    };
    const theme = `import theme from './panel/theme'; export default () => ({ theme });`;
    const { warnings: more } = await opened({ ...parts, 'config/admin.ts': theme });
    match(more.join('\n'), /^config\/panel\/dark\.ts is read without the package absent-c,/m);
    // what others import as well has to be there
    const { server, ...both } = { server: theme, ...parts, 'config/admin.ts': theme };
    await rejects(
      opened({ ...both, 'config/server.ts': server }),
      /Cannot find module 'absent-c': npm install absent-c adds it \(config\/panel\/dark\.ts:1\)/,
    );
    await rejects(
      opened({ ...both, 'config/api.ts': server }),
      /Cannot find module 'absent-c': npm install absent-c adds it \(config\/panel\/dark\.ts:1\)/,
    );
    await rejects(
      opened({ 'build/config/server.js': compiled(`require("absent")`), 'tsconfig.json': files['tsconfig.json'] }),
      /absent/,
    );
  });

  it('stops the start if a setting in use depends on them', async () => {
    const salt = (given: string) =>
      opened({ 'config/admin.js': `const a = require('absent'); module.exports = ${given};` });
    await rejects(
      salt('{ apiToken: { salt: "" + a.salt } }'),
      /config\/admin\.js.*the package absent is not installed/,
    );
    await rejects(salt('{ apiToken: { salt: a.salt } }'), UsageError);
    await rejects(salt('{ ...a.made() }'), /the package absent is not installed/);
    await rejects(salt('a.made({})'), UsageError);
    await rejects(opened({ 'config/server.js': `require('absent');` }), /Cannot find module 'absent'/);
    await rejects(opened({ 'config/plugins.js': `require('./absent');` }), /Cannot find module/);
  });
});
