/** Strapi on a copy of the same project and database, installed when it is first asked for. */
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { launch, type Target } from './processes.ts';

const VERSION = '5.54.0';

const manifest = {
  name: 'bench-strapi',
  private: true,
  version: '0.0.0',
  dependencies: {
    '@strapi/plugin-users-permissions': VERSION,
    '@strapi/strapi': VERSION,
    'better-sqlite3': '12.4.1',
    pg: '^8',
    react: '^18',
    'react-dom': '^18',
    'react-router-dom': '^6',
    'styled-components': '^6',
  },
  strapi: { uuid: false },
};

/** The machine's own Node, not the one that npm put into the path; Strapi 5.54 wants an older one than Galley. */
function systemNode(): string {
  const chosen = process.env['BENCH_STRAPI_NODE'];
  if (chosen) return chosen;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((dir) => !dir.includes('node_modules'));
  for (const dir of folders) {
    const node = path.join(dir, 'node');
    try {
      accessSync(node, constants.X_OK);
      return node;
    } catch {
      // not in this folder
    }
  }
  throw new Error('no node in the path to run Strapi with: set BENCH_STRAPI_NODE');
}

/** Installs Strapi into `dir`, which takes minutes, unless it is there. */
function install(dir: string, node: string): void {
  if (existsSync(path.join(dir, 'node_modules/.bin/strapi'))) return;
  mkdirSync(dir, { recursive: true });
  writeFileSync(path.join(dir, 'package.json'), JSON.stringify(manifest, null, 2));
  console.log(`installing Strapi ${VERSION} into ${dir} (some minutes, 700 MB)`);
  const PATH = `${path.dirname(node)}${path.delimiter}${process.env['PATH']}`;
  // Its peer ranges contradict each other.
  const args = ['install', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  execFileSync('npm', args, { cwd: dir, env: { ...process.env, PATH }, stdio: 'inherit' });
}

/** The project's configuration of a PostgreSQL database, with as many connections as Galley's pool has. */
function configOf(url: string): string {
  const connection = { client: 'postgres', connection: { connectionString: url }, pool: { min: 2, max: 10 } };
  return `module.exports = () => (${JSON.stringify({ connection })});\n`;
}

/**
 * Starts Strapi on a copy of `project` and `database`, or on the PostgreSQL database of a URL. `installed` is a folder with its node_modules, made when it
 * is not there; BENCH_STRAPI_DIR names another.
 */
export async function startStrapi(options: {
  readonly project: string;
  readonly database: string;
  readonly work: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly probe: string;
}): Promise<Target> {
  const { project, database, work, port, headers, probe } = options;
  const node = systemNode();
  const installed = process.env['BENCH_STRAPI_DIR'] ?? path.join(work, 'strapi');
  install(installed, node);

  const dir = path.join(work, 'strapi-project');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(path.join(dir, 'database/migrations'), { recursive: true });
  for (const part of ['src', 'config', 'public'])
    cpSync(path.join(project, part), path.join(dir, part), { recursive: true });
  for (const name of readdirSync(path.join(dir, 'src/api'))) {
    const parts = { controllers: 'Controller', services: 'Service', routes: 'Router' };
    for (const [folder, kind] of Object.entries(parts)) {
      const file = path.join(dir, 'src/api', name, folder, `${name}.js`);
      mkdirSync(path.dirname(file), { recursive: true });
      const text = `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${name}.${name}');\n`;
      writeFileSync(file, text);
    }
  }
  writeFileSync(path.join(dir, 'src/index.js'), 'module.exports = { register() {}, bootstrap() {} };\n');
  writeFileSync(path.join(dir, 'public/index.html'), '<html></html>\n');
  writeFileSync(path.join(dir, 'package.json'), JSON.stringify(manifest, null, 2));
  symlinkSync(path.resolve(installed, 'node_modules'), path.join(dir, 'node_modules'), 'dir');
  const isUrl = database.startsWith('postgres:');
  const filename = path.join(dir, 'database/data.db');
  if (isUrl) writeFileSync(path.join(dir, 'config/database.js'), configOf(database));
  else copyFileSync(database, filename);

  return launch({
    command: node,
    args: ['node_modules/@strapi/strapi/bin/strapi.js', 'start'],
    cwd: dir,
    env: {
      ...(isUrl ? { DATABASE_CLIENT: 'postgres' } : { DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: filename }),
      PORT: String(port),
      STRAPI_TELEMETRY_DISABLED: 'true',
      TZ: 'UTC',
    },
    port,
    headers,
    probe,
    timeout: 120_000,
  });
}
