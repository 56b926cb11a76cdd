/** `galley check`: every mistake of a project's files at once, and what is closed. It writes nothing. */
import { loadConfig } from '../config/load.ts';
import { counted } from '../counted.ts';
import { UsageError } from '../errors.ts';
import { checkProject } from '../extend/checked-project.ts';
import type { OwnCode } from '../extend/galley/own-code.ts';
import { hasOwnCode } from '../extend/galley/own-file.ts';
import { Silence } from '../extend/runs/silence.ts';
import { silencedMessage } from '../extend/runs/silenced.ts';
import type { Catalog } from '../schema/catalog.ts';
import { formatProblem, type Problem } from '../schema/check/problem.ts';
import { type Command, readArguments, type Surroundings, WORKING_FOLDER } from './command.ts';

export const checkCommand: Command = {
  name: 'check',
  summary: 'report every mistake in the schema files',
  help: `galley check [DIR]

Reads configuration, schema files and code of the project in DIR (default: the working folder), runs none of the code
but src/galley, which is loaded, writes nothing and opens no database. Prints every mistake with its file, its place and the nearest valid word, and
exits 1; exits 0 when there is none. Warnings go to stderr: configuration that has no effect, code that is not run,
and what is closed because of it.`,
  run,
};

async function run(args: readonly string[], { env, print, warn }: Surroundings): Promise<number> {
  const { positionals } = readArguments('check', args, {}, ['DIR']);
  const config = await loadConfig(positionals[0] ?? WORKING_FOLDER, { env, keepNewSecrets: false });
  const { read, problems, warnings } = await checkProject(config);
  for (const line of linesOf(problems)) print(line);
  for (const warning of warnings) warn(`warning: ${formatProblem(warning)}`);
  for (const warning of config.warnings) warn(`warning: ${warning}`);
  for (const warning of read?.code.warnings ?? []) warn(`warning: ${warning}`);
  if (!read || problems.length > 0) {
    print(countOf(problems));
    return 1;
  }
  const { catalog, code } = read;
  const { own, mistake } = await ownCode(config.dir, catalog);
  if (mistake !== undefined) {
    print(mistake);
    print(countOf([undefined]));
    return 1;
  }
  const silence = new Silence({ catalog, code, own, config });
  const silenced = silencedMessage(silence.leftOut(silence.isGuarded), `${config.rest.prefix}/events`, config.code);
  if (silenced !== undefined) warn(`warning: ${silenced}`);
  if (code.leftOut !== undefined) print(code.leftOut);
  const types = [...catalog.contentTypes.values()].filter((type) => type.routed).length;
  print(`${counted(types, 'content type')}, ${counted(catalog.components.size, 'component')}: no mistakes`);
  return 0;
}

/** What `src/galley` says, or what is wrong with it, in a line; neither where there is none. */
async function ownCode(
  dir: string,
  catalog: Catalog,
): Promise<{ readonly own: OwnCode | undefined; readonly mistake: string | undefined }> {
  try {
    if (!hasOwnCode(dir)) return { own: undefined, mistake: undefined };
    const { loadOwnCode } = await import('../extend/galley/own-code.ts');
    return { own: await loadOwnCode(dir, catalog), mistake: undefined };
  } catch (error) {
    if (error instanceof UsageError) return { own: undefined, mistake: error.message };
    throw error;
  }
}

/** What the command says of mistakes: one line each. */
export const linesOf = (problems: readonly Problem[]): string[] => problems.map(formatProblem);

/** `2 mistakes`. */
export const countOf = (problems: readonly unknown[]): string => counted(problems.length, 'mistake');
