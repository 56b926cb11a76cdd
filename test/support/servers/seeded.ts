/** A running server on a project of its own, ready to be seeded. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OpenOptions } from '../../../src/app.ts';
import { applyFixture } from '../../../src/cli/apply.ts';
import { actionContext, checkFixture } from '../../../src/cli/fixture-file.ts';
import { Seeder } from '../content/seed.ts';
import type { Engine } from '../databases/databases.ts';
import { CONFORMANCE_DIR, copyProject, type ProjectFolder, type RunningServer, serve } from './project.ts';

export interface SeededServer extends RunningServer {
  readonly seeder: Seeder;
  /** Secrets of the API tokens by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The variables that name its database. */
  readonly env: Readonly<Record<string, string>>;
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
  let secrets: Readonly<Record<string, string>> = {};
  const server = await serve(folder, database, env, options, async (app) => {
    const checked = checkFixture('fixture of the test', fixture, actionContext(app));
    secrets = Object.fromEntries((await applyFixture(app, checked, new Map())).secrets);
  });
  return { ...server, seeder: new Seeder(server.app), secrets, env: { ...database.env, ...env } };
}

/** Serves the project of the conformance scenarios, with the fixture that they expect. */
export async function serveScenarioProject(
  engine: Engine,
  env: Readonly<Record<string, string>> = {},
): Promise<SeededServer> {
  const fixture = JSON.parse(await readFile(path.join(CONFORMANCE_DIR, 'fixture.json'), 'utf8')) as unknown;
  return serveSeeded(engine, await copyProject(CONFORMANCE_DIR), fixture, env);
}
