/** The command line: finds the command, runs it, and prints its errors without a stack trace. */
import { text } from 'node:stream/consumers';
import { isatty } from 'node:tty';
import type { Actor } from '../db/interface/actor.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { packageVersion, programText } from '../own-files.ts';
import type { Command, Surroundings } from './command.ts';
import { insteadOf, STRAPI_COMMANDS } from './strapi-commands.ts';

/**
 * Loads the commands by the first word of their names, in the order of the overview. A command loads only its own
 * modules, so that a server does not load all the others when it starts.
 */
const COMMANDS: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  start: async () => [(await import('./start.ts')).startCommand],
  dev: async () => [(await import('./start.ts')).devCommand],
  admin: async () => [
    (await import('./admin/invite.ts')).adminInviteCommand,
    (await import('./admin/create.ts')).adminCreateCommand,
    ...(await import('./admin/manage.ts')).administratorCommands,
    ...(await import('./admin/role/list.ts')).roleListCommands,
    ...(await import('./admin/role/create.ts')).roleCreateCommands,
    ...(await import('./admin/role/change.ts')).roleChangeCommands,
  ],
  init: async () => [(await import('./init.ts')).initCommand],
  check: async () => [(await import('./check.ts')).checkCommand],
  apply: async () => [(await import('./apply.ts')).applyCommand],
  audit: async () => (await import('./audit.ts')).auditCommands,
  backup: async () => [(await import('./backup.ts')).backupCommand],
  doctor: async () => [(await import('./doctor.ts')).doctorCommand],
  explain: async () => [(await import('./explain/explain.ts')).explainCommand],
  export: async () => [(await import('./export.ts')).exportCommand],
  import: async () => [(await import('./import.ts')).importCommand],
  index: async () => (await import('./index-commands.ts')).indexCommands,
  job: async () => (await import('./job.ts')).jobCommands,
  leftover: async () => (await import('./leftover.ts')).leftoverCommands,
  locale: async () => (await import('./locale.ts')).localeCommands,
  media: async () => [(await import('./media.ts')).mediaMoveCommand],
  migrate: async () => [(await import('./migrate.ts')).migrateCommand],
  migration: async () => (await import('./migration.ts')).migrationCommands,
  move: async () => [(await import('./move.ts')).moveCommand],
  openapi: async () => [(await import('./openapi.ts')).openApiCommand],
  restore: async () => [(await import('./backup.ts')).restoreCommand],
  role: async () => (await import('./role.ts')).roleCommands,
  rows: async () => (await import('./rows.ts')).rowsCommands,
  schedule: async () => (await import('./schedule.ts')).scheduleCommands,
  token: async () => (await import('./token.ts')).tokenCommands,
  trash: async () => (await import('./trash.ts')).trashCommands,
  webhook: async () => [
    ...(await import('./webhook.ts')).webhookCommands,
    ...(await import('./webhook-deliveries.ts')).deliveryCommands,
  ],
  types: async () => [(await import('./types.ts')).typesCommand],
};

const processSurroundings: Surroundings = {
  env: process.env,
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
  input: () => text(process.stdin),
  ...(isatty(0)
    ? {
        ask: async (question) => (await import('./prompts.ts')).promptForText(question),
        askSecret: async (question) => (await import('./prompts.ts')).promptForSecret(question),
      }
    : {}),
  ...(process.stderr.isTTY ? { terminal: (text) => void process.stderr.write(text) } : {}),
};

// the reader closes the pipe when it has enough: `galley doctor | head`
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/**
 * Runs `galley <args>`.
 *
 * @returns the exit code: 0; 1 if the command found mistakes or failed; 2 for incorrect use, such as an unknown flag, an
 *   unknown command, a missing folder or a configuration that cannot be read.
 */
export async function runCommandLine(
  args: readonly string[],
  surroundings: Surroundings = processSurroundings,
): Promise<number> {
  try {
    return await dispatch(args, surroundings);
  } catch (error) {
    if (error instanceof UsageError) {
      for (const line of error.message.split('\n')) surroundings.warn(`galley: ${line}`);
      return error.exitCode;
    }
    surroundings.warn(`galley: ${describe(error)}`);
    return 1;
  }
}

/** The commands whose names begin with this word. */
const commandsOf = async (first: string | undefined): Promise<readonly Command[]> =>
  first !== undefined && Object.hasOwn(COMMANDS, first) ? COMMANDS[first]!() : [];

