/** Galley as one of the servers that are measured. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { freePort, launch, type Target } from './processes.ts';

const ROOT = path.join(import.meta.dirname, '..');

export interface GalleyOptions {
  /** As it is installed, compiled; or from its source. */
  readonly program: 'dist/main.js' | 'src/main.ts';
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly probe: string;
  /** Another checkout than this one. */
  readonly root?: string;
  /** Milliseconds until the first answer, at most. */
  readonly timeout?: number;
}

/** Starts Galley on a project and a free port. */
export async function startGalley({
  program,
  project,
  env,
  headers,
  probe,
  root = ROOT,
  timeout = 30_000,
}: GalleyOptions): Promise<Target> {
  const port = await freePort();
  return launch({
    command: process.execPath,
    args: [path.join(root, program), 'start', project, '--port', String(port), '--host', '127.0.0.1'],
    cwd: project,
    env,
    port,
    headers,
    probe,
    timeout,
  });
}

/** Compiles a checkout, whose dependencies are installed. */
export function buildGalley(root = ROOT): void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
}

/** The environment of a project on a database file. */
export const onFile = (filename: string) => ({ DATABASE_CLIENT: 'sqlite', DATABASE_FILENAME: filename });
