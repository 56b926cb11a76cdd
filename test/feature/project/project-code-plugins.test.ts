/** Plugins that are not built in are read like code of the project: docs/reference/project-code.md. */
import { doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { readProjectCode } from '../../../src/extend/project-code.ts';
import { loadCatalog } from '../../../src/schema/load.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { serveSeeded } from '../../support/servers/seeded.ts';

const contentTypes = {
  note: contentType('note', { text: { type: 'string' } }),
  page: contentType('page', { text: { type: 'string' } }),
};

/** A package of a plugin, as it is installed. */
const plugin = (name: string, server: string, about: Readonly<Record<string, unknown>> = {}) => ({
  [`node_modules/strapi-plugin-${name}/package.json`]: JSON.stringify({
    name: `strapi-plugin-${name}`,
    strapi: { name, kind: 'plugin' },
    exports: { './strapi-server': { import: './dist/server/index.mjs', require: './dist/server/index.js' } },
    ...about,
  }),
  [`node_modules/strapi-plugin-${name}/dist/server/index.js`]: server,
});
const dependsOn = (...names: readonly string[]) => ({
  'package.json': JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) }),
});
const configured = (plugins: Readonly<Record<string, unknown>>) => ({
  'config/plugins.js': `module.exports = ${JSON.stringify(plugins)};`,
});

/** As bundlers of plugins write them. */
const bundle = (body: string, more = '') =>
  `"use strict";\nObject.defineProperties(exports, { __esModule: { value: true }, [Symbol.toStringTag]: { value: "Module" } });\nconst register = ({ strapi: strapi2 }) => { ${body} };\nconst bootstrap = async ({ strapi: strapi2 }) => { [1].map((x, index) => index); };\n${more}\nconst services = { main: ({ strapi: strapi2 }) => ({ go: () => strapi2.documents("api::note.note").findMany() }) };\nconst index = { register, bootstrap, services${more === '' ? '' : ', routes'} };\nexports.default = index;\n`;

async function codeOf(files: Readonly<Record<string, unknown>>) {
  const folder = await makeProject({ contentTypes, files: { '.env': 'GALLEY_CODE=read\n', ...files } });
  try {
    const config = await loadConfig(folder.dir, { env: {} });
    return await readProjectCode(config, loadCatalog(folder.dir));
  } finally {
    await folder.remove();
  }
}

const closedBy = async (files: Readonly<Record<string, unknown>>): Promise<string> => {
  const { closed } = await codeOf(files);
  if (closed.has('plugin::users-permissions.auth.callback')) return '*';
  return [...closed.keys()].sort().join(' ');
};

const HARMLESS = bundle('strapi2.customFields.register({ name: "x" });');
const GATE = bundle('strapi2.server.use(async (ctx, next) => next());');