/** The command that the arguments begin with. */
const commandOf = async (args: readonly string[]): Promise<Command | undefined> =>
  (await commandsOf(args[0])).find(({ name }) => isPrefix(name.split(' '), args));

async function dispatch(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const [first] = args;
  if (first === undefined || asksForHelp([first]) || first === 'help') {
    return printHelp(args.slice(1), surroundings, first === undefined);
  }
  if (first === '--version' || first === '-v') {
    surroundings.print(packageVersion());
    return 0;
  }
  const command = await commandOf(args);
  if (!command) return handleUnknown(args, surroundings);
  const rest = args.slice(command.name.split(' ').length);
  if (asksForHelp(rest)) {
    surroundings.print(command.help);
    return 0;
  }
  // a server makes changes for its callers, and the parent of several workers loads nothing of it
  if (command.isServer) return command.run(rest, surroundings);
  const { actingAs } = await import('../db/interface/account.ts');
  const actor: Actor = { kind: 'command', id: null, name: command.name, address: null };
  return actingAs(actor, () => command.run(rest, surroundings));
}

/** `galley --help`, `galley help token create`, and `galley` alone, which is incorrect use. */
async function printHelp(words: readonly string[], surroundings: Surroundings, isMistake: boolean): Promise<number> {
  const command = await commandOf(words);
  if (words.length > 0 && !command) return handleUnknown(words, surroundings);
  const text = command?.help ?? overview((await Promise.all(Object.values(COMMANDS).map((load) => load()))).flat());
  if (isMistake) surroundings.warn(text);
  else surroundings.print(text);
  return isMistake ? 2 : 0;
}

/** Handles arguments that name a group of commands (`galley token`, `galley admin role`) or no command at all. */
async function handleUnknown(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const galley = programText();
  let group = await commandsOf(args[0]);
  let depth = 0;
  for (let next = group; next.length > 0; depth += 1) {
    group = next;
    next = group.filter(({ name }) => name.split(' ')[depth + 1] === args[depth + 1]);
  }
  const before = args
    .slice(0, depth)
    .map((word) => `${word} `)
    .join('');
  const names = depth > 0 ? wordsOf(group, depth) : Object.keys(COMMANDS);
  const typed = args[depth];
  if (depth > 0 && (typed === undefined || asksForHelp([typed]))) {
    if (typed === undefined) throw new UsageError(`galley ${before}needs one more word: ${names.join(', ')}`);
    surroundings.print(overview(group));
    return 0;
  }
  if (typed!.startsWith('-')) throw new UsageError(`unknown flag ${typed} before a command; see ${galley} --help`);
  const instead = insteadOf(args, galley);
  if (instead !== undefined) throw new UsageError(`there is no galley ${before}${typed}: ${instead}`);
  const near = nearest(typed!, depth > 0 ? names : [...names, ...STRAPI_COMMANDS.keys()]);
  const inGalley = depth > 0 || near === undefined ? undefined : STRAPI_COMMANDS.get(near)?.(galley);
  const rest = depth > 0 ? `there are ${names.join(', ')}` : `see ${galley} --help`;
  const hint = near === undefined ? rest : `did you mean ${before}${near}?`;
  throw new UsageError(
    `unknown command ${before}${typed}: ${hint}${inGalley === undefined ? '' : ` In Galley: ${inGalley}`}`,
  );
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  galley ${name.padEnd(width)}  ${summary}`);
  return [
    'galley: a content server. It serves the schema files of a project folder over a database.',
    '',
    ...lines,
    '',
    'galley <command> --help prints details; galley --version prints the version.',
    'DIR is the project folder and defaults to the current folder.',
  ].join('\n');
}

/** The words at one position in the names of commands. */
const wordsOf = (group: readonly Command[], position: number): string[] => [
  ...new Set(group.map(({ name }) => name.split(' ')[position]!)),
];
const isPrefix = (words: readonly string[], args: readonly string[]): boolean =>
  words.every((word, index) => args[index] === word);

function asksForHelp(args: readonly string[]): boolean {
  const flags = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return flags.includes('--help') || flags.includes('-h');
}

/** Errors of the system and of drivers have a code and a clear message. Any other is a bug, and needs its stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof TypeError || error instanceof RangeError)
    return `this is a bug in galley: ${error.stack ?? error.message}`;
  // A refused connection to several addresses is an AggregateError without a message.
  return (error.message || String(code)).split('\n', 1)[0]!;
}
