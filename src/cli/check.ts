/** `galley check`: every mistake of a project's files at once, and what is closed. It writes nothing. */
import { checkConfig } from '../config/check-config.ts';
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
  summary: 'report every mistake in the schema files and the configuration',
  help: `galley check [DIR]

Reads the configuration, schema files and code of the project in DIR (default: the working folder). Prints every mistake
with its file, its place and the nearest valid word, and exits with 1; with 0 where there is none. A key that is one slip
away from a known one (requird) is a mistake here, and a warning at the start. It loads src/galley and runs no other code
of the project, writes nothing and opens no database. Warnings go to stderr: configuration that has no effect, code that
is not run, and what is closed because of it.`,
  run,
};

async function run(args: readonly string[], { env, print, warn }: Surroundings): Promise<number> {
  const { positionals } = readArguments('check', args, {}, ['DIR']);
  const { config, mistakes } = await checkConfig(positionals[0] ?? WORKING_FOLDER, { env });
  if (!config) return refuse(mistakes, print);
  const { read, problems, warnings } = await checkProject(config);
  const isMistake = ({ isSlip }: Problem) => isSlip ?? false;
  const lines = [...mistakes, ...linesOf([...problems, ...warnings.filter(isMistake)])];
  const { own, mistake } = read ? await ownCode(config.dir, read.catalog) : NOTHING;
  if (mistake !== undefined) lines.push(mistake);
  for (const warning of warnings) if (!isMistake(warning)) warn(`warning: ${formatProblem(warning)}`);
  for (const warning of config.warnings) warn(`warning: ${warning}`);
  for (const warning of read?.code.warnings ?? []) warn(`warning: ${warning}`);
  if (!read || lines.length > 0) return refuse(lines, print);
  const { catalog, code } = read;
  const silence = new Silence({ catalog, code, own, config });
  const silenced = silencedMessage(
    silence.leftOut(silence.isGuarded),
    `${config.rest.prefix}/events`,
    config.code,
    code.opening,
  );
  if (silenced !== undefined) warn(`warning: ${silenced}`);
  if (code.leftOut !== undefined) print(code.leftOut);
  const types = [...catalog.contentTypes.values()].filter((type) => type.routed).length;
  print(`${counted(types, 'content type')}, ${counted(catalog.components.size, 'component')}: no mistakes`);
  return 0;
}

/** Prints mistakes and how many there are. */
function refuse(lines: readonly string[], print: Surroundings['print']): number {
  for (const line of lines) print(line);
  print(countOf(lines));
  return 1;
}

interface CheckedCode {
  readonly own: OwnCode | undefined;
  /** What is wrong, in a line. */
  readonly mistake: string | undefined;
}

const NOTHING: CheckedCode = { own: undefined, mistake: undefined };

/** What `src/galley` says, or what is wrong with it, in a line; neither where there is none. */
async function ownCode(dir: string, catalog: Catalog): Promise<CheckedCode> {
  try {
    if (!hasOwnCode(dir)) return NOTHING;
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
