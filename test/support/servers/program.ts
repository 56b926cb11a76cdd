/** `galley start` as a process of its own, on the project of the conformance scenarios with its fixture. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommandLine } from '../../../src/cli/run.ts';
import type { Engine } from '../databases/databases.ts';
import { type ConfigFilesOfTest, writeConfig } from './configured.ts';
import { type StartedProcess, startProcess } from './process.ts';
import { CONFORMANCE_DIR, copyProject } from './project.ts';

export interface Program extends StartedProcess {
  readonly dir: string;
  /** The environment that it was started in, for another start. */
  readonly env: Readonly<Record<string, string>>;
  /** Secrets of the API tokens by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Ends it with SIGTERM and gives the lines of its log. */
  log(): Promise<readonly LogLine[]>;
  /** Ends it, if it has not ended, and removes folder and database. */
  remove(): Promise<void>;
}

export type LogLine = Readonly<Record<string, unknown>> & { readonly err?: Readonly<Record<string, string>> };

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: ConfigFilesOfTest;
  /** The text of the project's `src/index`. */
  readonly code?: string;
  /** The most files and sockets that it may have open. */
  readonly openFiles?: number;
}

export async function startProgram(engine: Engine, options: ProgramOptions = {}): Promise<Program> {
  const folder = await copyProject(CONFORMANCE_DIR);
  const database = await engine.databaseFor(folder);
  await writeConfig(folder.dir, options.files ?? {});
  if (options.code !== undefined) await writeFile(path.join(folder.dir, 'src/index.js'), options.code);
  const env = { ...database.env, API_TOKEN_SALT: 'salt', JWT_SECRET: 'secret', ...options.env };
  const out = path.join(folder.dir, 'tokens.json');
  const warnings: string[] = [];
  const fixture = path.join(CONFORMANCE_DIR, 'fixture.json');
  const code = await runCommandLine(['apply', fixture, folder.dir, '--tokens-out', out], {
    env,
    print: () => {},
    warn: (line) => void warnings.push(line),
  });
  if (code !== 0) throw new Error(`galley apply: ${warnings.join('\n')}`);
  const secrets = JSON.parse(await readFile(out, 'utf8')) as Record<string, string>;
  const started = await startProcess(folder.dir, env, options.openFiles);
  return {
    ...started,
    dir: folder.dir,
    env,
    secrets,
    async log() {
      started.child.kill('SIGTERM');
      const { code: ended, err } = await started.ended;
      if (ended !== 0) throw new Error(`galley ended with ${ended}: ${err}`);
      return err === '' ? [] : err.trimEnd().split('\n').map(lineOf);
    },
    async remove() {
      started.child.kill('SIGKILL');
      await started.ended;
      await database.drop();
      await folder.remove();
    },
  };
}

function lineOf(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { text };
  }
}
