/** A running server on a project of its own, ready to be seeded. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OpenOptions } from '../../../src/app.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { Seeder } from '../content/seed.ts';
import type { Engine } from '../databases/databases.ts';
import { CONFORMANCE_DIR, copyProject, type ProjectFolder, type RunningServer, serve } from './project.ts';

export interface SeededServer extends RunningServer {
  readonly seeder: Seeder;
  /** Secrets of the API tokens by name. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** The locales and tokens that tests get when they ask for none of their own. */
const FIXTURE = {
  locales: [{ code: 'en', name: 'English (en)', default: true }, { code: 'fr' }, { code: 'de' }],
  tokens: [
    { name: 'full', type: 'full-access' },
    { name: 'read', type: 'read-only' },
  ],
};

/** Serves a project folder with the locales, tokens and role grants of a fixture (see `galley apply --help`). */
export async function serveSeeded(
  engine: Engine,
  folder: ProjectFolder,
  fixture: unknown = FIXTURE,
  env: Readonly<Record<string, string>> = {},
  options: OpenOptions = {},
): Promise<SeededServer> {
  const database = await engine.databaseFor(folder);
  const file = path.join(folder.dir, 'fixture-of-test.json');
  const out = path.join(folder.dir, 'tokens-of-test.json');
  await writeFile(file, JSON.stringify(fixture));
  const warnings: string[] = [];
  const code = await runCommandLine(['apply', file, folder.dir, '--tokens-out', out], {
    env: { ...database.env, ...env },
    print: () => {},
    warn: (line) => void warnings.push(line),
  });
  if (code !== 0) throw new Error(`galley apply: ${warnings.join('\n')}`);
  const secrets = JSON.parse(await readFile(out, 'utf8')) as Record<string, string>;
  const server = await serve(folder, database, env, options);
  return { ...server, seeder: new Seeder(server.app), secrets };
}

/** Serves the project of the conformance scenarios, with the fixture that they expect. */
export async function serveScenarioProject(engine: Engine): Promise<SeededServer> {
  const fixture = JSON.parse(await readFile(path.join(CONFORMANCE_DIR, 'fixture.json'), 'utf8')) as unknown;
  return serveSeeded(engine, await copyProject(CONFORMANCE_DIR), fixture);
}
