/** Which files of the configuration are known to say values and do nothing else, so that nothing has to read them. */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sourceFile } from '../../../src/extend/source-files.ts';

const isKnown = (text: string, path = 'config/server.js'): boolean => sourceFile(path, text).generated;

/** `config/database` of a new project. */
const DATABASE = `import path from 'path';

export default ({ env }) => {
  const client = env('DATABASE_CLIENT', 'sqlite');

  const connections = {
    postgres: {
      connection: {
        connectionString: env('DATABASE_URL'),
        ssl: env.bool('DATABASE_SSL', false) && {
          key: env('DATABASE_SSL_KEY', undefined),
          rejectUnauthorized: env.bool('DATABASE_SSL_REJECT_UNAUTHORIZED', true),
        },
      },
      pool: { min: env.int('DATABASE_POOL_MIN', 2), max: env.int('DATABASE_POOL_MAX', 10) },
    },
    sqlite: {
      connection: { filename: path.join(__dirname, '..', '..', env('DATABASE_FILENAME', '.tmp/data.db')) },
      useNullAsDefault: true, // as Knex wants it
    },
  };

  return { connection: { client, ...connections[client], acquireConnectionTimeout: env.int('TIMEOUT', 60000) } };
};
`;

describe('a file of the configuration', () => {
  const plain = [
    '',
    DATABASE,
    DATABASE.replace("import path from 'path'", "const path = require('path')"),
    "module.exports = ['strapi::errors', { name: 'strapi::cors', config: { origin: [\"*\"] } }];",
    "module.exports = ({ env }) => ({ url: env('A') === 'b' ? ({ a: 1.5 }) : null, app: { keys: env.array('KEYS') } });",
    "import type { Core } from '@strapi/strapi';\nconst config = ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Server => ({ port: env.int('PORT', 1337) });\nexport default config;",
    "module.exports = ({ env }) => ({ a: env('B') ? true : env('C'), ...{ d: null }, 'e': [1, 2], fetch: 1 });",
    "const config: Core.Config.Middlewares = ['strapi::logger'];\n\nexport default config;",
  ];
  for (const text of plain) {
    it(`says values: ${JSON.stringify(text.slice(0, 90))}`, () => strictEqual(isKnown(text), true));
  }

  const others = [
    'module.exports = () => strapi.config;',
    'module.exports = { a: true ? strapi : null };',
    "module.exports = { a: require('../src/lock') };",
    "const path = require('fs');",
    "import strapi from '@strapi/strapi';\nexport default {};",
    "module.exports = ({ env }) => env['constructor']('return this')();",
    "module.exports = ({ env }) => env ['constructor'] ('return this')();",
    "module.exports = ({ env }) => (env) /* */ ['constructor'];",
    'module.exports = { get a() { return 1; } };',
    'module.exports = ({ env }) => { env.a = 1; };',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a file
    'module.exports = `${lock()}`;',
    "module.exports = { a: '\\u0073' };",
    'lock(); module.exports = {};',
    'const a = () => lock();',
    'module.exports = {}; /./.exec(a);',
    'global: 1',
    "module.exports = { a: (true ? fetch : 0)('http://localhost') };",
    "const constructor = 1; module.exports = ({ env }) => env.constructor('return this')();",
    ...['\r', '\u2028'].map((end) => `// a comment ends here${end}lock();\nmodule.exports = {};`),
  ];
  for (const text of others) {
    it(`is read: ${JSON.stringify(text.slice(0, 90))}`, () => strictEqual(isKnown(text), false));
  }

  it('is read where a carriage return ends a comment, as src/index is', () => {
    const index = 'module.exports = { register() {}, bootstrap() {}, };';
    for (const [text, known] of [
      [`// it does nothing\n${index}`, true],
      [`// it does\rlock();\n${index}`, false],
    ] as const)
      strictEqual(isKnown(text, 'src/index.js'), known);
  });

  it('is read wherever it is not one that Strapi looks for values in', () => {
    strictEqual(isKnown('module.exports = {};', 'config/env/production/database.js'), true);
    for (const path of [
      'config/cron-tasks.js',
      'config/functions/a.js',
      'src/config/server.js',
      'config/a/b/server.js',
    ])
      strictEqual(isKnown('module.exports = {};', path), false);
  });
});
