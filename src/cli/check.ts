/** `galley check`: every mistake of a project's schema files at once. It writes nothing. */
import { loadConfig } from '../config/load.ts';
import { checkSchemas } from '../schema/check.ts';
import { formatProblem } from '../schema/problem.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';

export const checkCommand: Command = {
  name: 'check',
  summary: 'report every mistake in the schema files',
  help: `galley check [DIR]

Reads configuration and schema files of the project in DIR (default: the working folder), writes nothing and opens no
database. Prints every mistake with its file, its place and the nearest valid word, and exits 1; exits 0 when there is
none. Warnings, such as configuration that is not honoured and code that is not run, go to stderr.`,
  run,
};

async function run(args: readonly string[], { env, print, warn }: Surroundings): Promise<number> {
  const { positionals } = readArguments('check', args, {}, ['DIR']);
  const config = await loadConfig(positionals[0] ?? WORKING_FOLDER, { env, keepNewSecrets: false });
  const { catalog, problems, warnings } = checkSchemas(config.dir);
  for (const problem of problems) print(formatProblem(problem));
  for (const warning of warnings) warn(`warning: ${formatProblem(warning)}`);
  for (const warning of config.warnings) warn(`warning: ${warning}`);
  if (!catalog) {
    print(problems.length === 1 ? '1 mistake' : `${problems.length} mistakes`);
    return 1;
  }
  const types = [...catalog.contentTypes.values()].filter((type) => type.routed).length;
  print(`${counted(types, 'content type')}, ${counted(catalog.components.size, 'component')}: no mistakes`);
  return 0;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
