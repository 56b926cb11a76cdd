/** A server for the conformance scenarios, and their replay against it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommandLine } from '../../../src/cli/run.ts';
import type { Engine } from '../databases/databases.ts';
import { CONFORMANCE_DIR, copyProject, type ProjectFolder, type RunningServer, serve } from '../servers/project.ts';

const REPLAY = path.join(import.meta.dirname, '../../conformance/replay.mjs');
const SCENARIOS = path.join(import.meta.dirname, '../../conformance/scenarios');
const FIXTURE_FILE = path.join(CONFORMANCE_DIR, 'fixture.json');

export interface ConformanceServer {
  readonly server: RunningServer;
  /** The file with the bearer tokens of the fixture, by name. */
  readonly tokensFile: string;
}

/** Serves the conformance project on a fresh database, `fixture.json` applied through the command line. */
export async function serveConformance(
  engine: Engine,
  env: Readonly<Record<string, string>> = {},
  prepare: (folder: ProjectFolder) => Promise<ProjectFolder> = async (folder) => folder,
): Promise<ConformanceServer> {
  const folder = await prepare(await copyProject(CONFORMANCE_DIR));
  const database = await engine.databaseFor(folder);
  const tokensFile = path.join(folder.dir, 'tokens.json');
  const lines: string[] = [];
  const code = await runCommandLine(['apply', FIXTURE_FILE, folder.dir, '--tokens-out', tokensFile], {
    env: { ...database.env, ...env },
    print: () => {},
    warn: (line) => void lines.push(line),
  });
  if (code !== 0) throw new Error(`galley apply failed: ${lines.join('\n')}`);
  return { server: await serve(folder, database, env), tokensFile };
}

export interface Outcome {
  /** `<file> / <scenario>` */
  readonly label: string;
  readonly passed: boolean;
  /** What differed; a line for each step. */
  readonly problems: readonly string[];
}

export interface Replay {
  readonly engine: Engine['name'];
  /** Names of files below `scenarios/`, without the extension. All when left out. */
  readonly files?: readonly string[] | undefined;
  /** A part of file or title. */
  readonly only?: string | undefined;
  /** Is given each line that the replay prints. */
  readonly onLine?: ((line: string) => void) | undefined;
}

/** Replays scenarios with `replay.mjs` in a process of its own. */
export async function replay({ server, tokensFile }: ConformanceServer, wanted: Replay): Promise<Outcome[]> {
  const targets = wanted.files?.map((name) => path.join(SCENARIOS, `${name}.json`)) ?? [SCENARIOS];
  const only = wanted.only === undefined ? [] : ['--only', wanted.only];
  const flags = ['--base', server.url, '--tokens', tokensFile, '--engine', wanted.engine, ...only];
  const child = spawn(process.execPath, [REPLAY, ...flags, ...targets], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop()!;
    for (const line of lines) take(line);
  });
  const outcomes: { label: string; passed: boolean; problems: string[] }[] = [];
  const take = (line: string): void => {
    wanted.onLine?.(line);
    const [, not, label] = /^(not )?ok - (.*)$/.exec(line) ?? [];
    if (label !== undefined) outcomes.push({ label, passed: not === undefined, problems: [] });
    else if (line.startsWith('    ')) outcomes.at(-1)?.problems.push(line.trim());
  };
  const [code] = await once(child, 'close');
  const failed = outcomes.filter(({ passed }) => !passed).length;
  if (code !== (failed === 0 ? 0 : 1)) throw new Error(`replay.mjs ended with code ${code}`);
  return outcomes;
}

/** The titles of a scenario file. */
export function scenarioTitles(file: string): string[] {
  const scenarios = JSON.parse(readFileSync(path.join(SCENARIOS, `${file}.json`), 'utf8'));
  return scenarios.map(({ title }: { title: string }) => title);
}
