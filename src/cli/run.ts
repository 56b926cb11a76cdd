/**
 * Finds the command that the arguments name, runs it, and reports errors to a person: one line, never a stack trace.
 */
import { text } from 'node:stream/consumers';
import { isatty } from 'node:tty';
import { UsageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { packageVersion } from '../own-files.ts';
import type { Command, Surroundings } from './command.ts';
import { insteadOf, STRAPI_COMMANDS } from './strapi-commands.ts';

/**
 * The commands by the first word of their names, in the order of the overview. Each is loaded when it is asked for: a
 * server would otherwise load all the others at its start.
 */
const COMMANDS: Readonly<Record<string, () => Promise<readonly Command[]>>> = {
  start: async () => [(await import('./start.ts')).startCommand],
  dev: async () => [(await import('./start.ts')).devCommand],
  admin: async () => [
    (await import('./admin/invite.ts')).adminInviteCommand,
    (await import('./admin/create.ts')).adminCreateCommand,
    (await import('./admin/manage.ts')).adminListCommand,
    (await import('./admin/manage.ts')).adminSetRoleCommand,
    (await import('./admin/manage.ts')).adminResetPasswordCommand,
    (await import('./admin/manage.ts')).adminBlockCommand,
    (await import('./admin/manage.ts')).adminUnblockCommand,
    (await import('./admin/manage.ts')).adminDeleteCommand,
    (await import('./admin/role/list.ts')).adminRoleListCommand,
    (await import('./admin/role/list.ts')).adminRoleShowCommand,
    (await import('./admin/role/create.ts')).adminRoleCreateCommand,
    (await import('./admin/role/change.ts')).adminRoleGrantCommand,
    (await import('./admin/role/change.ts')).adminRoleRevokeCommand,
    (await import('./admin/role/create.ts')).adminRoleDeleteCommand,
  ],
  init: async () => [(await import('./init.ts')).initCommand],
  check: async () => [(await import('./check.ts')).checkCommand],
  apply: async () => [(await import('./apply.ts')).applyCommand],
  doctor: async () => [(await import('./doctor.ts')).doctorCommand],
  explain: async () => [(await import('./explain/explain.ts')).explainCommand],
  index: async () => {
    const commands = await import('./index-commands.ts');
    const { indexListCommand, indexSuggestCommand, indexCreateCommand, indexDropCommand } = commands;
    return [indexListCommand, indexSuggestCommand, indexCreateCommand, indexDropCommand];
  },
  job: async () => {
    const { jobListCommand, jobRunCommand } = await import('./job.ts');
    return [jobListCommand, jobRunCommand];
  },
  leftover: async () => {
    const { leftoverListCommand, leftoverKeepCommand } = await import('./leftover.ts');
    return [leftoverListCommand, leftoverKeepCommand];
  },
  locale: async () => {
    const commands = await import('./locale.ts');
    const { localeListCommand, localeAddCommand, localeDefaultCommand, localeRemoveCommand } = commands;
    return [localeListCommand, localeAddCommand, localeDefaultCommand, localeRemoveCommand];
  },
  media: async () => [(await import('./media.ts')).mediaMoveCommand],
  migration: async () => {
    const { migrationListCommand, migrationDoneCommand } = await import('./migration.ts');
    return [migrationListCommand, migrationDoneCommand];
  },
  openapi: async () => [(await import('./openapi.ts')).openApiCommand],
  role: async () => {
    const { roleListCommand, roleCreateCommand, roleGrantCommand, roleRevokeCommand } = await import('./role.ts');
    return [roleListCommand, roleCreateCommand, roleGrantCommand, roleRevokeCommand];
  },
  token: async () => [
    (await import('./token.ts')).tokenCreateCommand,
    (await import('./token.ts')).tokenListCommand,
    (await import('./token.ts')).tokenRotateCommand,
    (await import('./token.ts')).tokenRevokeCommand,
  ],
  webhook: async () => {
    const manage = await import('./webhook.ts');
    const deliveries = await import('./webhook-deliveries.ts');
    return [
      manage.webhookListCommand,
      (await import('./webhook.ts')).webhookAddCommand,
      manage.webhookRemoveCommand,
      manage.webhookEnableCommand,
      manage.webhookDisableCommand,
      manage.webhookSecretCommand,
      manage.webhookTestCommand,
      deliveries.webhookDeliveriesCommand,
      deliveries.webhookRetryCommand,
    ];
  },
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

// the reader may have read enough (`galley doctor | head`)
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/**
 * Runs `galley <args>` and gives the exit code: 0; 1 when the command found mistakes or failed; 2 for wrong use: a bad
 * flag, an unknown command, a missing folder, a configuration that cannot be read.
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

/** The commands whose names begin with a word. */
const commandsOf = async (first: string | undefined): Promise<readonly Command[]> =>
  first !== undefined && Object.hasOwn(COMMANDS, first) ? COMMANDS[first]!() : [];

/** The command that arguments begin with. */
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
  if (!command) return unfinished(args, surroundings);
  const rest = args.slice(command.name.split(' ').length);
  if (asksForHelp(rest)) {
    surroundings.print(command.help);
    return 0;
  }
  return command.run(rest, surroundings);
}

/** `galley`, `galley --help` and `galley help token create`. Without any argument it does not count as success. */
async function printHelp(words: readonly string[], surroundings: Surroundings, unasked: boolean): Promise<number> {
  const command = await commandOf(words);
  if (words.length > 0 && !command) return unfinished(words, surroundings);
  const text = command?.help ?? overview((await Promise.all(Object.values(COMMANDS).map((load) => load()))).flat());
  if (unasked) surroundings.warn(text);
  else surroundings.print(text);
  return unasked ? 2 : 0;
}

/** Arguments that name no command: a group of commands (`galley token`, `galley admin role`), or an unknown word. */
async function unfinished(args: readonly string[], surroundings: Surroundings): Promise<number> {
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
  if (typed!.startsWith('-')) throw new UsageError(`unknown flag ${typed} before a command; see galley --help`);
  const instead = insteadOf(args);
  if (instead !== undefined) throw new UsageError(`there is no galley ${before}${typed}: ${instead}`);
  const near = nearest(typed!, depth > 0 ? names : [...names, ...STRAPI_COMMANDS.keys()]);
  const known = depth > 0 || near === undefined ? undefined : STRAPI_COMMANDS.get(near);
  const rest = depth > 0 ? `there are ${names.join(', ')}` : 'see galley --help';
  const hint = near === undefined ? rest : `did you mean ${before}${near}?`;
  throw new UsageError(
    `unknown command ${before}${typed}: ${hint}${known === undefined ? '' : ` In Galley: ${known}`}`,
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

/** The words that the names of commands have at a place. */
const wordsOf = (group: readonly Command[], place: number): string[] => [
  ...new Set(group.map(({ name }) => name.split(' ')[place]!)),
];
const isPrefix = (words: readonly string[], args: readonly string[]): boolean =>
  words.every((word, index) => args[index] === word);

function asksForHelp(args: readonly string[]): boolean {
  const flags = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return flags.includes('--help') || flags.includes('-h');
}

/** System and driver errors carry a code and say what is wrong; anything else is a defect, and its place helps. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof TypeError || error instanceof RangeError)
    return `this is a bug in galley: ${error.stack ?? error.message}`;
  // A refused connection to several addresses is an AggregateError without a message.
  return (error.message || String(code)).split('\n', 1)[0]!;
}
