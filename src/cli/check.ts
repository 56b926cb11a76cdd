/** `galley check`: reports every mistake in a project's files, and the closed actions. It writes nothing. */
import { checkConfig } from '../config/check-config.ts';
import type { Config } from '../config/config.ts';
import { counted } from '../counted.ts';
import { UsageError } from '../errors.ts';
import { type CheckedProject, checkProject, guardedMessages, type ProjectFiles } from '../project.ts';
import { formatProblem, type Problem } from '../schema/check/problem.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';

export const checkCommand: Command = {
  name: 'check',
  summary: 'report every mistake in the schema files and the configuration',
  help: `galley check [DIR]

Checks the configuration, schema files and code of the project in DIR (default: the working folder). It prints every mistake
with its file, its place and the nearest valid word, and then exits with 1, otherwise with 0. A key that differs from a
known one by one letter (requird) is a mistake here; a start only warns about it. The command loads the project's code as a
start does, but does not start it. It opens no database. Warnings on stderr name settings without effect, code that is left
out, and the actions that are closed as a result.`,
  run,
};

async function run(args: readonly string[], { env, print, warn }: Surroundings): Promise<number> {
  const { positionals } = readArguments('check', args, {}, ['DIR']);
  const { config, mistakes } = await checkConfig(positionals[0] ?? WORKING_FOLDER, { env });
  if (!config) return refuse(mistakes, print);
  const { files, problems, warnings, failure } = await checked(config);
  try {
    const isMistake = ({ isSlip }: Problem) => isSlip ?? false;
    const lines = [...mistakes, ...linesOf([...problems, ...warnings.filter(isMistake)]), ...failure];
    for (const warning of warnings) if (!isMistake(warning)) warn(`warning: ${formatProblem(warning)}`);
    for (const warning of config.warnings) warn(`warning: ${warning}`);
    for (const warning of files?.code.warnings ?? []) warn(`warning: ${warning}`);
    if (!files || lines.length > 0) return refuse(lines, print);
    const { catalog } = files;
    for (const message of guardedMessages(files)) warn(`warning: ${message}`);
    for (const hint of await hintsOf(files)) warn(`hint: ${hint}`);
    const types = [...catalog.contentTypes.values()].filter((type) => type.routed).length;
    print(`${counted(types, 'content type')}, ${counted(catalog.components.size, 'component')}: no mistakes`);
    return 0;
  } finally {
    await files?.code.close();
  }
}

/** Hints that are printed; more are counted. */
const HINTS = 20;

/** Where the code of a project names members of strapi that Galley lacks; none where no code is run. */
async function hintsOf({ code }: ProjectFiles): Promise<readonly string[]> {
  const hints = await code.missingMembers();
  if (hints.length === 0) return [];
  const { SUPPORTED } = await import('../runtime/guarded.ts');
  const more = hints.length - HINTS;
  return [...hints.slice(0, HINTS), ...(more > 0 ? [`and ${more} more`] : []), SUPPORTED];
}

/** What is wrong with a project, and why it cannot be read further: code that cannot be loaded, a mistake in `src/galley`. */
async function checked(config: Config): Promise<CheckedProject & { readonly failure: readonly string[] }> {
  try {
    return { ...(await checkProject(config)), failure: [] };
  } catch (error) {
    if (error instanceof UsageError) return { files: undefined, problems: [], warnings: [], failure: [error.message] };
    throw error;
  }
}

/** Prints mistakes and their number. */
function refuse(lines: readonly string[], print: Surroundings['print']): number {
  for (const line of lines) print(line);
  print(countOf(lines));
  return 1;
}

/** One line for each mistake. */
export const linesOf = (problems: readonly Problem[]): string[] => problems.map(formatProblem);

/** `2 mistakes`. */
export const countOf = (problems: readonly unknown[]): string => counted(problems.length, 'mistake');