describe('plugins that are not built in', () => {
  const table: [string, Readonly<Record<string, unknown>>, string][] = [
    [
      'close nothing where they only add to what there is',
      { ...plugin('x', HARMLESS), ...dependsOn('strapi-plugin-x') },
      '',
    ],
    [
      'close what they stand before, configured or only installed',
      { ...plugin('x', GATE), ...dependsOn('strapi-plugin-x') },
      '*',
    ],
    [
      'close nothing where they are switched off',
      { ...plugin('x', GATE), ...dependsOn('strapi-plugin-x'), ...configured({ x: { enabled: false } }) },
      '',
    ],
    [
      'are found by what `resolve` names',
      { ...plugin('x', GATE), ...configured({ other: { enabled: true, resolve: 'strapi-plugin-x' } }) },
      '*',
    ],
    [
      'close the actions that a hook of theirs is for',
      {
        ...plugin(
          'x',
          bundle(
            "strapi2.documents.use((context, next) => { if (context.uid === 'api::note.note' && context.action === 'delete') { throw new Error(); } return next(); });",
          ),
        ),
        ...dependsOn('strapi-plugin-x'),
      },
      'api::note.note.delete',
    ],
    [
      'close what a route of theirs takes over',
      {
        ...plugin(
          'x',
          bundle(
            '',
            "const routes = { 'content-api': { type: 'content-api', routes: [{ method: 'GET', path: '/notes', handler: 'x.y', config: { prefix: '' } }, { method: 'GET', path: '/z', handler: 'x.z' }] } };",
          ),
        ),
        ...dependsOn('strapi-plugin-x'),
      },
      'api::note.note.find',
    ],
    [
      'close nothing by routes below their names and by those of the admin panel',
      {
        ...plugin(
          'x',
          bundle(
            '',
            "const routes = { 'content-api': { type: 'content-api', routes: [{ method: 'GET', path: '/notes', handler: 'x.y' }] }, admin: { type: 'admin', routes: [{ method: 'GET', path: '/notes', handler: 'x.y', config: { prefix: '' } }] } };",
          ),
        ),
        ...dependsOn('strapi-plugin-x'),
      },
      '',
    ],
    ...[
      'deep(strapi2.contentType("api::note.note").attributes, "text.private", true);',
      'const kept = { at: strapi2.contentType("api::note.note").attributes }; kept.at.text.private = true;',
      'const kept = {}; kept.at = strapi2.contentTypes; kept.at["api::note.note"].attributes.text.private = true;',
      'Object.values(strapi2.contentTypes).forEach(require("some-package").hide);',
    ].map((body): [string, Readonly<Record<string, unknown>>, string] => [
      `close everything where they hand schemas on or keep them: ${body}`,
      { ...plugin('x', bundle(body)), ...dependsOn('strapi-plugin-x') },
      '*',
    ]),
    [
      'close nothing where they walk through schemas',
      {
        ...plugin(
          'x',
          bundle(
            'for (const type of Object.values(strapi2.contentTypes)) { if (type.kind === "singleType") strapi2.log.info(type.info.displayName); } const names = Object.entries(strapi2.contentType("api::note.note").attributes).filter(([, one]) => one.type === "string").map(([name]) => name); index2(names);',
          ),
        ),
        ...dependsOn('strapi-plugin-x'),
      },
      '',
    ],
    [
      'close everything where they cannot be parsed',
      { ...plugin('x', 'module.exports = {'), ...dependsOn('strapi-plugin-x') },
      '*',
    ],
    [
      'close everything where their start functions are not written out',
      { ...plugin('x', "module.exports = require('strapi-plugin-y');"), ...dependsOn('strapi-plugin-x') },
      '*',
    ],
    ['close everything where they are not installed', configured({ x: { enabled: true } }), '*'],
    ['close everything where a dependency that is one by its name is not installed', dependsOn('strapi-plugin-x'), '*'],
    [
      'close nothing where they are of the admin panel alone',
      {
        'node_modules/strapi-plugin-x/package.json': JSON.stringify({ strapi: { name: 'x', kind: 'plugin' } }),
        ...dependsOn('strapi-plugin-x'),
      },
      '',
    ],
    [
      'are read with the files that they import, where they are in a folder of the project',
      {
        'extra/gate/package.json': '{}',
        'extra/gate/strapi-server.js': "module.exports = require('./server');",
        'extra/gate/server/index.js': "module.exports = { register: require('./register') };",
        'extra/gate/server/register.js':
          'module.exports = ({ strapi }) => { strapi.auth.register("content-api", {}); };',
        ...configured({ gate: { enabled: true, resolve: './extra/gate' } }),
      },
      '*',
    ],
    [
      'are read below src/plugins, what they were compiled to as well where that is all',
      {
        'src/plugins/gate/package.json': JSON.stringify({ exports: { './strapi-server': './dist/server/index.js' } }),
        'src/plugins/gate/dist/server/index.js': GATE,
        ...configured({ gate: { enabled: true, resolve: './src/plugins/gate' } }),
      },
      '*',
    ],
    [
      'are not asked for where they are of Strapi itself',
      {
        ...configured({
          graphql: { enabled: true },
          documentation: true,
          sentry: { enabled: true },
          seo: true,
          cloud: {},
        }),
        ...dependsOn('@strapi/plugin-graphql', '@strapi/plugin-seo', 'react', 'pg'),
      },
      '',
    ],
    [
      'are judged by their code where they only have the name of one of Strapi',
      { ...plugin('seo', GATE), ...configured({ seo: { enabled: true, resolve: 'strapi-plugin-seo' } }) },
      '*',
    ],
  ];
  for (const [name, files, expected] of table) it(name, async () => strictEqual(await closedBy(files), expected));

  it('are told at start with the line that opens them', async () => {
    const files = { ...plugin('x', GATE), ...dependsOn('strapi-plugin-x') };
    const { warnings } = await codeOf(files);
    match(warnings.join('\n'), /use of strapi\.server\.use\(\), plugin::x: every action/);
    match(warnings.join('\n'), /safeToSkip: \['plugin::x'\]/);
    match(warnings.join('\n'), /Custom code is not run: the plugin x of package\.json\./);
    const opened = await codeOf({ ...files, 'config/galley.json': '{ "safeToSkip": ["plugin::x"] }' });
    strictEqual(opened.closed.size, 0);
    doesNotMatch(opened.warnings.join('\n'), /closed/);
    const mistaken = await codeOf({ ...files, 'config/galley.json': '{ "safeToSkip": ["plugin::y"] }' });
    ok(mistaken.problems.some(({ nearest }) => nearest === 'plugin::x'));
  });
});

