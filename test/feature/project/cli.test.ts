/** The command line as a person meets it: help, mistakes in one line, exit codes, and a clean end. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../../src/cli/run.ts';
import { commandText } from '../../../src/own-files.ts';
import { engines, type TestDatabase } from '../../support/databases/databases.ts';
import { INHERITED, PROGRAM } from '../../support/servers/process.ts';
import {
  CONFORMANCE_DIR,
  contentType,
  FIXTURE_DIR,
  makeProject,
  type ProjectFolder,
} from '../../support/servers/project.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process. */
async function galley(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommandLine(args, {
    env,
    print: (line) => void out.push(line),
    warn: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

describe('help', () => {
  it('lists every command, and each command has its own', async () => {
    const { code, out } = await galley(['--help']);
    strictEqual(code, 0);
    for (const command of ['start', 'check', 'apply', 'token create', 'token list', 'token rotate', 'token revoke']) {
      ok(out.includes(`galley ${command}`), `the overview lists ${command}`);
      for (const asked of [
        [...command.split(' '), '--help'],
        ['help', ...command.split(' ')],
      ]) {
        const own = await galley(asked);
        strictEqual(own.code, 0);
        ok(own.out.startsWith(`galley ${command} `), asked.join(' '));
      }
    }
  });

  it('exists for a group of commands', async () => {
    const { code, out } = await galley(['token', '--help']);
    strictEqual(code, 0);
    match(out, /galley token create/);
  });

  it('--version prints only the version', async () => {
    const { code, out } = await galley(['--version']);
    deepStrictEqual([code, /^\d+\.\d+\.\d+$/.test(out)], [0, true]);
  });

  it('goes to stderr with exit code 2 if there is no argument', async () => {
    const { code, out, err } = await galley([]);
    deepStrictEqual([code, out], [2, '']);
    match(err, /galley start/);
  });
});

describe('incorrect use', () => {
  const missing = path.join(import.meta.dirname, 'nowhere');
  const cases: [readonly string[], RegExp][] = [
    [['strat'], /^galley: unknown command strat: did you mean start\?$/],
    [['quux'], /^galley: unknown command quux: see npm run -s galley -- --help$/],
    [['develop'], /^galley: there is no galley develop: use npm run -s galley -- dev$/],
    [['build', '--clean'], /^galley: there is no galley build: no build is needed: /],
    [['serve'], /: use npm run -s galley -- start$/],
    [['admin:create-user'], /: use npm run -s galley -- admin create$/],
    [['admin', 'create-user'], /^galley: there is no galley admin create-user: use npm run -s galley -- admin create$/],
    [['ts:generate-types'], /: use npm run -s galley -- types$/],
    [['cloud:deploy'], /: copy the project to any machine with Node, /],
    [['devlop'], /^galley: unknown command devlop: did you mean develop\? In Galley: use npm run -s galley -- dev$/],
    [['role', 'add'], /^galley: unknown command role add: there are list, create, grant, revoke$/],
    [['dev', '--watch-admin'], /^galley: unknown flag --watch-admin: there are --help, --host, /],
    [['media', 'move', '--to', 's4'], /needs --to s3 or --to local, not s4: did you mean s3\?$/],
    [['check', path.join(ROOT, 'tset')], /^galley: no such folder: .*: did you mean .*\/test\?$/],
    [['apply', path.join(ROOT, 'package.jsn')], /^galley: no such file: .*: did you mean .*package\.json\?$/],
    [['token'], /^galley: galley token needs one more word: create, list, rotate, revoke$/],
    [['token', 'crate'], /^galley: unknown command token crate: did you mean token create\?$/],
    [['--prot', 'start'], /^galley: unknown flag --prot before a command; see npm run -s galley -- --help$/],
    [
      ['start', '--prot', '1'],
      /^galley: unknown flag --prot: did you mean --port\?; see npm run -s galley -- start --help$/,
    ],
    [['start', '--port'], /^galley: option '--port <value>' argument missing; see npm run -s galley -- start --help$/],
    [['start', '--port', 'http'], /^galley: --port must be a whole number from 0 to 65535, not "http"$/],
    [['start', '--port', '-1'], /^galley: --port must be a whole number from 0 to 65535, not "-1"$/],
    [['start', '--workers', '-1'], /^galley: --workers must be auto, or a whole number from 1 to 64, not "-1"$/],
    [
      ['start', '--workers', '--port', '1'],
      /^galley: --workers needs a value; one that begins with a dash is written as --workers=-…$/,
    ],
    [['start', '--', '-1', '-2'], /^galley: unexpected argument -2: galley start takes only DIR$/],
    [['start', '--port', '65536'], /^galley: --port must be a whole number/],
    [['start', 'a', 'b'], /^galley: unexpected argument b: galley start takes only DIR$/],
    [['start', missing], /^galley: no such folder: .*nowhere$/],
    [['check', missing], /^galley: no such folder: .*nowhere$/],
    [['apply'], /^galley: galley apply needs a FILE; see npm run -s galley -- apply --help$/],
    [['apply', missing], /^galley: no such file: .*nowhere$/],
    [['apply', path.join(CONFORMANCE_DIR, 'fixture.json'), missing], /^galley: no such folder: .*nowhere$/],
    [
      ['token', 'create', '--type', 'custom'],
      /^galley: galley token create needs --name; see npm run -s galley -- token create --help$/,
    ],
    [['token', 'create', '--name', 'a'], /^galley: galley token create needs --type: read-only, full-access, custom$/],
    [
      ['token', 'create', '--name', 'a', '--type', 'read_only'],
      /^galley: unknown token type read_only: did you mean read-only\?$/,
    ],
    [
      ['token', 'create', '--name', 'a', '--type', 'read-only', '--permission', 'x'],
      /^galley: --permission is only for custom/,
    ],
    [
      ['token', 'create', '--name', 'a', '--type', 'read-only', '--lifespan', '0'],
      /^galley: --lifespan must be a whole/,
    ],
    [['token', 'create', '--name', 'a', '--type', 'read-only', missing], /^galley: no such folder: .*nowhere$/],
    [['token', 'rotate'], /^galley: galley token rotate needs a TOKEN; see npm run -s galley -- token rotate --help$/],
    [
      ['token', 'rotate', 'a', '--lifespan', 'x'],
      /^galley: --lifespan must be a whole number from 1 to 10000, not "x"$/,
    ],
    [['token', 'revoke'], /^galley: galley token revoke needs a TOKEN; see npm run -s galley -- token revoke --help$/],
    [['token', 'list', 'a', 'b'], /^galley: unexpected argument b: galley token list takes only DIR$/],
    [
      ['token', 'list', '--jason'],
      /^galley: unknown flag --jason: did you mean --json\?; see npm run -s galley -- token list --help$/,
    ],
  ];
  for (const [args, expected] of cases) {
    it(`galley ${args.map((arg) => path.basename(arg)).join(' ')} gets one line and exit code 2`, async () => {
      const { code, out, err } = await galley(args);
      deepStrictEqual([code, out], [2, '']);
      match(err, expected);
      ok(!err.includes('\n'));
    });
  }
});

describe('a folder that is no project', () => {
  it('is refused without a file written into it', async () => {
    const folder = await makeProject({});
    try {
      for (const args of [
        ['dev', folder.dir],
        ['start', folder.dir],
        ['start', '--new-secrets', folder.dir],
        ['token', 'create', '--name', 'a', '--type', 'read-only', folder.dir],
      ]) {
        const { code, out, err } = await galley(args);
        deepStrictEqual([code, out], [2, ''], args[0]);
        match(
          err,
          /^galley: .* is not the folder of a project: .*\. npm run -s galley -- init makes a new one$/,
          args[0],
        );
        deepStrictEqual(await readdir(folder.dir), [], args[0]);
      }
    } finally {
      await folder.remove();
    }
  });
});

describe('galley check', () => {
  let folder: ProjectFolder;
  after(() => folder?.remove());

  it('counts types and components and writes nothing', async () => {
    folder = await makeProject({
      contentTypes: { note: contentType('note', { title: { type: 'string' } }) },
      components: {
        'shared.seo': { collectionName: 'components_shared_seos', attributes: { text: { type: 'string' } } },
      },
    });
    const before = await readdir(folder.dir);
    const { code, out, err } = await galley(['check', folder.dir]);
    deepStrictEqual([code, out, err], [0, '1 content type, 1 component: no mistakes', '']);
    deepStrictEqual(await readdir(folder.dir), before);
  });

  it('reports every mistake with file, place and the nearest word, and exits with 1', async () => {
    const broken = await makeProject({
      contentTypes: {
        note: contentType('note', { title: { type: 'strng' } }),
        page: contentType('page', { note: { type: 'relation', relation: 'oneToOne', target: 'api::note.nte' } }),
      },
    });
    try {
      const { code, out } = await galley(['check', broken.dir]);
      strictEqual(code, 1);
      match(out, /^src\/api\/note\/.*schema\.json: attributes\.title\.type: .*did you mean string\?/m);
      match(out, /^src\/api\/page\/.*schema\.json: attributes\.note\.target: .*did you mean api::note\.note\?/m);
      match(out, /^2 mistakes$/m);
      const started = await galley(['start', broken.dir, '--port', '0']);
      ok(started.code !== 0);
      match(started.err, /attributes\.title\.type/);
    } finally {
      await broken.remove();
    }
  });

  it('reports every mistake in the settings of middlewares, also several of one', async () => {
    const middlewares = [
      'strapi::errors',
      {
        name: 'strapi::security',
        config: {
          contentSecurityPolicy: { directives: { 'script-src': ["'self'; x"], imgSrc: 5, 'font-src': ["'self'"] } },
          hsts: 'yes',
          frameguard: { action: 'allow' },
        },
      },
      { name: 'strapi::compression', config: { threshold: 'much', br: { params: { 1: 40 } } } },
      { name: 'strapi::body', config: { jsonLimit: 'much', formLimit: -1 } },
    ];
    const broken = await makeProject({
      files: { 'config/middlewares.js': `module.exports = ${JSON.stringify(middlewares)};` },
    });
    const { code, out } = await galley(['check', broken.dir]);
    await broken.remove();
    const told = out.split('\n').map((line) => /^config\/middlewares\.js (\S+: \S+) must be/.exec(line)?.[1] ?? line);
    deepStrictEqual(
      [code, ...told.toSorted()],
      [
        1,
        '8 mistakes',
        'strapi::body: formLimit',
        'strapi::body: jsonLimit',
        'strapi::compression: br.params[1]',
        'strapi::compression: threshold',
        'strapi::security: contentSecurityPolicy.directives.imgSrc',
        'strapi::security: contentSecurityPolicy.directives.script-src',
        'strapi::security: frameguard.action',
        'strapi::security: hsts',
      ],
    );
  });

  it('does not warn of configuration of the panel, which has no effect', async () => {
    const { code, out, err } = await galley(['check', FIXTURE_DIR]);
    strictEqual(code, 0);
    match(out, /^8 content types, 6 components: no mistakes$/);
    doesNotMatch(err, /serveAdminPanel/);
  });

  it('refuses a configuration file that throws: a mistake of the project, and incorrect use of a start', async () => {
    const broken = await makeProject({ files: { 'config/api.js': "throw new Error('no luck');" } });
    const { code, out } = await galley(['check', broken.dir]);
    deepStrictEqual([code, out], [1, 'config/api.js:1: no luck\n1 mistake']);
    const started = await galley(['start', broken.dir]);
    deepStrictEqual([started.code, started.err], [2, 'galley: config/api.js:1: no luck']);
    await broken.remove();
  });

  it('refuses a configuration file that cannot be parsed, in any language', async () => {
    const files = [
      ['config/server.ts', 'export default { port: ;'],
      ['config/server.js', 'module.exports = {\n  port: ;'],
      ['config/server.json', '{ "port": '],
      ['config/middlewares.ts', 'export default ['],
    ];
    for (const [file, text] of files) {
      const broken = await makeProject({ files: { [file!]: text! } });
      for (const command of ['check', 'start']) {
        const { code, out, err } = await galley([command, broken.dir]);
        const isCheck = command === 'check';
        strictEqual(code, isCheck ? 1 : 2, `${command} ${file}: ${err}`);
        ok(isCheck ? out.startsWith(`${file}:`) : err.startsWith(`galley: ${file}:`), out + err);
      }
      await broken.remove();
    }
  });

  it('names the line of a mistake in TypeScript, and of an import without a file', async () => {
    const types = 'interface Wanted {\n  port: number;\n}\n';
    for (const [text, reason] of [
      ['export default () => missing();', 'missing is not defined'],
      ["import port from './nowhere';\nexport default { port };", "Cannot find module './nowhere'"],
    ]) {
      const broken = await makeProject({ files: { 'config/server.ts': types + text } });
      const { code, out } = await galley(['check', broken.dir]);
      deepStrictEqual([code, out], [1, `config/server.ts:4: ${reason}\n1 mistake`]);
      await broken.remove();
    }
  });
});

/** Whether this machine lets us make a process the first of its own name space, as in a container. */
const CONTAINED = ['--map-root-user', '--user', '--pid', '--fork', '--kill-child'];
const canContain = spawnSync('unshare', [...CONTAINED, 'true']).status === 0;

describe('the program', () => {
  it('ends on a signal as the first process of a container', { skip: !canContain }, async () => {
    const project = await makeProject({ contentTypes: { note: contentType('note', { text: { type: 'string' } }) } });
    const command = [process.execPath, PROGRAM, 'start', project.dir, '--port', '0', '--host', '127.0.0.1'];
    const child = spawn('unshare', [...CONTAINED, ...command], { env: INHERITED });
    try {
      const ended = outcome(child);
      let out = '';
      const served = new Promise<void>((resolve) => {
        child.stdout.on('data', (text: string) => {
          out += text;
          if (out.includes('/_health')) resolve();
        });
      });
      await Promise.race([served, ended]);
      const first = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
      process.kill(Number(first), 'SIGTERM');
      strictEqual((await ended).code, 0);
    } finally {
      child.kill('SIGKILL');
      await project.remove();
    }
  });

  it('refuses an old Node in one sentence before it loads anything', async () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
    const child = spawn(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, PROGRAM, '--help'],
      { env: INHERITED },
    );
    const { code, out, err } = await outcome(child);
    deepStrictEqual([code, out, err], [2, '', 'galley needs Node 22.18 or newer; this is Node 20.20.2.\n']);
  });

  it('gives exit code 2 to the shell', async () => {
    const { code, err } = await outcome(spawn(process.execPath, [PROGRAM, 'strat'], { env: INHERITED }));
    deepStrictEqual([code, err], [2, 'galley: unknown command strat: did you mean start?\n']);
  });
});

for (const engine of engines) {
  describe(`galley start on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    before(async () => {
      folder = await makeProject({
        contentTypes: { note: contentType('note', { title: { type: 'string' } }) },
        files: { 'config/server.js': 'module.exports = { polling: { enabled: true } };' },
      });
      database = await engine.emptyDatabase();
    });
    after(async () => {
      await database?.drop();
      await folder?.remove();
    });

    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      it(`prints four addresses, warns once and ends with exit code 0 at ${signal}`, async () => {
        const env = { ...INHERITED, ...database.env };
        const child = spawn(process.execPath, [PROGRAM, 'start', folder.dir, '--port', '0', '--host', '127.0.0.1'], {
          env,
        });
        const ended = outcome(child);
        const text = await textWith(child, '/_health\n');
        match(text, new RegExp(`^galley \\d+\\.\\d+\\.\\d+ serves .* from ${engine.name}`, 'm'));
        const urls = text.match(/http:\/\/\S+/g)!;
        deepStrictEqual(
          urls.map((url) => new URL(url).pathname),
          ['/api/notes', '/api/docs', '/admin/first', '/_health'],
        );
        strictEqual((await fetch(urls[1]!)).status, 200);
        strictEqual((await fetch(urls[3]!)).status, 204);
        child.kill(signal);
        const { code, err } = await ended;
        strictEqual(code, 0);
        strictEqual(err.match(/no effect.*polling/g)?.length, 1);
        doesNotMatch(err, /\n\s+at /);
      });
    }

    it('created secrets that no output contains', () => {
      ok(existsSync(path.join(folder.dir, '.env')));
    });
  });

  describe(`galley token create on ${engine.name}`, () => {
    let folder: ProjectFolder;
    let database: TestDatabase;
    before(async () => {
      folder = await makeProject({ contentTypes: { note: contentType('note', { title: { type: 'string' } }) } });
      database = await engine.emptyDatabase();
    });
    after(async () => {
      await database?.drop();
      await folder?.remove();
    });
    const create = (...args: string[]): Promise<Outcome> =>
      galley(['token', 'create', '--name', 'cook', ...args, folder.dir], database.env);

    it('refuses a permission that does not exist', async () => {
      const { code, err } = await create('--type', 'custom', '--permission', 'api::note.note.fnd');
      const [made, ...rest] = err.split('\n');
      match(made!, /^(created a new database: \/.*\.db|created the tables in an empty database)$/);
      deepStrictEqual(
        [code, rest],
        [2, ['galley: unknown permission api::note.note.fnd: did you mean api::note.note.find?']],
      );
    });

    it('prints only the secret on stdout', async () => {
      const { code, out, err } = await create(
        '--type',
        'custom',
        '--permission',
        'api::note.note.find',
        '--lifespan',
        '7',
      );
      strictEqual(code, 0);
      match(out, /^[0-9a-f]{256}$/);
      doesNotMatch(err, /[0-9a-f]{64}/);
    });

    it('refuses a name that is taken', async () => {
      const { code, err } = await create('--type', 'read-only');
      deepStrictEqual(
        [code, err],
        [
          2,
          `galley: a token named cook already exists; to give it a new secret, run ${commandText('token rotate cook', folder.dir)}`,
        ],
      );
    });
  });
}

describe('a copy of the fixture', () => {
  it('does not change through galley check', async () => {
    const folder = await makeProject({});
    await cp(path.join(FIXTURE_DIR, 'src'), path.join(folder.dir, 'src'), { recursive: true });
    strictEqual((await galley(['check', folder.dir])).code, 0);
    deepStrictEqual(await readdir(folder.dir), ['src']);
    await folder.remove();
  });
});

async function outcome(child: ChildProcess): Promise<Outcome> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  await once(child, 'close');
  return { code: child.exitCode ?? -1, out, err };
}

/** The output of a process up to a text; rejects when the process ends before. */
function textWith(child: ChildProcess, wanted: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes(wanted)) resolve(text);
    });
    child.once('close', () => reject(new Error(`ended before ${JSON.stringify(wanted)}: ${text}`)));
  });
}
