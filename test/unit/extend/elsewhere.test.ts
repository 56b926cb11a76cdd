/** Code that files of a project import from elsewhere than `src` and `config`. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { projectSources } from '../../../src/extend/reading/elsewhere.ts';
import { understand } from '../../../src/extend/understand.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { contentType, makeProject, type ProjectFolder } from '../../support/servers/project.ts';
import { NO_CONFIG } from '../../support/servers/project-code.ts';

type Files = Readonly<Record<string, unknown>>;

/** Code that refuses what is made of a type. */
const GUARD =
  "exports.guard = () => strapi.documents.use((context, next) => { if (context.uid === 'api::a.a') throw new Error('no'); return next(); });";
const start = (before: string, within = 'guard();') => `${before}\nmodule.exports = { bootstrap() { ${within} } };`;

describe('code that is imported from elsewhere', () => {
  let folder: ProjectFolder | undefined;
  afterEach(async () => {
    await folder?.remove();
    folder = undefined;
  });

  const project = async (files: Files): Promise<string> => {
    folder = await makeProject({ contentTypes: { a: contentType('a', {}) }, files });
    return folder.dir;
  };
  const sourcesOf = async (dir: string) => projectSources({ dir, plugins: [] });
  /** Paths of the files that are read only because others import them. */
  const elsewhere = async (files: Files): Promise<string[]> =>
    (await sourcesOf(await project(files))).flatMap(({ path, isElsewhere }) => (isElsewhere ? [path] : []));
  /** What is closed, and why. */
  const closed = async (dir: string): Promise<string[]> => {
    const { closed } = await understand(await sourcesOf(dir), { ...NO_CONFIG, run: true }, loadCatalog(dir));
    return [...closed.values()];
  };

  const FORMS: readonly [string, Files, readonly string[]][] = [
    ['by a relative name', { 'src/index.js': start("const { guard } = require('../lib/guard');") }, ['lib/guard.js']],
    ['by a folder with an index', { 'src/index.js': "require('../lib');", 'lib/index.js': '' }, ['lib/index.js']],
    [
      'by a folder with a main file',
      {
        'src/index.js': "require('../lib');",
        'lib/package.json': { main: 'begin' },
        'lib/begin.js': '',
        'lib/index.js': '',
      },
      ['lib/begin.js'],
    ],
    [
      'by a path of tsconfig.json',
      {
        'tsconfig.json': { compilerOptions: { paths: { '@lib/*': ['./lib/*'] } } },
        'src/index.ts': "import { guard } from '@lib/guard';\nexport default { bootstrap() { guard(); } };",
      },
      ['lib/guard.js'],
    ],
    [
      'by baseUrl',
      { 'tsconfig.json': { compilerOptions: { baseUrl: '.' } }, 'src/index.ts': "import 'lib/guard';" },
      ['lib/guard.js'],
    ],
    [
      'by imports of package.json',
      { 'package.json': { imports: { '#lib/*': './lib/*.js' } }, 'src/index.js': "require('#lib/guard');" },
      ['lib/guard.js'],
    ],
    [
      'by an import in a form of TypeScript',
      { 'src/index.ts': "import g = require('../lib/guard');\ng;" },
      ['lib/guard.js'],
    ],
    ['while the code runs', { 'src/index.js': start('', "import('../lib/guard');") }, ['lib/guard.js']],
    ['by configuration', { 'config/cron-tasks.js': "module.exports = require('../lib/guard');" }, ['lib/guard.js']],
    [
      'by what is imported itself',
      { 'src/index.js': "require('../lib/one');", 'lib/one.js': "require('../more/two');", 'more/two.js': '' },
      ['lib/one.js', 'more/two.js'],
    ],
    [
      'below src, where nothing else is read',
      {
        'src/index.ts': "import { A } from './admin/a';",
        'src/admin/a.tsx': 'export const A = () => <p>{strapi.x}</p>;',
      },
      ['src/admin/a.tsx'],
    ],
    ...[
      "require(/* shared with the site */ '../lib/guard');",
      "require( // shared\n '../lib/guard');",
      "import(/* webpackChunkName: 'guard' */ '../lib/guard');",
      "const { guard } = require /* shared */ ('../lib/guard');",
      'require(`../lib/guard`);',
      'import(`../lib/guard`);',
      "require('node:module').createRequire(__filename)('../lib/guard');",
      "const { createRequire } = require('module');\nconst load = createRequire(__filename);\nload('../lib/guard');",
      "const path = require('path');\nrequire(path.join(__dirname, '..', 'lib', 'guard'));",
      "const { resolve } = require('node:path');\nrequire(resolve(__dirname, '../lib/guard.js'));",
      "require(require('path').resolve('lib/guard'));",
      "require(__dirname + '/../lib/guard');",
      `require(\`\${__dirname}/../lib/guard\`);`,
      "const place = '../lib/';\nrequire(place + 'guard');",
      "require(require.resolve('../lib/guard'));",
      `require(\`\${process.cwd()}/lib/guard\`);`,
      "module.require('../lib/guard');",
    ].map((text): [string, Files, readonly string[]] => [`by ${text}`, { 'src/index.js': text }, ['lib/guard.js']]),
    ...[
      "import guard from /* shared */ '../lib/guard';\nguard();",
      "export * from // shared\n'../lib/guard';",
      "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nrequire('../lib/guard');",
      "await import(new URL('../lib/guard.js', import.meta.url).href);",
    ].map((text): [string, Files, readonly string[]] => [`by ${text}`, { 'src/index.mjs': text }, ['lib/guard.js']]),
    ['as a type alone', { 'src/index.ts': "import type { A } from '../lib/guard';\nexport type B = A;" }, []],
    ['in a comment', { 'src/index.js': "// const { guard } = require('../lib/guard');" }, []],
    [
      'as data',
      { 'src/index.js': "require('../lib/data.json'); require('../lib/page.html');", 'lib/data.json': {} },
      [],
    ],
    ['though it is not there', { 'src/index.js': "require('../lib/none');" }, []],
    [
      'though it is a package',
      { 'src/index.js': "require('some-package');", 'node_modules/some-package/index.js': '' },
      [],
    ],
  ];
  for (const [name, files, expected] of FORMS) {
    it(`is read where it is imported ${name}`, async () => {
      deepStrictEqual(await elsewhere({ 'lib/guard.js': GUARD, ...files }), expected);
    });
  }

  it('is read beside the project, and in packages that are folders of a workspace', async () => {
    const around = await makeProject({
      files: {
        'shared/guard.js': GUARD,
        'packages/own/package.json': { name: '@my/own', main: 'lib/index.js' },
        'packages/own/lib/index.js': "require('./more');",
        'packages/own/lib/more.js': '',
        'packages/galley/package.json': { name: 'galley', main: 'index.js' },
        'packages/galley/index.js': '',
        'app/src/index.js': "require('../../shared/guard'); require('@my/own'); require('installed');",
        'app/src/galley.js': "const { defineHooks } = require('galley');",
        'app/node_modules/.store/installed/node_modules/installed/index.js': '',
      },
    });
    folder = around;
    const dir = join(around.dir, 'app');
    const link = async (place: string, target: string) => {
      await mkdir(dirname(join(around.dir, place)), { recursive: true });
      await symlink(join(around.dir, target), join(around.dir, place));
    };
    await link('node_modules/@my/own', 'packages/own');
    // a checkout that is installed by its folder
    await link('app/node_modules/galley', 'packages/galley');
    await link('app/node_modules/installed', 'app/node_modules/.store/installed/node_modules/installed');
    const paths = (await sourcesOf(dir)).map(({ path }) => path);
    deepStrictEqual(paths, [
      'src/galley.js',
      'src/index.js',
      '../shared/guard.js',
      '../packages/own/lib/index.js',
      '../packages/own/lib/more.js',
    ]);
  });

  it('is what a name means in the package that has it', async () => {
    folder = await makeProject({
      files: {
        'shared/package.json': { imports: { '#check': './b.js' } },
        'shared/own.js': "require('#check'); require('@my/own');",
        'shared/b.js': '',
        'app/package.json': { imports: { '#check': './lib/a.js' } },
        'app/src/index.js': "require('#check'); require('@my/own'); require('../../shared/own');",
        'app/lib/a.js': '',
        ...Object.fromEntries(['one', 'two'].map((name) => [`packages/${name}/index.js`, ''])),
      },
    });
    for (const [place, target] of [
      ['app', 'one'],
      ['shared', 'two'],
    ]) {
      const link = join(folder.dir, place!, 'node_modules/@my/own');
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(folder.dir, 'packages', target!), link);
    }
    const paths = (await sourcesOf(join(folder.dir, 'app'))).map(({ path }) => path);
    deepStrictEqual(paths.sort(), [
      ...['../packages/one/index.js', '../packages/two/index.js', '../shared/b.js', '../shared/own.js'],
      ...['lib/a.js', 'src/index.js'],
    ]);
  });

  it('closes what it stands before, and nothing where it stands before nothing', async () => {
    const before = "const { guard } = require('../lib/guard');";
    const dir = await project({ 'src/index.js': start(before), 'lib/guard.js': GUARD });
    const all = await closed(dir);
    strictEqual(all.length > 0 && all.every((why) => why.includes('lib/guard.js')), true, all.join('\n'));
    await folder!.remove();
    const words = await project({
      'src/index.js': start("require('../lib/words');", ''),
      'lib/words.js': 'exports.a = 1;',
    });
    deepStrictEqual(await closed(words), []);
  });

  it('is a policy, a route or an index nowhere else than Strapi looks for these', async () => {
    const dir = await project({
      'src/index.js':
        "require('../lib/src/policies/own'); require('../lib/src/api/b/routes/b'); require('../lib/src');",
      'lib/src/policies/own.js': 'module.exports = () => false;',
      'lib/src/api/b/routes/b.js': "module.exports = { routes: [{ method: 'GET', path: '/as', handler: 'b.find' }] };",
      'lib/src/index.js': 'module.exports = { register: unknown };',
    });
    deepStrictEqual(await closed(dir), []);
  });

  it('names the package that strapi is handed to, with the line', async () => {
    const dir = await project({ 'src/index.js': start("const seed = require('seeder');", '\nseed.all({ strapi });') });
    const { closed } = await understand(await sourcesOf(dir), NO_CONFIG, loadCatalog(dir));
    match([...closed.values()].join('\n'), /strapi handed to the package seeder in line 3 \(src\/index\.js\)/);
  });

  it('closes everything where it cannot be read, naming the import with its line', async () => {
    const dir = await project({ 'src/index.js': "\nrequire('../lib/broken');", 'lib/broken.js': 'strapi.x(' });
    const all = await closed(dir);
    strictEqual(all.length > 20, true);
    match(all.join('\n'), /start code that cannot be read, imported in src\/index\.js:2 \(lib\/broken\.js\)/);
  });
});