/** A project with a policy before `find` that lets in whoever asks, unless a plugin is there to ask. */
const guarded = (plugin: string) => ({
  '.env': '',
  'src/api/note/routes/note.js':
    "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note', { config: { find: { policies: ['asking'] } } });",
  'src/api/note/policies/asking.js': `module.exports = (ctx) => {
  const guard = ${plugin};
  return guard ? guard.service('check').may(ctx) : true;
};`,
});
const ASKS = "strapi.plugin('rest-guard')";
const isClosed = async (files: Readonly<Record<string, unknown>>, asks = ASKS): Promise<boolean> => {
  const { closed, warnings } = await codeOf({ ...guarded(asks), ...files });
  const why = closed.get('api::note.note.find') ?? '';
  if (why !== '') match(`${why}\n${warnings.join('\n')}`, /rest-guard.* \(src\/api\/note\/policies\/asking\.js:2\)/);
  return why !== '';
};
const depends = (dependencies: Readonly<Record<string, string>>) => ({ 'package.json': { dependencies } });

describe('code that asks whether a plugin is there', () => {
  const CLOSED: readonly [string, Readonly<Record<string, unknown>>][] = [
    ['a package of any name that is not installed', depends({ '@acme/guards': '1' })],
    [
      'a package that may be left out under the name of its package',
      { ...depends({ 'strapi-plugin-x': '1' }), 'config/galley.json': { safeToSkip: ['plugin::strapi-plugin-x'] } },
    ],
    ['a package that has another one under its name', depends({ react: 'npm:@acme/guards@1' })],
    ["a package of Strapi's that is not installed and not known", depends({ '@strapi/guards': '1' })],
    [
      'an installed package',
      {
        ...depends({ '@acme/guards': '1' }),
        'node_modules/@acme/guards/package.json': { strapi: { name: 'rest-guard', kind: 'plugin' } },
      },
    ],
    ['configuration', configured({ 'rest-guard': { enabled: true } })],
    ['a folder of src/plugins', { 'src/plugins/rest-guard/package.json': {} }],
    ['a folder of src/plugins that calls it so', { 'src/plugins/x/package.json': { strapi: { name: 'rest-guard' } } }],
  ];
  for (const [name, files] of CLOSED) {
    it(`is not run where it may be that of ${name}`, async () => strictEqual(await isClosed(files), true));
  }

  const installed = { 'node_modules/lodash/package.json': { name: 'lodash' } };
  const OPEN: readonly [string, Readonly<Record<string, unknown>>][] = [
    ['nothing is named that could be it', {}],
    ['everything else is installed, and no plugin', { ...installed, ...depends({ lodash: '4' }) }],
    [
      'a new project of Strapi is not installed at all',
      depends({
        ...{
          '@strapi/strapi': '5.54.0',
          '@strapi/plugin-users-permissions': '5.54.0',
          '@strapi/plugin-cloud': '5.54.0',
        },
        ...{ 'better-sqlite3': '12.8.0', pg: '^8', react: '^18.0.0', 'react-dom': '^18.0.0' },
        ...{ 'react-router-dom': '^6.0.0', 'styled-components': '^6.0.0', galley: '1' },
      }),
    ],
    [
      'its configuration switches it off',
      {
        ...depends({ '@acme/guards': '1' }),
        ...configured({ 'rest-guard': { enabled: false }, x: { enabled: false } }),
      },
    ],
  ];
  for (const [name, files] of OPEN) {
    it(`is run where ${name}`, async () => strictEqual(await isClosed({ '.env': '', ...files }), false));
  }

  for (const asks of [
    'strapi.plugins["rest-guard"]',
    "strapi.get('plugins').get('rest-guard')",
    "strapi.get('plugins').has('rest-guard')",
    "'rest-guard' in strapi.plugins",
    "strapi.service('plugin::rest-guard.check')",
    "strapi.services['plugin::rest-guard.check']",
    "strapi.controller('plugin::rest-guard.check')",
    "strapi.policy('plugin::rest-guard.check')",
    "strapi.policies['plugin::rest-guard.check']",
    "strapi.middleware('plugin::rest-guard.check')",
    "strapi.contentType('plugin::rest-guard.key')",
    "strapi.contentTypes['plugin::rest-guard.key']",
    "strapi.getModel('plugin::rest-guard.key')",
    "strapi.get('policies').get('plugin::rest-guard.check')",
    'strapi.plugin(`rest-guard`)',
  ]) {
    it(`is not run where the plugin may be there and is not: ${asks}`, async () => {
      strictEqual(await isClosed(depends({ '@acme/guards': '1' }), asks), true);
    });
  }
});

