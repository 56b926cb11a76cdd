/** A running server on the project of the conformance scenarios, with configuration of the test's own. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Engine } from '../databases/databases.ts';
import { CONFORMANCE_DIR, copyProject } from './project.ts';
import { type SeededServer, serveSeeded } from './seeded.ts';

/** Files of `config` by name, without ending: their values, or the text of a CommonJS file. */
export type ConfigFilesOfTest = Readonly<
  Partial<Record<'server' | 'api' | 'admin' | 'middlewares' | 'plugins' | 'galley', unknown>>
>;

export async function serveConfigured(
  engine: Engine,
  files: ConfigFilesOfTest,
  env: Readonly<Record<string, string>> = {},
): Promise<SeededServer> {
  const folder = await copyProject(CONFORMANCE_DIR);
  const fixture = JSON.parse(await readFile(path.join(CONFORMANCE_DIR, 'fixture.json'), 'utf8')) as unknown;
  await writeConfig(folder.dir, files);
  return serveSeeded(engine, folder, fixture, env);
}

/** Writes configuration files into a project folder. */
export async function writeConfig(dir: string, files: ConfigFilesOfTest): Promise<void> {
  await mkdir(path.join(dir, 'config'), { recursive: true });
  for (const [name, value] of Object.entries(files)) {
    const text = typeof value === 'string' ? value : `module.exports = ${JSON.stringify(value)};`;
    await writeFile(path.join(dir, 'config', `${name}.js`), text);
  }
}
