/** The indexes that whoever runs a large project asks for: those of the schema, and those that slow reads have lacked. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = path.join(import.meta.dirname, '../../dist/main.js');
const SCHEMA = 'src/api/article/content-types/article/schema.json';
/** Attributes that requests sort by, or filter by value or range. */
const INDEXED = ['title', 'views'];

const execute = promisify(execFile);

/** Has the schema of a copy of the fixture's project ask for indexes. */
export function declareIndexes(project: string): void {
  const file = path.join(project, SCHEMA);
  const schema = JSON.parse(readFileSync(file, 'utf8')) as { attributes: Record<string, { index?: boolean }> };
  for (const name of INDEXED) schema.attributes[name]!.index = true;
  writeFileSync(file, JSON.stringify(schema, undefined, 2));
}

/** Makes what `galley index suggest` lists, as whoever reads it would; gives the names. */
export async function makeSuggested(project: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const run = async (...args: readonly string[]): Promise<string> => {
    const command = [PROGRAM, 'index', ...args, project];
    return (await execute(process.execPath, command, { env: { ...process.env, ...env } })).stdout;
  };
  const lines = (await run('suggest', '--json')).split('\n').filter((line) => line !== '');
  const names = lines.map((line) => (JSON.parse(line) as { name: string }).name);
  for (const name of names) await run('create', name);
  return names;
}