for (const engine of engines) {
  it(`a plugin that stands before requests closes them on ${engine.name}`, async () => {
    const files = { ...plugin('x', GATE), ...dependsOn('strapi-plugin-x') };
    const server = await serveSeeded(
      engine,
      await makeProject({ contentTypes, files: { '.env': 'GALLEY_CODE=read\n', ...files } }),
    );
    try {
      strictEqual((await server.get('/api/notes', server.secrets['full'])).status, 403);
    } finally {
      await server.stop();
    }
  });

  it(`a guard of a plugin that may be there and is not lets nobody in on ${engine.name}`, async () => {
    // what only running it shows throws
    const uid = "['plugin::rest', 'guard.check'].join('-')";
    const asks = [
      ...["strapi.plugin(['rest', 'guard'].join('-'))", "strapi.plugins[['rest', 'guard'].join('-')]"],
      ...[
        "['rest', 'guard'].join('-') in strapi.plugins",
        "Object.hasOwn(strapi.plugins, ['rest', 'guard'].join('-'))",
      ],
      ...['service', 'controller', 'policy', 'middleware', 'contentType', 'getModel'].map(
        (one) => `strapi.${one}(${uid})`,
      ),
      ...['services', 'policies', 'middlewares'].flatMap((one) => [`strapi.${one}[${uid}]`, `${uid} in strapi.${one}`]),
    ];
    const files = {
      ...guarded(ASKS),
      ...depends({ '@acme/guards': '1' }),
      'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(
        [
          ...asks.map((_, index) => ({ path: `/own/${index}`, handler: 'own.answer', policies: [`asks-${index}`] })),
          { path: '/own/installed', handler: 'own.installed', policies: [] },
        ].map(({ path, handler, policies }) => ({ method: 'GET', path, handler, config: { auth: false, policies } })),
      )} };`,
      'src/api/note/controllers/own.js':
        "module.exports = { answer: () => ({}), installed: () => strapi.plugin('shelf').service('books').all() };",
      ...Object.fromEntries(
        asks.map((one, index) => [
          `src/api/note/policies/asks-${index}.js`,
          `module.exports = () => { const guard = ${one}; return guard ? guard.may() : true; };`,
        ]),
      ),
    };
    const server = await serveSeeded(engine, await makeProject({ contentTypes, files }));
    try {
      strictEqual((await server.get('/api/notes', server.secrets['full'])).status, 403);
      match(
        server.app.warnings.join('\n'),
        /strapi\.plugin\('rest-guard'\) \(src\/api\/note\/policies\/asking\.js:2\)/,
      );
      // of a controller the method alone is closed
      strictEqual((await server.get('/api/own/installed')).status, 403);
      match(
        server.app.warnings.join('\n'),
        /installed of src\/api\/note\/controllers\/own\.js: strapi\.plugin\('shelf'\)/,
      );
      for (const [index, one] of asks.entries()) strictEqual((await server.get(`/api/own/${index}`)).status, 500, one);
    } finally {
      await server.stop();
    }
  });
}
